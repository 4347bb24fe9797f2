// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/cfq/features.hpp"

#include <algorithm>
#include <climits>
#include <vector>

namespace elvcheck::cfq {

namespace {

// The kernel takes times up to UINT_MAX ms; from about a minute on, its products of two nanosecond times leave 64 bits.
constexpr std::int64_t longest_ms = 60'000;
constexpr std::int64_t largest_back_seek = INT_MAX;

struct Row {
  std::array<bool, version_count> exists;  // in 2.6.34, 2.6.35, 4.4, 4.19
  TunableInfo info;
};

// Documentation/block/cfq-iosched.txt; defaults from the head of block/cfq-iosched.c.
constexpr std::array<Row, 13> kernel_tunables{{
    {{1, 1, 1, 1}, {"quantum", "requests", 8, 1, INT_MAX, "requests of one queue that may be inside the device"}},
    {{1, 1, 1, 1}, {"fifo_expire_sync", "ms", 125, 1, longest_ms, "age at which a sync request is expired"}},
    {{1, 1, 1, 1}, {"fifo_expire_async", "ms", 250, 1, longest_ms, "age at which an async request is expired"}},
    {{1, 1, 1, 1},
     {"back_seek_max", "KiB", 16384, 0, largest_back_seek, "how far back a request may lie and still be near"}},
    {{1, 1, 1, 1}, {"back_seek_penalty", "", 2, 1, INT_MAX, "factor by which a way back counts as longer"}},
    {{1, 1, 1, 1}, {"slice_sync", "ms", 100, 1, longest_ms, "slice of a sync queue of level 4"}},
    {{1, 1, 1, 1}, {"slice_async", "ms", 40, 1, longest_ms, "slice of an async queue of level 4"}},
    {{1, 1, 1, 1}, {"slice_async_rq", "requests", 2, 1, INT_MAX, "base for the most requests in an async slice"}},
    {{1, 1, 1, 1}, {"slice_idle", "ms", 8, 0, longest_ms, "how long to wait for the next request of a queue"}},
    {{0, 0, 1, 1}, {"group_idle", "ms", 8, 0, longest_ms, "how long to wait for the next request of a group"}},
    {{1, 1, 1, 1}, {"low_latency", "", 1, 0, 1, "whether slices shrink as queues are added"}},
    {{0, 0, 1, 1}, {"target_latency", "ms", 300, 1, longest_ms, "time in which every queue is to be served once"}},
    {{1, 1, 0, 0}, {"group_isolation", "", 0, 0, 1, "whether sync-noidle queues stay in their own group"}},
}};

struct FeatureRow {
  const char* name;
  bool Features::*member;
  std::array<bool, version_count> presets;  // 2.6.34, 2.6.35, 4.4, 4.19
  const char* meaning;
};

constexpr std::array<FeatureRow, 35> feature_rows{{
    {"group-scheduling", &Features::group_scheduling, {1, 1, 1, 1}, "built with CONFIG_CFQ_GROUP_IOSCHED"},
    {"hierarchical-weights", &Features::hierarchical_weights, {0, 0, 1, 1}, "a group's share follows the tree of cgroups"},
    {"async-queues-by-group", &Features::async_queues_by_group, {0, 0, 1, 1}, "each group has async queues of its own"},
    {"iops-mode", &Features::iops_mode, {0, 0, 1, 1}, "with slice_idle 0 and NCQ, groups are charged by requests"},
    {"group-idle-on-fast", &Features::group_idle_on_fast, {0, 0, 0, 1}, "group_idle works on fast devices with NCQ"},
    {"group-idle-think-time",
     &Features::group_idle_think_time,
     {0, 0, 0, 1},
     "no group idling when the tree thinks too long"},
    {"ancestor-preempts", &Features::ancestor_preempts, {0, 0, 0, 1}, "a queue may preempt one of a descendant group"},
    {"tree-think-time",
     &Features::tree_think_time,
     {0, 0, 1, 1},
     "think time of trees and groups limits idling; async is not counted"},
    {"zero-slice-idle-never-idles", &Features::zero_slice_idle_never_idles, {0, 0, 1, 1}, "slice_idle 0 ends all waiting"},
    {"noidle-on-noidle-tree",
     &Features::noidle_on_noidle_tree,
     {0, 0, 1, 1},
     "a queue is on the sync-noidle tree while its next request is NOIDLE, and that tree is always idled on (2.6.37)"},
    {"stop-fast-seeky-idle",
     &Features::stop_fast_seeky_idle,
     {0, 0, 1, 1},
     "a seeky queue that uses little of its slice is not idled on"},
    {"wait-busy-only-empty",
     &Features::wait_busy_only_empty,
     {0, 0, 1, 1},
     "only an empty queue is waited for at the end of its slice"},
    {"wait-busy-below-tick", &Features::wait_busy_below_tick, {0, 0, 0, 1}, "less than a tick of slice left counts as one"},
    {"forced-fifo", &Features::forced_fifo, {0, 0, 1, 1}, "an expired request is dispatched whatever is inside the device"},
    {"sole-sync-unlimited", &Features::sole_sync_unlimited, {0, 0, 1, 1}, "the only busy sync queue has no quantum"},
    {"preempt-resets-workload",
     &Features::preempt_resets_workload,
     {0, 0, 1, 1},
     "a preemption across types ends the workload slice"},
    {"preempt-unidled-empty",
     &Features::preempt_unidled_empty,
     {0, 0, 1, 1},
     "an empty queue that is not idled on can be preempted"},
    {"noidle-preempts-pair-only",
     &Features::noidle_preempts_pair_only,
     {1, 1, 1, 0},
     "noidle preempts noidle only when they are two"},
    {"rt-preempts-first",
     &Features::rt_preempts_first,
     {0, 0, 0, 1},
     "the RT rule comes before the noidle and metadata rules"},
    {"resid-when-unstarted",
     &Features::resid_when_unstarted,
     {0, 0, 1, 1},
     "a slice preempted before its start is made up for"},
    {"new-workload-on-class-change",
     &Features::new_workload_on_class_change,
     {0, 0, 1, 1},
     "another class starts a new workload slice"},
    {"alias-dispatch", &Features::alias_dispatch, {1, 1, 0, 0}, "an equal sector pushes the queued request out"},
    {"drop-emptied-queue", &Features::drop_emptied_queue, {0, 0, 1, 1}, "a queue emptied by a merge leaves the tree"},
    {"merge-across-queues", &Features::merge_across_queues, {1, 1, 1, 0}, "requests of two queues may become one"},
    {"merge-checks-target", &Features::merge_checks_target, {0, 1, 1, 1}, "no queue merge into a queue without processes"},
    {"split-drops-chain", &Features::split_drops_chain, {0, 1, 1, 1}, "a split gives up the pending merges of the queue"},
    {"idle-key-after-last",
     &Features::idle_key_after_last,
     {1, 1, 1, 0},
     "an idle-class queue waits behind the last one's key"},
    {"prio-flag", &Features::prio_flag, {0, 0, 1, 1}, "urgent is what carries PRIO, not META"},
    {"prio-boost", &Features::prio_boost, {0, 0, 0, 1}, "a PRIO request lifts its queue to BE, level 4"},
    {"async-slot-adopts-old",
     &Features::async_slot_adopts_old,
     {1, 1, 0, 0},
     "after an ioprio change the old async queue is put into the new level's slot if that is empty"},
    {"async-ioprio-lags", &Features::async_ioprio_lags, {0, 0, 1, 1}, "async I/O follows an ioprio change one change late"},
    {"journal-yield", &Features::journal_yield, {0, 0, 0, 0}, "0 off, 1: the yield of the RFC v5 of June 2010 (yield.cpp)"},
    {"yield-guard", &Features::yield_guard, {1, 1, 1, 1}, "no yield while another reader lives on the sync-noidle tree"},
    {"yield-ends-on-own-request",
     &Features::yield_ends_on_own_request,
     {0, 0, 0, 0},
     "a request of the yielding process ends it"},
    {"yield-keeps-residual",
     &Features::yield_keeps_residual,
     {0, 0, 0, 0},
     "a queue that yields keeps what its slice has left"},
}};

std::vector<TunableInfo> build_table(Version version) {
  const auto column = static_cast<std::size_t>(version);
  std::vector<TunableInfo> table;
  for (const Row& row : kernel_tunables) {
    if (row.exists[column]) table.push_back(row.info);
  }
  for (const FeatureRow& row : feature_rows) table.push_back({row.name, "", row.presets[column], 0, 1, row.meaning, true});
  return table;
}

}  // namespace

std::span<const TunableInfo> tunable_table(Version version) {
  static const std::array<std::vector<TunableInfo>, version_count> tables{
      build_table(Version::v2_6_34), build_table(Version::v2_6_35), build_table(Version::v4_4), build_table(Version::v4_19)};
  return tables[static_cast<std::size_t>(version)];
}

void store_local_defaults(Version version, TunableValues& values, const BlockSettings& block, const DeviceInfo& device) {
  if (version != Version::v4_19) {
    // The kernel divides HZ; what sysfs then shows is the tick count in milliseconds.
    const auto store_ticks = [&](const char* name, unsigned ticks) { values.store(name, ticks * 1000 / block.hz); };
    store_ticks("fifo_expire_sync", block.hz / 8);
    store_ticks("fifo_expire_async", block.hz / 4);
    store_ticks("slice_sync", block.hz / 10);
    store_ticks("slice_async", std::max(block.hz / 25, 1U));
    store_ticks("slice_idle", std::max(block.hz / 125, 1U));
    if (version == Version::v4_4) {
      store_ticks("group_idle", std::max(block.hz / 125, 1U));
      store_ticks("target_latency", block.hz * 3 / 10);
    }
  }
  if (version >= Version::v4_4 && !device.rotational) values.store("slice_idle", 0);
}

Features read_features(const TunableValues& values) {
  Features features{};
  for (const FeatureRow& row : feature_rows) features.*row.member = values.get(row.name) != 0;
  return features;
}

Tunables read_tunables(const TunableValues& values, const Units& units) {
  const auto time = [&](const char* name) { return units.from_ms(values.get(name)); };
  Tunables t{};
  t.quantum = values.get("quantum");
  t.fifo_expire = {time("fifo_expire_async"), time("fifo_expire_sync")};
  t.back_seek_sectors = 2 * values.get("back_seek_max");
  t.back_seek_penalty = values.get("back_seek_penalty");
  t.slice_sync = time("slice_sync");
  t.slice_async = time("slice_async");
  t.slice_async_rq = values.get("slice_async_rq");
  t.slice_idle = time("slice_idle");
  t.low_latency = values.get("low_latency") != 0;
  t.group_isolation = !values.has("group_isolation") || values.get("group_isolation") != 0;
  const bool groups = values.get("group-scheduling") != 0;
  t.group_idle = groups && values.has("group_idle") ? time("group_idle") : 0;
  t.target_latency = values.has("target_latency") ? time("target_latency") : units.second() * 3 / 10;
  return t;
}

}  // namespace elvcheck::cfq
