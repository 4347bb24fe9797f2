// SPDX-License-Identifier: GPL-2.0-or-later
// What sets the releases of the out-of-tree BFQ of 2014 apart, and what they consist of; and their tunables.
//
// Between v7r4 (for 3.15) and v7r5 (for 3.16) only the first two differ. Each release came as a base patch and a second one,
// Early Queue Merge, which is on unless early-queue-merge is switched off. Switched off, a heuristic decides as if its
// condition never held.
#pragma once

#include <array>
#include <span>

#include "model/core/scenario.hpp"
#include "model/device/device.hpp"
#include "model/scheduler/bfq/kernel_time.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck::bfq_v7 {

using bfq::Jiffies;

enum class Release { v7r4, v7r5 };

struct Features {
  bool io_bound;           ///< a queue that leaves most of its budget unused is not waited for (v7r5)
  bool cooperation_limit;  ///< a process that was merged twice is not weight-raised (v7r5)
  bool early_queue_merge;
  bool queue_splitting;
  bool repaired_search;
  bool idle_class_turn;
  bool budget_feedback;
  bool full_budget_charge;
  bool peak_rate;
  bool fifo_expiry;
  bool think_time;
  bool small_request_rule;
  bool interactive_raising;
  bool soft_rt_raising;
  bool async_raising;
  bool kind_known_late;  ///< as with the scheduler that a driver's queues start with
};

/// queue/iosched/*, in the units in which the scheduler uses them.
struct Tunables {
  std::int64_t quantum;
  std::array<Jiffies, 2> fifo_expire;  ///< async, sync
  std::int64_t back_seek_sectors;
  std::int64_t back_seek_penalty;
  Jiffies slice_idle;
  std::int64_t user_max_budget;  ///< sectors; 0: autotuned
  std::int64_t max_budget_async_rq;
  std::array<Jiffies, 2> timeout;  ///< async, sync
  bool low_latency;
  std::int64_t wr_coeff;
  Jiffies wr_max_time;  ///< 0: from the device's peak rate
  Jiffies wr_rt_max_time;
  Jiffies wr_min_idle_time;
  Jiffies wr_min_inter_arr_async;
  std::int64_t wr_max_softrt_rate;  ///< sectors a second; 0: no soft real-time
};

/// Tunables, then features.
std::span<const TunableInfo> tunable_table(Release release);
/// The kernel divides its tick rate; what sysfs then shows is the tick count in milliseconds.
void store_local_defaults(TunableValues& values, const BlockSettings& block, const DeviceInfo& device);
Features read_features(const TunableValues& values);
Tunables read_tunables(const TunableValues& values, const bfq::KernelTime& time);

}  // namespace elvcheck::bfq_v7
