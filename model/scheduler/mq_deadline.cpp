// SPDX-License-Identifier: GPL-2.0-or-later
// mq-deadline of 6.1 and 6.12.
//
// Mirrors block/mq-deadline.c of 6.1 (stable 6.1.192) and 6.12. Three priorities, each with the two trees, two fifos and two next_rq of
// deadline and a list of head insertions; batching, starved and the last direction are shared by all of them. The choice inside a
// priority is DeadlineCore, the choice among them MqDeadlinePrioCore. Times are jiffies. async_depth limits writes and
// asynchronous requests through the shallow depth of the scheduler's tag map; it starts at nr_requests.
//
// In 6.12 a batch goes on with the first queued request at or above the start of the one dispatched last, so one that has come
// since can be next; head insertions go before everything, whatever their priority and age; async_depth counts requests, not bits
// of each word of the tag map.
//
// Kept as it is: a continued batch looks for its next request in the priority being asked, whichever priority the batch began in.
// Left out: zoned devices. Promises (Documentation/block/deadline-iosched.rst and the patch that added priorities, June 2021):
// those of deadline inside a priority; strict order among priorities except for requests older than prio_aging_expire.
#include "model/scheduler/mq_deadline.hpp"

#include <array>
#include <climits>

#include "model/block/request_pool.hpp"
#include "model/scheduler/deadline_parts.hpp"
#include "model/scheduler/mq_deadline_core.hpp"

namespace elvcheck {

namespace {

constexpr std::array<TunableInfo, 7> tunable_table{{
    {"read_expire", "ms", 500, 0, INT_MAX, "time after its insertion at which a read is expired"},
    {"write_expire", "ms", 5000, 0, INT_MAX, "time after its insertion at which a write is expired"},
    {"writes_starved", "batches", 2, INT_MIN, INT_MAX, "read batches that may pass waiting writes"},
    {"front_merges", "", 1, 0, 1, "whether to look for requests that a bio could be put in front of"},
    {"async_depth", "requests", 0, 1, INT_MAX, "scheduler tags for writes and asynchronous requests; starts at nr_requests"},
    {"fifo_batch", "requests", 16, 0, INT_MAX, "most requests of a batch"},
    {"prio_aging_expire", "ms", 10000, 0, INT_MAX,
     "age at which a request of a lower priority is served before higher ones"},
}};

const DecisionRule continue_batch{"mq-deadline.continue-batch",
                                  "The batch goes on with the next request in order of sector.",
                                  {"write", "batching", "fifo_batch", "prio"}};
const DecisionRule start_batch{"mq-deadline.start-batch",
                               "A batch starts at the head of the fifo, or at the next request in order of sector.",
                               {"write", "from_fifo", "starved", "prio"}};
const DecisionRule start_expired{"mq-deadline.start-expired",
                                 "A batch starts at the head of the fifo because it is past its deadline.",
                                 {"write", "overdue_jiffies", "starved", "prio"}};
const DecisionRule head_inserted{
    "mq-deadline.head-inserted", "A request inserted at the head goes before everything else.", {"prio"}};
const DecisionRule aged{"mq-deadline.aged",
                        "A request of a lower priority is served because of its age.",
                        {"prio", "age_jiffies", "prio_aging_expire_jiffies"}};
const DecisionRule too_young{"mq-deadline.too-young",
                             "The aging pass refused its choice; the batch counters have moved.",
                             {"prio", "age_jiffies", "prio_aging_expire_jiffies"}};
constexpr std::array<const DecisionRule*, 6> rule_table{&continue_batch, &start_batch, &start_expired,
                                                        &head_inserted,  &aged,        &too_young};

struct Features {
  bool continue_from_position = false;  ///< next request of a batch: looked up by sector, not remembered
  bool one_dispatch_list = false;       ///< head insertions of all priorities in one list
  bool depth_of_whole_map = false;      ///< async_depth is not scaled to the words of the tag map
};

class MqDeadline final : public MultiQueueElevator {
 public:
  MqDeadline(ElevatorHost& host, const TunableValues& tunables, const Features& features)
      : host_(host),
        features_(features),
        front_merges_(front_merges_wanted(tunables)),
        async_depth_(tunables.get("async_depth") != 0 ? static_cast<std::uint64_t>(tunables.get("async_depth"))
                                                      : host.nr_requests()),
        expire_jiffies_(expiry_jiffies(tunables, host.clock())),
        prio_aging_expire_jiffies_(
            host.clock().msecs_to_jiffies(static_cast<std::uint64_t>(tunables.get("prio_aging_expire")))),
        core_(make_deadline_core(tunables)) {}

  // Allocation.

