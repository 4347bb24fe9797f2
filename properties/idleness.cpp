// SPDX-License-Identifier: GPL-2.0-or-later
// bounded-idleness: a scheduler that never idles on purpose keeps the device busy while requests wait.
//
// mq-deadline has a gap there. It gives out nothing of a lower class while a request of a higher one is at the device; the
// block layer, which got nothing although there is work, tries again after 3 ms, and the completion in between does not
// start it. So a device can stand idle for up to that time before a lower class is served. The bound knows it;
// mq-deadline.no-idling is the promise without it, and a case shows that it does not hold.
#include <fmt/format.h>

#include <algorithm>

#include "properties/definitions.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck::property {

namespace {

class BoundedIdleness : public QueueMonitor {
 public:
  BoundedIdleness(const RunFacts& run, bool excuse_classes)
      : QueueMonitor(run),
        excuse_classes_(excuse_classes),
        sequences_enter_(run.scheduler->flavour == BlockFlavour::multi_queue_6_12),
        bound_(allowed(run)),
        mixed_bound_(std::max(bound_, retry(run))) {}

  void finish(Nanoseconds end, bool complete_run) override {
    if (complete_run && idle_) check(std::max(end, since_ + bound() + 1ns));
  }

  EventKinds wants() const override { return 0; }  // before() and after() do it

 private:
  bool looks_at_all() const override { return true; }
  void before(const TraceEvent& event) override {
    if (idle_ && event.at > since_) check(event.at);  // until now the device has been idle
  }
  void after(const TraceEvent& event) override {
    if (!single_class()) mixed_ = excuse_classes_;
    // In 6.12 the data of a flush sequence count for their class, too, and the books do not know them.
    if (sequences_enter_ && excuse_classes_ && op_is_flush(event.op, event.flags)) bound_ = mixed_bound_;
    if (queued().empty() && device_load() == 0) mixed_ = false;
    const bool idle = device_load() == 0 && !queued().empty();
    if (idle && !idle_) since_ = event.at;
    idle_ = idle;
  }

  static Nanoseconds allowed(const RunFacts& run) {
    if (!run.simulated) return 1ms;
    // A refusal of the driver is repeated after 3 ms, and a queue of 2.6.35 stays plugged for 3 ms, both rounded to ticks.
    return run.block.refuse_every != 0 || run.scheduler->flavour == BlockFlavour::single_queue_2_6_35 ? retry(run) : 0ms;
  }
  static Nanoseconds retry(const RunFacts& run) { return 3ms + Nanoseconds(2'000'000'000 / run.block.hz); }
  Nanoseconds bound() const { return mixed_ ? mixed_bound_ : bound_; }

  void check(Nanoseconds at) {
    const Nanoseconds gap = at - since_;
    judge(gap.count());
    if (gap <= bound()) return;
    const WaitingRequest& rq = queued().begin()->second;
    violate({"idle", fmt::format("the device was idle for {} ns although request {} was queued", gap.count(), rq.id), at,
             rq.id, gap.count(), bound().count()});
  }

  bool excuse_classes_;
  bool sequences_enter_;
  Nanoseconds bound_;
  Nanoseconds mixed_bound_;  // once requests of several classes have met
  bool mixed_ = false;
  Nanoseconds since_{0};
  bool idle_ = false;
};

}  // namespace

Property bounded_idleness() {
  return {"bounded-idleness",
          "While a request is queued in a scheduler that does not idle on purpose, the device is busy.",
          "block/noop-iosched.c, deadline-iosched.c, mq-deadline.c, kyber-iosched.c: dispatch returns a request whenever "
          "one is queued; "
          "blk_plug_device (2.6.35): "
          "3 ms",
          "0 ns; 3 ms and 2 ticks behind a plug of 2.6.35, a refusal of the driver or a higher class of mq-deadline; 1 ms "
          "on a real machine",
          [](const RunFacts& facts) {
            return runs(facts, "noop") || runs(facts, "none") || runs(facts, "deadline") || runs(facts, "mq-deadline") ||
                   runs(facts, "kyber");
          },
          [](const RunFacts& facts) -> std::unique_ptr<Monitor> { return std::make_unique<BoundedIdleness>(facts, true); },
          nullptr};
}

Property mq_deadline_no_idling() {
  return {"mq-deadline.no-idling",
          "The device is busy while a request is queued, whatever its class. (Refuted: after a request of a higher class a "
          "lower one waits for the "
          "retry of the block layer.)",
          "block/mq-deadline.c (6.1): it has no timer; block/blk-mq-sched.c: BLK_MQ_BUDGET_DELAY",
          "0 ns; 3 ms and 2 ticks behind a refusal of the driver; 1 ms on a real machine",
          [](const RunFacts& facts) { return runs(facts, "mq-deadline"); },
          [](const RunFacts& facts) -> std::unique_ptr<Monitor> { return std::make_unique<BoundedIdleness>(facts, false); },
          nullptr,
          true};
}

}  // namespace elvcheck::property
