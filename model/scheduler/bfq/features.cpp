// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/bfq/features.hpp"

#include <array>

namespace elvcheck::bfq {

std::span<const FeatureInfo> feature_table() {
  static constexpr std::array<FeatureInfo, 29> table{{
      {"repaired-search", &Features::repaired_search,
       "serve the least finish among the eligible, not what the shipped search finds"},
      {"idle-class-turn", &Features::idle_class_turn, "the idle class may go first every 200 ms"},
      {"budget-resume", &Features::budget_resume,
       "a queue that comes back in time goes on with its budget and its old stamps"},
      {"preemption", &Features::preemption, "a newly busy queue may end the slot of the one in service"},
      {"budget-feedback", &Features::budget_feedback, "budgets learn from the reason why a slot ended"},
      {"time-charge", &Features::time_charge, "slow queues are charged for time instead of sectors"},
      {"async-charge", &Features::async_charge, "asynchronous requests count three times"},
      {"peak-rate", &Features::peak_rate, "the device's rate is estimated"},
      {"fifo-expiry", &Features::fifo_expiry, "once in a slot an expired request is served out of order of sector"},
      {"depth-limits", &Features::depth_limits, "writes and asynchronous requests get fewer scheduler tags"},
      {"idling-for-throughput", &Features::idling_for_throughput,
       "the device idles for a queue where that raises throughput"},
      {"idling-for-guarantees", &Features::idling_for_guarantees,
       "the device idles where shares could not be kept otherwise"},
      {"small-request-rule", &Features::small_request_rule, "a small request does not end idling that boosts throughput"},
      {"think-time", &Features::think_time, "queues of processes that think long are not waited for"},
      {"io-bound", &Features::io_bound, "neither are those with little I/O"},
      {"injection", &Features::injection, "others are served while the device idles for a queue"},
      {"waker-detection", &Features::waker_detection, "queues that wake each other are served first in such holes"},
      {"interactive-raising", &Features::interactive_raising, "new and long idle queues are raised as interactive"},
      {"soft-rt-raising", &Features::soft_rt_raising,
       "queues with a low bandwidth and regular pauses are raised as soft real-time"},
      {"async-raising", &Features::async_raising, "asynchronous queues after half a second of quiet"},
      {"burst-detection", &Features::burst_detection, "queues created in large bursts are not raised"},
      {"cooperator-merging", &Features::cooperator_merging,
       "queues of processes with interleaved requests (early queue merge)"},
      {"stable-merging", &Features::stable_merging, "queues of processes created close together"},
      {"queue-splitting", &Features::queue_splitting, "a shared queue that turns seeky is split"},
      {"inject-clock-starts-now", &Features::inject_clock_starts_now,
       "the injection limit of a new queue counts as lowered just now, not at tick 0"},
      {"inject-skips-large", &Features::inject_skips_large,
       "large requests are passed over while something is at the device; the limit is kept"},
      {"stable-ref-held-to-end", &Features::stable_ref_held_to_end,
       "the reference of a pending stable merge is dropped after the merge is set up"},
      {"split-always-resumes", &Features::split_always_resumes,
       "saved state is resumed after a split whoever else uses the queue"},
      {"depth-of-whole-map", &Features::depth_of_whole_map,
       "depth limits count requests, not bits of each word of the tag map"},
  }};
  return table;
}

}  // namespace elvcheck::bfq