  unsigned limit_depth(const Bio& bio, unsigned word_bits) override {
    if (bio.op == Op::read || planted(Mutant::mq_deadline_async_depth_ignored)) return no_limit;
    if (features_.depth_of_whole_map || planted(Mutant::mq_deadline_depth_of_each_word))
      return static_cast<unsigned>(async_depth_);
    const std::uint64_t nr = host_.nr_requests();
    return static_cast<unsigned>((async_depth_ * word_bits + nr - 1) / nr);  // dd_to_word_depth()
  }
  unsigned min_shallow_depth(unsigned) const override { return 1; }
  void prepare_request(Request& rq, const Bio&) override { rq.elv_priv[0] = 0; }
  void depth_updated() override { async_depth_ = host_.nr_requests(); }

  // Insertion and merging.

  void insert_request(Request& rq, bool at_head) override {
    Priority& priority = priority_of(rq);
    if (rq.elv_priv[0] == 0) {
      ++priority.owned;
      rq.elv_priv[0] = 1;
    }
    if (host_.try_insert_merge(rq)) return;
    if (host_.trace().watched()) {
      host_.trace().emit(request_event(EventKind::insert, rq, host_.now()));
    }
    if (at_head) {
      rq.fifo_time = host_.jiffies();
      (features_.one_dispatch_list ? dispatch_ : priority.dispatch).push_front(rq);
      return;
    }
    const bool dir = data_dir(rq);
    priority.queues[dir].sorted.insert(rq);
    host_.add_merge_target(rq);
    rq.fifo_time = host_.jiffies() + expire_jiffies_[dir];
    priority.queues[dir].fifo.push_back(rq);
  }

  Request* find_front_merge(const Bio& bio) override {
    if (!front_merges_) return nullptr;
    return priorities_[dd_prio(bio.ioprio)].queues[is_write(bio.op)].sorted.find(bio.sector + bio.sectors);
  }
  Request* former_request(Request& rq) override { return RequestTree::prev(rq); }
  Request* latter_request(Request& rq) override { return RequestTree::next(rq); }

  void request_merged(Request& rq, bool at_front) override {
    if (!at_front) return;
    RequestTree& sorted = priority_of(rq).queues[data_dir(rq)].sorted;
    sorted.erase(rq);
    sorted.insert(rq);
  }

  void requests_merged(Request& rq, Request& next) override {
    if (rq.queuelist.list != nullptr && next.queuelist.list != nullptr) inherit_deadline(rq, next);
    remove(next);
  }

  // Dispatch.

  bool has_work() const override {
    if (!dispatch_.empty()) return true;
    for (const Priority& priority : priorities_) {
      if (!priority.dispatch.empty() || !priority.queues[READ].fifo.empty() || !priority.queues[WRITE].fifo.empty())
        return true;
    }
    return false;
  }

  Request* dispatch_request() override {
    if (Request* rq = dispatch_.pop_front()) {
      host_.note(head_inserted, rq, static_cast<std::int64_t>(dd_prio(rq->ioprio)));
      return &start(*rq);
    }
    const std::uint64_t jiffies = host_.jiffies();
    const auto now = static_cast<std::int64_t>(jiffies);
    const bool several =
        PrioCore::aging_pass({priorities_[0].owned > 0, priorities_[1].owned > 0, priorities_[2].owned > 0});
    if (several && !planted(Mutant::mq_deadline_aging_ignored)) {
      for (std::size_t prio = 1; prio < dd_prio_count; ++prio) {
        if (Request* rq = dispatch_from(prio, jiffies, now - static_cast<std::int64_t>(prio_aging_expire_jiffies_), true)) return rq;
      }
    }
    for (std::size_t turn = 0; turn < dd_prio_count; ++turn) {
      const std::size_t prio = planted(Mutant::mq_deadline_priority_inverted) ? dd_prio_count - 1 - turn : turn;
      Request* rq = dispatch_from(prio, jiffies, now, false);
      if (!PrioCore::passes_on(rq != nullptr, priorities_[prio].owned > 0)) return rq;
    }
    return nullptr;
  }

  void finish_request(Request& rq) override {
    if (rq.elv_priv[0] == 0) return;
    const bool absorbed = rq.first_bio == nullptr;
    if (absorbed && planted(Mutant::mq_deadline_merged_stays_owned)) return;
    --priority_of(rq).owned;
  }

 private:
  using PrioCore = MqDeadlinePrioCore<Concrete>;
  enum Direction : bool { READ = false, WRITE = true };
  struct Queue {
    RequestTree sorted;
    RequestList fifo;
    Request* next = nullptr;  // next_rq, 6.1
    Sector latest_pos = 0;    // start of the request dispatched last, 6.12
  };
  struct Priority {
    RequestList dispatch;  // head insertions
    std::array<Queue, 2> queues;
    std::uint32_t owned = 0;  // inserted and not finished: dd_queued()
  };

