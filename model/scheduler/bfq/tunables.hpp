// SPDX-License-Identifier: GPL-2.0-or-later
// BFQ's tunables (queue/iosched/*) in the units in which the scheduler uses them.
//
// Mirrors the attributes at the end of block/bfq-iosched.c (6.1 and 6.12). The order of stores matters: setting
// strict_guarantees raises slice_idle to 8 ms if it is below, once; slice_idle and slice_idle_us are one value.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/scheduler/bfq/features.hpp"
#include "model/scheduler/bfq/kernel_time.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck::bfq {

struct Tunables {
  std::array<std::int64_t, 2> fifo_expire{250'000'000, 125'000'000};  ///< ns; async, sync
  std::int64_t back_seek_max = 16 * 1024;                             ///< KiB
  std::int64_t back_seek_penalty = 2;
  std::int64_t slice_idle = 8'000'000;  ///< ns
  std::int64_t max_budget = 0;          ///< sectors; 0: autotuned
  bool max_budget_known = false;        ///< the maximum is to be computed from the peak rate at once
  Jiffies timeout = 0;
  bool strict_guarantees = false;
  bool low_latency = true;

  /// The defaults with every stored value applied in order.
  Tunables(const TunableValues& values, const KernelTime& time);

 private:
  void store(std::string_view name, std::int64_t value, const KernelTime& time);
};

inline constexpr std::int64_t default_slice_idle_ms = 8;  ///< bfq_slice_idle as compiled in

/// The tunables of sysfs, then every switch of features.hpp with the version's setting.
std::vector<TunableInfo> tunable_table(const Features& version);
/// The version's features with what was stored over them.
Features read_features(const Features& version, const TunableValues& values);

}  // namespace elvcheck::bfq
