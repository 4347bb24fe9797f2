// SPDX-License-Identifier: GPL-2.0-or-later
// How deadline and mq-deadline form batches: preference of reads, expiry at batch start, length and order of a batch.
//
// mq-deadline shares its batch counters among its three priorities, and its aging pass may move them without a dispatch. The
// documents make their promises for one queue, so these monitors judge only requests that met no other class; the counters
// keep their ranges whatever happened before, so the bounds hold again from then on.
//
// The promises are judged by insertions and issues alone, so that recordings of a real kernel are judged by the same text.
// Only the length of a batch cannot be seen from outside (two batches may continue each other); it is judged by decision
// notes.
#include <fmt/format.h>

#include <array>
#include <limits>

#include "properties/definitions.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck::property {

namespace {

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  return a != 0 && b > std::numeric_limits<std::int64_t>::max() / a ? std::numeric_limits<std::int64_t>::max() : a * b;
}

class WritesStarved : public QueueMonitor {
 public:
  // A read batch that is running when the write arrives, and writes_starved more.
  explicit WritesStarved(const RunFacts& run)
      : QueueMonitor(run),
        bound_(saturating_product(batch_limit(run), std::max<std::int64_t>(0, tunable(run, "writes_starved")) + 1)) {}

  EventKinds wants() const override { return event_kinds(EventKind::issue); }

 private:
  void reset() override { reads_ = 0; }

  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr) return;
    if (rq->write || rq->mixed) {
      reads_ = 0;
      return;
    }
    const WaitingRequest* const write = oldest(rq->io_class, true);
    if (write == nullptr) return;
    judge(++reads_);
    if (reads_ > bound_) {
      violate({"starved", fmt::format("{} reads in a row were issued while write {} waited", reads_, write->id), now(),
               write->id, reads_, bound_});
    }
  }

  std::int64_t bound_;
  std::int64_t reads_ = 0;  // issued in a row while a write waited
};

class ExpiryAtBatchStart : public QueueMonitor {
 public:
  explicit ExpiryAtBatchStart(const RunFacts& run) : QueueMonitor(run), bound_(batch_limit(run) - 1) {
    for (const bool write : {false, true}) {
      expire_[write] =
          clock().msecs_to_jiffies(static_cast<std::uint64_t>(tunable(run, write ? "write_expire" : "read_expire")));
    }
  }

  EventKinds wants() const override { return event_kinds(EventKind::issue, EventKind::note); }

 private:
  struct Head {
    RequestId id = 0;
    std::int64_t passed = 0;
  };

  void reset() override { heads_ = {}; }

  void on_note(const TraceEvent& event) override {
    // deadline tells whether the head was expired and whether the batch started there.
    if (event.rule == nullptr || std::string_view(event.rule->name) != "deadline.start-batch") return;
    judge(0);
    if (event.numbers[2] != 0 && event.numbers[1] == 0) {
      violate({"started-elsewhere",
               fmt::format("a batch started at request {} although the oldest request was past its deadline", event.request),
               event.at, event.request, 1, 0});
    }
  }

  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr) return;
    if (rq->mixed) {
      heads_ = {};
      return;
    }
    Head& head = heads_[rq->write];
    const WaitingRequest* const first = oldest(rq->io_class, rq->write);
    if (first == nullptr || first->fifo_place >= rq->fifo_place ||  // older: a front merge hid it from oldest()
        clock().jiffies(chosen_after()) <= first->inserted_tick + expire_[rq->write]) {
      head = {};
      return;
    }
    if (head.id != first->id) head = {first->id, 0};
    judge(++head.passed);
    if (head.passed > bound_) {
      violate({"passed-over",
               fmt::format(
                   "{} {} were issued while request {} was the oldest and past its deadline, so a batch started elsewhere",
                   head.passed, rq->write ? "writes" : "reads", first->id),
               now(), first->id, head.passed, bound_});
    }
  }

  std::int64_t bound_;
  std::array<std::uint64_t, 2> expire_{};
  std::array<Head, 2> heads_{};
};

/// Marks::mark of the monitors below.
constexpr std::int64_t grown_at_front = 1;

class FifoBatch : public QueueMonitor {
 public:
  explicit FifoBatch(const RunFacts& run)
      : QueueMonitor(run),
        bound_(batch_limit(run)),
        sequences_enter_(run.scheduler->flavour == BlockFlavour::multi_queue_6_12) {}

  EventKinds wants() const override { return event_kinds(EventKind::front_merge, EventKind::note); }

 private:
  void reset() override { length_ = 0; }

