// SPDX-License-Identifier: GPL-2.0-or-later
// How much CFQ lets into the device: quantum, the quota of an async slice, the async ramp.
#include <fmt/format.h>

#include <algorithm>

#include "properties/cfq_monitor.hpp"
#include "properties/definitions.hpp"

namespace elvcheck::property {

namespace {

/// Whether a request of another queue waits. Knows processes by their queue, so it is asked only before queues are merged.
bool others_wait(const FlatMap<RequestId, CfqRequest>& waiting, const CfqQueueKey& queue, bool sync_only) {
  return std::any_of(waiting.begin(), waiting.end(), [&](const auto& entry) {
    return entry.second.queue != queue && (!sync_only || entry.second.queue.sync);
  });
}
bool any_odd(const FlatMap<RequestId, CfqRequest>& waiting) {
  return std::any_of(waiting.begin(), waiting.end(), [](const auto& entry) { return entry.second.odd; });
}

class Quantum : public CfqMonitor {
 public:
  explicit Quantum(const RunFacts& run)
      : CfqMonitor(run),
        quantum_(cfq_value(run, "quantum")),
        sole_sync_free_(cfq_value(run, "sole-sync-unlimited") != 0),
        expired_free_(cfq_value(run, "forced-fifo") != 0) {}

 private:
  void on_choice(const CfqRequest& rq, Way way, const TraceEvent&) override {
    // In 4.x a slice that has seen an expired request goes on until that one is out.
    if (way == Way::alias || way == Way::forced || (way == Way::expired && expired_free_) || merged() || rq.odd) return;
    if (any_odd(waiting()) || !others_wait(waiting(), rq.queue, sole_sync_free_ && rq.queue.sync)) return;
    const std::int64_t bound = rq.io_class == IoClass::idle ? 1 : quantum_;
    const std::int64_t with_it = inside(rq.queue) + 1;
    judge(with_it);
    if (with_it <= bound) return;
    violate({"too-deep",
             fmt::format("request {} is number {} of its queue inside the device, and others wait", rq.id, with_it), now(),
             rq.id, with_it, bound});
  }

  std::int64_t quantum_;
  bool sole_sync_free_;
  bool expired_free_;
};

class AsyncQuota : public CfqMonitor {
 public:
  explicit AsyncQuota(const RunFacts& run) : CfqMonitor(run), base_(cfq_value(run, "slice_async_rq")) {}

 private:
  void on_slice() override { over_ = false; }
  void on_choice(const CfqRequest& rq, Way way, const TraceEvent&) override {
    if (way == Way::alias || way == Way::forced || rq.queue.sync || rq.odd) return;
    const std::int64_t bound = 2 * base_ * (8 - static_cast<std::int64_t>(rq.level));
    const std::int64_t number = in_slice() + 1;
    judge(over_ ? number : std::min(number, bound));
    if (over_) {
      violate({"slice-too-full",
               fmt::format("request {} is number {} of an async slice, and others waited when the quota was reached", rq.id,
                           number),
               now(), rq.id, number, bound});
    }
    if (number >= bound && !merged() && !any_odd(waiting())) over_ = others_wait(waiting(), rq.queue, false);
  }

  std::int64_t base_;
  bool over_ = false;  // the quota was reached while others waited
};

class AsyncRamp : public CfqMonitor {
 public:
  explicit AsyncRamp(const RunFacts& run)
      : CfqMonitor(run),
        slice_sync_(std::chrono::milliseconds(cfq_value(run, "slice_sync"))),
        old_(std::chrono::milliseconds(cfq_value(run, "fifo_expire_sync"))),
        tick_(Nanoseconds(1'000'000'000 / run.block.hz)) {}

 private:
  void on_completion(const CfqRequest& rq, Nanoseconds allocated_at) override {
    // Ticks are counted in full or not at all: only what is delayed for certain resets the ramp here.
    if (rq.queue.sync && now() - allocated_at >= old_ + 2 * tick_) delayed_at_ = now();
  }
  void on_choice(const CfqRequest& rq, Way way, const TraceEvent&) override {
    if (way != Way::next || rq.queue.sync || rq.odd || merged()) return;
    const std::int64_t grown = (now() - delayed_at_ + 2 * tick_) / std::max(slice_sync_ - tick_, Nanoseconds(1));
    const std::int64_t bound = std::max<std::int64_t>(grown, 1);
    const std::int64_t with_it = inside(rq.queue) + 1;
    judge(with_it);
    if (with_it <= bound) return;
    violate({"too-deep",
             fmt::format("request {} is number {} of its async queue inside the device, {} ns after a sync one was delayed",
                         rq.id, with_it, (now() - delayed_at_).count()),
             now(), rq.id, with_it, bound});
  }

  Nanoseconds slice_sync_;
  Nanoseconds old_;
  Nanoseconds tick_;
  Nanoseconds delayed_at_ = -1s;  // as at boot
};

}  // namespace

Property cfq_quantum() {
  return {"cfq.quantum",
          "While others wait a queue has at most quantum requests inside the device, one of the idle class at most 1.",
          "Documentation/block/cfq-iosched.txt: quantum; block/cfq-iosched.c: cfq_may_dispatch",
          "quantum requests; no limit for the only busy queue, nor for the only busy sync queue from 2.6.39 on",
          is_plain_cfq,
          make_monitor<Quantum>,
          nullptr};
}

Property cfq_async_quota() {
  return {"cfq.async-quota",
          "An async queue sends at most 2 x slice_async_rq x (8 - level) requests in a slice once others wait.",
          "block/cfq-iosched.c (2.6.34 to 4.20): cfq_prio_to_maxrq",
          "2 x slice_async_rq x (8 - level) requests",
          is_plain_cfq,
          make_monitor<AsyncQuota>,
          nullptr};
}

Property cfq_async_ramp() {
  return {"cfq.async-ramp",
          "Under low_latency an async queue has at most one request inside the device for each slice_sync that has passed "
          "since a sync request took longer than fifo_expire_sync.",
          "block/cfq-iosched.c (2.6.34 to 4.20): cfq_may_dispatch, last_delayed_sync",
          "max(1, time since then / slice_sync) requests, times give or take a tick",
          [](const RunFacts& facts) { return is_plain_cfq(facts) && cfq_value(facts, "low_latency") != 0; },
          make_monitor<AsyncRamp>,
          nullptr};
}

}  // namespace elvcheck::property