  static std::size_t dd_prio(IoPrio ioprio) {
    switch (ioprio.io_class) {
      case IoClass::rt:
        return 0;
      case IoClass::idle:
        return 2;
      default:
        return 1;
    }
  }
  Priority& priority_of(const Request& rq) { return priorities_[dd_prio(rq.ioprio)]; }

  void remove(Request& rq) {
    if (rq.queuelist.list != nullptr) rq.queuelist.list->remove(rq);
    if (RequestTree::contains(rq)) {
      Queue& queue = priority_of(rq).queues[data_dir(rq)];
      if (queue.next == &rq) queue.next = RequestTree::next(rq);
      queue.sorted.erase(rq);
    }
    host_.forget_merge_target(rq);
  }

  DeadlineQueueView<Concrete> view(const Priority& priority, Direction dir, std::uint64_t now) {
    return deadline_view(priority.queues[dir].fifo, priority.queues[!dir].fifo, next_in_batch(priority.queues[dir]),
                         [now](const Request& rq) { return now >= rq.fifo_time; });
  }

  /// deadline_next_request().
  Request* next_in_batch(const Queue& queue) const {
    return features_.continue_from_position ? queue.sorted.lower_bound(queue.latest_pos) : queue.next;
  }

  /// dd_start_request().
  Request& start(Request& rq) {
    priority_of(rq).queues[data_dir(rq)].latest_pos = rq.sector;
    rq.started = true;
    return rq;
  }

  /// __dd_dispatch_request(): the next request of a priority, unless it was inserted after `latest` (in jiffies).
  Request* dispatch_from(std::size_t prio, std::uint64_t now, std::int64_t latest, bool aging) {
    Priority& priority = priorities_[prio];
    const auto prio_number = static_cast<std::int64_t>(prio);
    if (Request* rq = priority.dispatch.front(); rq != nullptr) {
      if (PrioCore::refused(started(*rq), latest)) return nullptr;
      priority.dispatch.remove(*rq);
      host_.note(head_inserted, rq, prio_number);
      return &start(*rq);
    }
    const auto reads = view(priority, READ, now);
    const auto writes = view(priority, WRITE, now);
    const DeadlineChoice<Concrete> choice = core_.choose(reads, writes);
    if (choice.none) return nullptr;
    Queue& queue = priority.queues[choice.write];
    Request& rq = choice.from_fifo ? *queue.fifo.front() : *next_in_batch(queue);
    const bool refused = PrioCore::refused(started(rq), latest);
    if (aging) {
      const auto age = static_cast<std::int64_t>(now) - started(rq);
      host_.note(refused ? too_young : aged, &rq, prio_number, age, static_cast<std::int64_t>(prio_aging_expire_jiffies_));
    }
    if (!refused) report(choice, choice.write ? writes : reads, rq, prio_number);
    commit_choice(core_, reads, writes, choice, !refused);
    if (refused) return nullptr;
    queue.next = batch_successor(queue.sorted, rq);
    remove(rq);
    return &start(rq);
  }

  /// When the request was inserted, as far as its deadline tells (started_after()).
  std::int64_t started(const Request& rq) const {
    return static_cast<std::int64_t>(rq.fifo_time) - static_cast<std::int64_t>(expire_jiffies_[data_dir(rq)]);
  }

  void report(const DeadlineChoice<Concrete>& choice, const DeadlineQueueView<Concrete>& view, const Request& rq,
              std::int64_t prio) {
    if (choice.continues)
      host_.note(continue_batch, &rq, choice.write, core_.batching, core_.fifo_batch, prio);
    else if (view.expired)
      host_.note(start_expired, &rq, choice.write, static_cast<std::int64_t>(host_.jiffies() - rq.fifo_time), core_.starved,
                 prio);
    else
      host_.note(start_batch, &rq, choice.write, choice.from_fifo, core_.starved, prio);
  }

  ElevatorHost& host_;
  const Features features_;
  bool front_merges_;
  std::uint64_t async_depth_;
  std::array<std::uint64_t, 2> expire_jiffies_;
  std::uint64_t prio_aging_expire_jiffies_;
  std::array<Priority, dd_prio_count> priorities_;
  RequestList dispatch_;  // head insertions, 6.12
  DeadlineCore<Concrete> core_;
};

}  // namespace

std::span<const TunableInfo> mq_deadline_tunables() { return tunable_table; }
std::span<const DecisionRule* const> mq_deadline_rules() { return rule_table; }

std::unique_ptr<MultiQueueElevator> make_mq_deadline_6_1(ElevatorHost& host, const TunableValues& tunables) {
  return std::make_unique<MqDeadline>(host, tunables, Features{});
}
std::unique_ptr<MultiQueueElevator> make_mq_deadline_6_12(ElevatorHost& host, const TunableValues& tunables) {
  return std::make_unique<MqDeadline>(host, tunables, Features{true, true, true});
}

}  // namespace elvcheck
