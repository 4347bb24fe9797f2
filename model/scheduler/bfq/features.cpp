// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/bfq/features.hpp"

#include <array>

namespace elvcheck::bfq {

std::span<const FeatureInfo> feature_table() {
  static constexpr std::array<FeatureInfo, 29> table{{
      {"repaired-search", &Features::repaired_search},
      {"idle-class-turn", &Features::idle_class_turn},
      {"budget-resume", &Features::budget_resume},
      {"preemption", &Features::preemption},
      {"budget-feedback", &Features::budget_feedback},
      {"time-charge", &Features::time_charge},
      {"async-charge", &Features::async_charge},
      {"peak-rate", &Features::peak_rate},
      {"fifo-expiry", &Features::fifo_expiry},
      {"depth-limits", &Features::depth_limits},
      {"idling-for-throughput", &Features::idling_for_throughput},
      {"idling-for-guarantees", &Features::idling_for_guarantees},
      {"small-request-rule", &Features::small_request_rule},
      {"think-time", &Features::think_time},
      {"io-bound", &Features::io_bound},
      {"injection", &Features::injection},
      {"waker-detection", &Features::waker_detection},
      {"interactive-raising", &Features::interactive_raising},
      {"soft-rt-raising", &Features::soft_rt_raising},
      {"async-raising", &Features::async_raising},
      {"burst-detection", &Features::burst_detection},
      {"cooperator-merging", &Features::cooperator_merging},
      {"stable-merging", &Features::stable_merging},
      {"queue-splitting", &Features::queue_splitting},
      {"inject-clock-starts-now", &Features::inject_clock_starts_now},
      {"inject-skips-large", &Features::inject_skips_large},
      {"stable-ref-held-to-end", &Features::stable_ref_held_to_end},
      {"split-always-resumes", &Features::split_always_resumes},
      {"depth-of-whole-map", &Features::depth_of_whole_map},
  }};
  return table;
}

}  // namespace elvcheck::bfq
