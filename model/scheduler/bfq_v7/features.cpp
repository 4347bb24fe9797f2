// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/bfq_v7/features.hpp"

#include <algorithm>
#include <climits>
#include <vector>

namespace elvcheck::bfq_v7 {

namespace {

constexpr std::int64_t longest_ms = 1'000'000'000;  // beyond that a tick count may not fit the kernel's int
constexpr std::int64_t largest_back_seek = INT_MAX / 2;
constexpr std::int64_t largest_coeff = 8191;  // a weight of 8 times more does not fit the kernel's 16 bits

constexpr std::array<TunableInfo, 17> kernel_tunables{{
    {"quantum", "requests", 4, 1, INT_MAX, "most requests of a queue inside the device while others wait"},
    {"fifo_expire_sync", "ms", 125, 1, longest_ms, "age at which a sync request is expired"},
    {"fifo_expire_async", "ms", 250, 1, longest_ms, "age at which an async request is expired"},
    {"back_seek_max", "KiB", 16384, 0, largest_back_seek, "how far back a request may lie and still be near"},
    {"back_seek_penalty", "", 2, 1, INT_MAX, "factor by which a way back counts as longer"},
    {"slice_idle", "ms", 8, 0, longest_ms, "how long to wait for the next request of the queue in service; 0: never"},
    {"max_budget", "sectors", 0, 0, INT_MAX, "most sectors of a slot; 0: tuned from the device's peak rate"},
    {"max_budget_async_rq", "requests", 4, 1, INT_MAX, "most requests of an async queue inside the device"},
    {"timeout_sync", "ms", 125, 1, longest_ms, "longest slot of a sync queue"},
    {"timeout_async", "ms", 40, 0, longest_ms, "longest slot of an async queue"},
    {"low_latency", "", 1, 0, 1, "raise the weights of interactive and soft real-time queues"},
    {"wr_coeff", "", 20, 1, largest_coeff, "factor on the weight of a raised queue"},
    {"wr_max_time", "ms", 0, 0, longest_ms, "how long an interactive queue stays raised; 0: from the peak rate"},
    {"wr_rt_max_time", "ms", 300, 0, longest_ms, "how long a soft real-time queue stays raised"},
    {"wr_min_idle_time", "ms", 2000, 0, longest_ms, "after so long without requests a queue is interactive"},
    {"wr_min_inter_arr_async", "ms", 500, 0, longest_ms, "after so long without arrivals an async queue is raised"},
    {"wr_max_softrt_rate", "sectors/s", 7000, 0, INT_MAX, "a queue that is served faster is not soft real-time; 0: none is"},
}};

struct FeatureRow {
  const char* name;
  bool Features::*member;
  std::array<bool, 2> presets;  // v7r4, v7r5
  const char* meaning;
};

constexpr std::array<FeatureRow, 16> feature_rows{{
    {"io-bound", &Features::io_bound, {0, 1}, "a queue that leaves most of its budget unused is not waited for"},
    {"cooperation-limit", &Features::cooperation_limit, {0, 1}, "a process that was merged twice is not weight-raised"},
    {"early-queue-merge",
     &Features::early_queue_merge,
     {1, 1},
     "the second patch: queues of close requests are merged at insertion; 0: merged by the choice of the next queue"},
    {"queue-splitting", &Features::queue_splitting, {1, 1}, "a shared queue that turns seeky is split"},
    {"repaired-search",
     &Features::repaired_search,
     {0, 0},
     "serve the least finish among the eligible, not what the shipped search finds"},
    {"idle-class-turn", &Features::idle_class_turn, {1, 1}, "the idle class goes first every 200 ms"},
    {"budget-feedback", &Features::budget_feedback, {1, 1}, "budgets learn from the reason why a slot ended"},
    {"full-budget-charge",
     &Features::full_budget_charge,
     {1, 1},
     "a queue taken for slow, or timed out early, is charged its whole budget"},
    {"peak-rate", &Features::peak_rate, {1, 1}, "the device's rate is estimated"},
    {"fifo-expiry", &Features::fifo_expiry, {1, 1}, "once in a slot an expired request is served out of order of sector"},
    {"think-time", &Features::think_time, {1, 1}, "queues of processes that think long are not waited for"},
    {"small-request-rule", &Features::small_request_rule, {1, 1}, "a small request does not end the wait for more"},
    {"interactive-raising", &Features::interactive_raising, {1, 1}, "new and long idle queues are raised as interactive"},
    {"soft-rt-raising",
     &Features::soft_rt_raising,
     {1, 1},
     "queues with a low bandwidth and regular pauses are raised as soft real-time"},
    {"async-raising", &Features::async_raising, {1, 1}, "asynchronous queues are raised after half a second of quiet"},
    {"kind-known-late",
     &Features::kind_known_late,
     {0, 0},
     "rate and raising start as for a disk, as where the driver says only after the scheduler is set up that it is none"},
}};

std::vector<TunableInfo> build_table(Release release) {
  std::vector<TunableInfo> table(kernel_tunables.begin(), kernel_tunables.end());
  for (const FeatureRow& row : feature_rows)
    table.push_back({row.name, "", row.presets[static_cast<std::size_t>(release)], 0, 1, row.meaning, true});
  return table;
}

}  // namespace

std::span<const TunableInfo> tunable_table(Release release) {
  static const std::array<std::vector<TunableInfo>, 2> tables{build_table(Release::v7r4), build_table(Release::v7r5)};
  return tables[static_cast<std::size_t>(release)];
}

void store_local_defaults(TunableValues& values, const BlockSettings& block, const DeviceInfo& device) {
  (void)device;
  const auto store_ticks = [&](const char* name, unsigned ticks) { values.store(name, ticks * 1000 / block.hz); };
  store_ticks("fifo_expire_sync", block.hz / 8);
  store_ticks("fifo_expire_async", block.hz / 4);
  store_ticks("slice_idle", std::max(block.hz / 125, 1U));
  store_ticks("timeout_sync", block.hz / 8);
  store_ticks("timeout_async", std::max(block.hz / 25, 1U));
}

Features read_features(const TunableValues& values) {
  Features features{};
  for (const FeatureRow& row : feature_rows) features.*row.member = values.get(row.name) != 0;
  return features;
}

Tunables read_tunables(const TunableValues& values, const bfq::KernelTime& time) {
  const auto ticks = [&](const char* name) { return time.ms(values.get(name)); };
  Tunables t{};
  t.quantum = values.get("quantum");
  t.fifo_expire = {ticks("fifo_expire_async"), ticks("fifo_expire_sync")};
  t.back_seek_sectors = 2 * values.get("back_seek_max");
  t.back_seek_penalty = values.get("back_seek_penalty");
  t.slice_idle = ticks("slice_idle");
  t.user_max_budget = values.get("max_budget");
  t.max_budget_async_rq = values.get("max_budget_async_rq");
  t.timeout = {ticks("timeout_async"), ticks("timeout_sync")};
  t.low_latency = values.get("low_latency") != 0;
  t.wr_coeff = values.get("wr_coeff");
  t.wr_max_time = ticks("wr_max_time");
  t.wr_rt_max_time = ticks("wr_rt_max_time");
  t.wr_min_idle_time = ticks("wr_min_idle_time");
  t.wr_min_inter_arr_async = ticks("wr_min_inter_arr_async");
  t.wr_max_softrt_rate = values.get("wr_max_softrt_rate");
  return t;
}

}  // namespace elvcheck::bfq_v7
