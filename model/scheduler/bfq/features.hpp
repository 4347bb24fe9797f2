// SPDX-License-Identifier: GPL-2.0-or-later
// What BFQ consists of, heuristic by heuristic, and what differs between its versions. Each can be switched alone, so that
// "which heuristic did it?" can be asked; switched off, the decision falls as if the heuristic's condition never held.
#pragma once

#include <span>

namespace elvcheck::bfq {

struct Features {
  // Engine.
  bool repaired_search = false;  ///< serve the least finish among the eligible, not what the shipped search finds
  bool idle_class_turn = true;   ///< the idle class may go first every 200 ms
  bool budget_resume = true;     ///< a queue that comes back in time goes on with its budget and its old stamps
  bool preemption = true;        ///< a newly busy queue may end the slot of the one in service
  // Budgets and rates.
  bool budget_feedback = true;  ///< budgets learn from the reason why a slot ended
  bool time_charge = true;      ///< slow queues are charged for time instead of sectors
  bool async_charge = true;     ///< asynchronous requests count three times
  bool peak_rate = true;        ///< the device's rate is estimated
  bool fifo_expiry = true;      ///< once in a slot an expired request is served out of order of sector
  bool depth_limits = true;     ///< writes and asynchronous requests get fewer scheduler tags
  // Idling.
  bool idling_for_throughput = true;
  bool idling_for_guarantees = true;
  bool small_request_rule = true;  ///< a small request does not end idling that boosts throughput
  bool think_time = true;          ///< queues of processes that think long are not waited for
  bool io_bound = true;            ///< neither are those with little I/O
  // Injection.
  bool injection = true;        ///< others are served while the device idles for a queue
  bool waker_detection = true;  ///< queues that wake each other are served first in such holes
  // Weight raising; all of it needs the tunable low_latency.
  bool interactive_raising = true;
  bool soft_rt_raising = true;
  bool async_raising = true;    ///< asynchronous queues after half a second of quiet
  bool burst_detection = true;  ///< queues created in large bursts are not raised
  // Merging of queues.
  bool cooperator_merging = true;  ///< queues of processes with interleaved requests (early queue merge)
  bool stable_merging = true;      ///< queues of processes created close together
  bool queue_splitting = true;     ///< a shared queue that turns seeky is split
  // From 6.1 to 6.12.
  bool inject_clock_starts_now = false;  ///< a new queue's injection limit was "last decreased" now, not at tick 0
  bool inject_skips_large = false;  ///< large requests are passed over while something is at the device; the limit is kept
  bool stable_ref_held_to_end = false;    ///< the reference of a pending stable merge is dropped after the merge is set up
  bool split_always_resumes = false;      ///< saved state is resumed after a split whoever else uses the queue
  bool depth_of_whole_map = false;        ///< depth limits count requests, not bits of each word of the tag map
  int pending_groups_are_asymmetric = 1;  ///< from how many groups with requests on a scenario is asymmetric
};

constexpr Features features_6_1() { return Features{}; }
constexpr Features features_6_12() {
  Features features;
  features.inject_clock_starts_now = true;
  features.inject_skips_large = true;
  features.stable_ref_held_to_end = true;
  features.split_always_resumes = true;
  features.depth_of_whole_map = true;
  features.pending_groups_are_asymmetric = 2;
  return features;
}

/// A switch by name: "repaired-search".
struct FeatureInfo {
  const char* name;
  bool Features::*member;
  const char* meaning;  ///< what the scheduler does with it, in one sentence
};
std::span<const FeatureInfo> feature_table();

}  // namespace elvcheck::bfq
