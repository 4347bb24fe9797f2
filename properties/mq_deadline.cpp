// SPDX-License-Identifier: GPL-2.0-or-later
// What mq-deadline promises about I/O priorities: strict order of the classes rt, be (and none), idle, softened by age; and
// the share of the scheduler's tags that writes may take.
#include <fmt/format.h>

#include <algorithm>

#include "properties/async_tags.hpp"
#include "properties/definitions.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck::property {

namespace {

class ClassMonitor : public QueueMonitor {
 public:
  explicit ClassMonitor(const RunFacts& run)
      : QueueMonitor(run),
        aging_ticks_(clock().msecs_to_jiffies(static_cast<std::uint64_t>(tunable(run, "prio_aging_expire")))) {}

  EventKinds wants() const override { return event_kinds(EventKind::issue); }

 protected:
  static bool before(const WaitingRequest& a, const WaitingRequest& b) { return a.io_class < b.io_class; }  // rt, be, idle
  bool aged(const WaitingRequest& rq, Nanoseconds at) const {
    return clock().jiffies(at) >= rq.inserted_tick + aging_ticks_;
  }
  bool alone_in_class(const WaitingRequest& rq) {
    return std::count_if(queued().begin(), queued().end(),
                         [&](const auto& entry) { return entry.second.io_class == rq.io_class; }) == 1;
  }

 private:
  std::uint64_t aging_ticks_;
};

class Priority : public ClassMonitor {
 public:
  using ClassMonitor::ClassMonitor;

 private:
  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr || aged(*rq, now())) return;
    judge(0);
    for (const auto& [id, other] : queued()) {
      if (!before(other, *rq) || !visible(other)) continue;
      violate({"class-order", fmt::format("request {} was issued while request {} of a higher class waited", rq->id, id),
               now(), id, 1, 0});
      return;
    }
  }
};

/// An aged request is not passed by one that is not aged. `all`: not more often than a batch, whoever else is in its class.
class Aging : public ClassMonitor {
 public:
  Aging(const RunFacts& run, bool all) : ClassMonitor(run), all_(all), bound_(all ? batch_limit(run) : 0) {}

 private:
  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr) return;
    for (const auto& [id, waiting] : queued()) {
      if (waiting.io_class == IoClass::rt || !visible(waiting) || !aged(waiting, chosen_after())) continue;
      if (!all_ && !alone_in_class(waiting)) continue;
      std::int64_t& passed = own(waiting).passed;
      if (id != rq->id && !aged(*rq, now())) ++passed;
      judge(passed);
      if (passed > bound_) {
        violate(
            {"aged-passed",
             fmt::format("request {} is older than prio_aging_expire and was passed {} times by younger ones", id, passed),
             now(), id, passed, bound_});
      }
    }
  }

  bool all_;
  std::int64_t bound_;
};

class AgingZero : public ClassMonitor {
 public:
  using ClassMonitor::ClassMonitor;

 private:
  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr) return;
    judge(0);
    for (const auto& [id, other] : queued()) {
      if (!before(other, *rq) || other.write != rq->write || other.fifo_place > rq->fifo_place || !visible(other)) continue;
      violate({"lower-class-first",
               fmt::format("request {} of a higher class came first and was passed by request {}", id, rq->id), now(), id, 1,
               0});
      return;
    }
  }
};

/// How many tags async_depth leaves to writes: its share of every word, rounded up.
std::int64_t async_tags(const RunFacts& facts) {
  const auto depth = static_cast<std::int64_t>(facts.block.nr_requests);
  const std::int64_t setting = tunable(facts, "async_depth");
  const std::int64_t word = tags_in_word(depth);
  if (setting == 0 || setting >= depth) return depth;
  return tags_of_words(depth, (setting * word + depth - 1) / depth);
}

bool is_mq_deadline(const RunFacts& facts) { return runs(facts, "mq-deadline") && facts.tunables.has_value(); }
bool ages_at_once(const RunFacts& facts) { return is_mq_deadline(facts) && tunable(facts, "prio_aging_expire") == 0; }
bool ages_later(const RunFacts& facts) { return is_mq_deadline(facts) && tunable(facts, "prio_aging_expire") > 0; }

constexpr const char* patch = "block/mq-deadline.c (6.1) and the patches that added priorities (linux-block, June 2021)";

}  // namespace

Property mq_deadline_priority() {
  return {"mq-deadline.priority",
          "A request of a lower class is issued only if none of a higher class is queued, or if it is older than "
          "prio_aging_expire.",
          patch,
          "0 requests out of class order",
          is_mq_deadline,
          make_monitor<Priority>,
          nullptr};
}

Property mq_deadline_aging() {
  return {"mq-deadline.aging",
          "A request of a lower class that is alone in its class and older than prio_aging_expire is not passed by younger "
          "requests.",
          patch,
          "0 younger requests issued before it",
          ages_later,
          [](const RunFacts& facts) -> std::unique_ptr<Monitor> { return std::make_unique<Aging>(facts, false); },
          nullptr};
}

Property mq_deadline_aging_any() {
  return {"mq-deadline.aging-any",
          "A request of a lower class that is older than prio_aging_expire is passed by at most a batch of younger "
          "requests. (Refuted: the aging pass "
          "looks only at the request that its class would serve next, and a young one there blocks it.)",
          patch,
          "fifo_batch younger requests",
          ages_later,
          [](const RunFacts& facts) -> std::unique_ptr<Monitor> { return std::make_unique<Aging>(facts, true); },
          nullptr,
          true};
}

Property mq_deadline_aging_zero() {
  return {"mq-deadline.aging-zero",
          "With prio_aging_expire = 0 a lower class never goes before an older request of a higher one. (Refuted: every "
          "request is aged at once, and "
          "the aging pass begins with the lower classes.)",
          "linux-block 20231205053213.522772-4-bvanassche@acm.org",
          "0 requests of a lower class before an older one of a higher class and the same direction",
          ages_at_once,
          make_monitor<AgingZero>,
          nullptr,
          true};
}

Property mq_deadline_async_depth() {
  return {"mq-deadline.async-depth",
          "Writes hold at most the share of the scheduler's tags that async_depth leaves them.",
          "block/mq-deadline.c (6.1): dd_limit_depth; lib/sbitmap.c: a shallow depth counts in each word",
          "async_depth, rounded up to a whole number of tags in each word of the tag map; in requests",
          [](const RunFacts& facts) { return is_mq_deadline(facts) && facts.block.nr_requests != 0; },
          [](const RunFacts& facts) -> std::unique_ptr<Monitor> {
            return std::make_unique<AsyncTags>([](Op op, ReqFlags) { return is_write(op); }, async_tags(facts));
          },
          nullptr};
}

}  // namespace elvcheck::property