  // The batch's next request stays its next one when it grows at its front, perhaps past the place that the batch has
  // reached.
  void on_bio_merge(const WaitingRequest& rq, const TraceEvent& event) override {
    if (event.kind == EventKind::front_merge) own(rq).mark = grown_at_front;
  }
  bool grown(RequestId id) {
    const WaitingRequest* const rq = find_queued(id);
    return rq != nullptr && own(*rq).mark == grown_at_front;
  }

  void on_note(const TraceEvent& event) override {
    const std::string_view name = event.rule == nullptr ? "" : event.rule->name;
    const bool write = is_write(event.op);
    if (sequences_enter_ && event.request != 0 && find_queued(event.request) == nullptr) {
      length_ = 0;  // data of a flush sequence, which 6.12 sends through the scheduler
      return;
    }
    if (name.ends_with(".start-batch") || name.ends_with(".start-expired")) {
      length_ = 1;
    } else if (name.ends_with(".too-young")) {
      length_ = 0;  // the aging pass may have moved the counters; the next start is known again
      return;
    } else if (name.ends_with(".continue-batch")) {
      if (length_ == 0 || !single_class()) {
        length_ = 0;
        return;
      }
      ++length_;
      if (write != write_) report("turned", "continues a batch of the other direction", event);
      // In 6.12 a batch may go on in another class, which has a place of its own.
      if (event.sector < sector_ && class_of(event) == class_ && !grown(event.request))
        report("descended", "lies before the last request of its batch", event);
    } else {
      return;
    }
    write_ = write;
    class_ = class_of(event);
    sector_ = event.sector;
    judge(length_);
    if (length_ > bound_) {
      violate({"too-long", fmt::format("request {} is number {} of its batch", event.request, length_), event.at,
               event.request, length_, bound_});
    }
  }

  IoClass class_of(const TraceEvent& event) {
    const WaitingRequest* const rq = find_queued(event.request);
    return rq != nullptr ? rq->io_class : IoClass::be;
  }

  void report(const char* rule, const char* what, const TraceEvent& event) {
    violate({rule, fmt::format("request {} at {} {}", event.request, event.sector, what), event.at, event.request, 1, 0});
  }

  std::int64_t bound_;
  bool sequences_enter_;
  std::int64_t length_ = 0;
  bool write_ = false;
  IoClass class_ = IoClass::be;
  Sector sector_ = 0;
};

/// Up to 6.1 a direction goes on at the request that followed the last dispatched one then; 6.12 remembers its place, sector
/// 0 at first, and looks for what follows when it goes on.
class Order : public QueueMonitor {
 public:
  explicit Order(const RunFacts& run)
      : QueueMonitor(run),
        forgets_other_(runs(run, "deadline")),
        by_place_(run.scheduler->flavour == BlockFlavour::multi_queue_6_12) {
    if (by_place_) fill({Last::Place::known, 0, 0});
  }

  EventKinds wants() const override { return event_kinds(EventKind::front_merge, EventKind::issue); }

 private:
  struct Last {
    enum class Place : std::uint8_t { none, known, missed } place = Place::none;
    Sector sector = 0;
    std::uint64_t seen_before = 0;  // requests seen before this event number were there when the successor was noted
  };

  // What was forgotten with an empty queue, 6.12 still remembers; what it was nobody saw.
  void reset() override { fill({by_place_ ? Last::Place::missed : Last::Place::none, 0, 0}); }
  void fill(const Last& value) {
    for (auto& directions : last_) directions.fill(value);
  }

  // As in FifoBatch.
  void on_bio_merge(const WaitingRequest& rq, const TraceEvent& event) override {
    if (event.kind == EventKind::front_merge) own(rq).mark = grown_at_front;
  }

  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr) return;
    const auto io_class = static_cast<std::size_t>(rq->io_class);
    Last& last = last_[io_class][rq->write];
    judge(0);
    if (!is_oldest(*rq) && own(*rq).mark != grown_at_front && last.place != Last::Place::missed) check_successor(*rq, last);
    // A dispatch of the single-queue scheduler also forgets where the other direction was.
    if (forgets_other_) last_[io_class][!rq->write].place = Last::Place::none;
    last = {Last::Place::known, rq->sector, last_issue()};
  }

  bool is_oldest(const WaitingRequest& rq) const {
    const WaitingRequest* const first = oldest(rq.io_class, rq.write);
    return first == nullptr || first->fifo_place >= rq.fifo_place;
  }

  void check_successor(const WaitingRequest& rq, const Last& last) {
    if (last.place == Last::Place::none || rq.sector < last.sector) {
      violate({"out-of-order",
               fmt::format("request {} at {} is neither the oldest of its direction nor behind the request issued before it",
                           rq.id, rq.sector),
               now(), rq.id, 1, 0});
      return;
    }
    for (const auto& [id, other] : queued()) {
      if (other.io_class != rq.io_class || other.write != rq.write) continue;
      if (by_place_ ? !visible(other) : other.seen >= last.seen_before) continue;
      const bool behind = by_place_ ? other.sector >= last.sector : other.sector > last.sector;
      if (behind && other.sector < rq.sector) {
        violate({"skipped",
                 fmt::format("request {} at {} was skipped between {} and {}", id, other.sector, last.sector, rq.sector),
                 now(), id, 1, 0});
        return;
      }
    }
  }

  bool forgets_other_;
  bool by_place_;
  std::array<std::array<Last, 2>, 4> last_{};  // by class and direction
};

