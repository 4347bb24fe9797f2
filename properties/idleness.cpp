// SPDX-License-Identifier: GPL-2.0-or-later
// bounded-idleness: a scheduler that never idles on purpose keeps the device busy while requests wait.
#include <algorithm>

#include <fmt/format.h>

#include "properties/definitions.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck::property {

namespace {

class BoundedIdleness : public QueueMonitor {
 public:
  explicit BoundedIdleness(const RunFacts& run) : QueueMonitor(run), bound_(allowed(run)) {}

  void on_event(const TraceEvent& event) override {
    // Looked at before the event is booked: until now the device has been idle.
    if (idle_ && event.at > since_) check(event.at);
    QueueMonitor::on_event(event);
    const bool idle = device_load() == 0 && !queued().empty();
    if (idle && !idle_) since_ = event.at;
    idle_ = idle;
  }

  void finish(Nanoseconds end, bool complete_run) override {
    if (complete_run && idle_) check(std::max(end, since_ + bound_ + 1ns));
  }

 private:
  static Nanoseconds allowed(const RunFacts& run) {
    if (!run.simulated) return 1ms;
    if (run.block.refuse_every != 0) return 3ms + 2 * tick(run);  // a refusal is repeated after 3 ms, in ticks
    // The queue of 2.6.35 stays plugged for 3 ms, rounded to ticks.
    return run.scheduler->flavour == BlockFlavour::single_queue_2_6_35 ? 3ms + 2 * tick(run) : 0ms;
  }
  static Nanoseconds tick(const RunFacts& run) { return Nanoseconds(1'000'000'000 / run.block.hz); }

  void check(Nanoseconds at) {
    const Nanoseconds gap = at - since_;
    judge(gap.count());
    if (gap <= bound_) return;
    const WaitingRequest& rq = queued().begin()->second;
    violate({"idle", fmt::format("the device was idle for {} ns although request {} was queued", gap.count(), rq.id), at, rq.id, gap.count(),
             bound_.count()});
  }

  Nanoseconds bound_;
  Nanoseconds since_{0};
  bool idle_ = false;
};

}  // namespace

Property bounded_idleness() {
  return {"bounded-idleness",
          "While a request is queued in a scheduler that does not idle on purpose, the device is busy.",
          "block/noop-iosched.c, deadline-iosched.c, mq-deadline.c: dispatch returns a request whenever one is queued; blk_plug_device (2.6.35): "
          "3 ms",
          "0 ns; 3 ms and 2 ticks behind a plug of 2.6.35 or a refusal of the driver; 1 ms on a real machine",
          [](const RunFacts& facts) { return runs(facts, "noop") || runs(facts, "none") || runs(facts, "deadline") || runs(facts, "mq-deadline"); },
          make_monitor<BoundedIdleness>,
          nullptr};
}

}  // namespace elvcheck::property
