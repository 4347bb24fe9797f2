// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/bfq/tunables.hpp"

#include <algorithm>
#include <climits>

namespace elvcheck::bfq {

namespace {

constexpr std::array<TunableInfo, 10> kernel_tunables{{
    {"fifo_expire_sync", "ms", 125, 1, INT_MAX, "time after its insertion at which a synchronous request is expired"},
    {"fifo_expire_async", "ms", 250, 1, INT_MAX, "time after its insertion at which an asynchronous request is expired"},
    {"back_seek_max", "KiB", 16 * 1024, 0, INT_MAX, "how far behind the last position a request still counts as near"},
    {"back_seek_penalty", "", 2, 1, INT_MAX, "factor on distances backwards"},
    {"slice_idle", "ms", 8, 0, INT_MAX, "how long to wait for the next request of the queue in service; 0: never"},
    {"slice_idle_us", "us", 8000, 0, UINT_MAX, "slice_idle in microseconds"},
    {"max_budget", "sectors", 0, 0, INT_MAX, "most sectors of a slot; 0: tuned from the device's peak rate"},
    {"timeout_sync", "ms", 125, 1, INT_MAX, "longest slot"},
    {"strict_guarantees", "", 0, 0, 1, "always idle, one request at the device: exact shares whatever the throughput"},
    {"low_latency", "", 1, 0, 1, "raise the weights of interactive and soft real-time queues"},
}};

}  // namespace

std::vector<TunableInfo> tunable_table(const Features& version) {
  std::vector<TunableInfo> table(kernel_tunables.begin(), kernel_tunables.end());
  for (const FeatureInfo& feature : feature_table())
    table.push_back({feature.name, "", version.*feature.member, 0, 1, feature.meaning, true});
  return table;
}

Features read_features(const Features& version, const TunableValues& values) {
  Features features = version;
  for (const FeatureInfo& feature : feature_table()) {
    if (values.has(feature.name)) features.*feature.member = values.get(feature.name) != 0;
  }
  return features;
}

Tunables::Tunables(const TunableValues& values, const KernelTime& time) : timeout(time.hz() / 8) {
  for (const NamedValue& stored : values.stores()) store(stored.name, stored.value, time);
}

void Tunables::store(std::string_view name, std::int64_t value, const KernelTime& time) {
  constexpr std::int64_t ms = 1'000'000;
  if (name == "fifo_expire_sync") {
    fifo_expire[1] = value * ms;
  } else if (name == "fifo_expire_async") {
    fifo_expire[0] = value * ms;
  } else if (name == "back_seek_max") {
    back_seek_max = value;
  } else if (name == "back_seek_penalty") {
    back_seek_penalty = value;
  } else if (name == "slice_idle") {
    slice_idle = static_cast<std::uint32_t>(value * ms);  // the kernel keeps 32 bits
  } else if (name == "slice_idle_us") {
    slice_idle = static_cast<std::uint32_t>(value * 1000);
  } else if (name == "max_budget") {
    max_budget = value;
    max_budget_known = true;
  } else if (name == "timeout_sync") {
    timeout = time.ms(value);
    max_budget_known = true;
  } else if (name == "strict_guarantees") {
    if (!strict_guarantees && value == 1) slice_idle = std::max(slice_idle, default_slice_idle_ms * ms);
    strict_guarantees = value == 1;
  } else if (name == "low_latency") {
    low_latency = value == 1;
  }
}

}  // namespace elvcheck::bfq