/// First come, first served in each direction that is watched.
class FirstCome : public QueueMonitor {
 public:
  FirstCome(const RunFacts& run, bool reads, bool writes) : QueueMonitor(run), watched_{reads, writes} {}

  EventKinds wants() const override { return event_kinds(EventKind::issue); }

 private:
  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr || !watched_[rq->write] || rq->mixed) return;
    judge(0);
    const WaitingRequest* const first = oldest(rq->io_class, rq->write);
    if (first == nullptr || first->fifo_place >= rq->fifo_place) return;
    violate({"overtaken",
             fmt::format("request {}, the oldest of its direction, was passed by request {}", first->id, rq->id), now(),
             first->id, 1, 0});
  }

  std::array<bool, 2> watched_;
};

bool batches_of_one(const RunFacts& facts) { return is_deadline(facts) && batch_limit(facts) == 1; }

bool always_expired(const RunFacts& facts) {
  return batches_of_one(facts) && facts.scheduler->flavour != BlockFlavour::single_queue_2_6_35 &&
         (tunable(facts, "read_expire") == 0 || tunable(facts, "write_expire") == 0);
}

constexpr const char* document = "Documentation/block/deadline-iosched.rst";

}  // namespace

Property deadline_writes_starved() {
  return {"deadline.writes-starved",
          "While writes wait, reads are preferred for at most writes_starved batches in a row, beside the batch that is "
          "running.",
          "Documentation/block/deadline-iosched.rst: writes_starved",
          "fifo_batch x (writes_starved + 1) reads in a row",
          is_deadline,
          make_monitor<WritesStarved>,
          nullptr};
}

Property deadline_expiry() {
  return {"deadline.expiry-at-batch-start",
          "A batch of a direction whose oldest request is past its deadline starts with that request; a running batch may "
          "pass it.",
          "Documentation/block/deadline-iosched.rst: fifo_batch, deadline expiries are checked between batches",
          "fifo_batch - 1 requests of the direction pass an expired oldest one",
          is_deadline,
          make_monitor<ExpiryAtBatchStart>,
          nullptr};
}

Property deadline_fifo_batch() {
  return {"deadline.fifo-batch",
          "A batch has at most fifo_batch requests (1 if that is 0), of one direction, in ascending order of sector except "
          "for one "
          "that grows at its front.",
          "Documentation/block/deadline-iosched.rst: fifo_batch",
          "max(1, fifo_batch) requests",
          is_deadline,
          make_monitor<FifoBatch>,
          nullptr};
}

Property deadline_order() {
  return {"deadline.order",
          "Every issued request is the oldest of its direction, or the next by sector after the one issued before it in "
          "that direction, or has grown at its front.",
          "block/deadline-iosched.c (2.6.34 to 4.20), block/mq-deadline.c (6.1): fifo head or next_rq; 6.12: or latest_pos",
          "0 requests out of order",
          is_deadline,
          make_monitor<Order>,
          nullptr};
}

Property deadline_fifo_batch_one() {
  return {"deadline.fifo-batch-one",
          "With fifo_batch = 1 each direction is served first come, first served. (Refuted: as long as no deadline has "
          "passed, the next batch "
          "starts behind the last one by sector.)",
          document,
          "0 overtakings in a direction",
          batches_of_one,
          [](const RunFacts& facts) -> std::unique_ptr<Monitor> { return std::make_unique<FirstCome>(facts, true, true); },
          nullptr,
          true};
}

Property deadline_first_come() {
  return {"deadline.first-come",
          "With fifo_batch = 1 and an expiry time of 0 the direction is served first come, first served.",
          "Documentation/block/deadline-iosched.rst: fifo_batch, with block/deadline-iosched.c (4.4 on): expired from the "
          "tick of the deadline on",
          "0 overtakings in the direction",
          always_expired,
          [](const RunFacts& facts) -> std::unique_ptr<Monitor> {
            return std::make_unique<FirstCome>(facts, tunable(facts, "read_expire") == 0,
                                               tunable(facts, "write_expire") == 0);
          },
          nullptr};
}

}  // namespace elvcheck::property
