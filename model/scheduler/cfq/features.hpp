// SPDX-License-Identifier: GPL-2.0-or-later
// What CFQ can be told: its versions, tunables and features.
//
// A feature is one difference between versions, or one defect as it was, under a name; a version is a column of presets for
// them. Features are stored like tunables ("cfq.preempt-resets-workload=1"), so that "which change did it?" is a run with
// one of them turned. The unit of time is no feature: 2.6.34 to 4.4 count ticks, 4.19 counts nanoseconds.
#pragma once

#include <array>
#include <span>

#include "model/scheduler/cfq/units.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck::cfq {

enum class Version : std::uint8_t { v2_6_34, v2_6_35, v4_4, v4_19 };
inline constexpr std::size_t version_count = 4;

/// Differences between versions; the table in features.cpp has the presets and a sentence for each.
struct Features {
  bool group_scheduling;
  bool hierarchical_weights;
  bool async_queues_by_group;
  bool iops_mode;
  bool group_idle_on_fast;
  bool group_idle_think_time;
  bool ancestor_preempts;
  bool tree_think_time;
  bool zero_slice_idle_never_idles;
  bool noidle_on_noidle_tree;
  bool stop_fast_seeky_idle;
  bool wait_busy_only_empty;
  bool wait_busy_below_tick;
  bool forced_fifo;
  bool sole_sync_unlimited;
  bool preempt_resets_workload;
  bool preempt_unidled_empty;
  bool noidle_preempts_pair_only;
  bool rt_preempts_first;
  bool resid_when_unstarted;
  bool new_workload_on_class_change;
  bool alias_dispatch;
  bool drop_emptied_queue;
  bool merge_across_queues;
  bool merge_checks_target;
  bool split_drops_chain;
  bool idle_key_after_last;
  bool prio_flag;
  bool prio_boost;
  bool async_slot_adopts_old;
  bool async_ioprio_lags;
  bool journal_yield;
  bool yield_guard;
  bool yield_ends_on_own_request;
  bool yield_keeps_residual;
};

/// The kernel's tunables, times in the version's unit.
struct Tunables {
  Time quantum;
  std::array<Time, 2> fifo_expire;  ///< async, sync
  Time back_seek_sectors;
  Time back_seek_penalty;
  Time slice_sync;
  Time slice_async;
  Time slice_async_rq;
  Time slice_idle;
  Time group_idle;
  Time target_latency;
  bool low_latency;
  bool group_isolation;
};

/// The table of tunables and features of a version.
std::span<const TunableInfo> tunable_table(Version version);

/// Stores the defaults that are not the table's: the kernel computes them in ticks, and 4.x does not idle on fast devices.
void store_local_defaults(Version version, TunableValues& values, const BlockSettings& block, const DeviceInfo& device);

Features read_features(const TunableValues& values);
Tunables read_tunables(const TunableValues& values, const Units& units);

}  // namespace elvcheck::cfq
