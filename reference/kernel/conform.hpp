// SPDX-License-Identifier: GPL-2.0-or-later
// Model against kernel: is the device handed the same requests in the same order at the same times?
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/core/scenario.hpp"
#include "model/scheduler/registry.hpp"
#include "reference/kernel/contain.hpp"
#include "reference/kernel/kernel_set.hpp"

namespace elvcheck::kernel {

struct ConformPlan {
  KernelSet* kernel = nullptr;
  const SchedulerInfo* model = nullptr;
  std::vector<DeviceSpec> devices;
  std::uint64_t seed = 1;
  std::vector<Scenario> scenarios;  ///< compared in place of random streams if there are any
  std::uint64_t cases = 1000;       ///< random ones, dealt to the devices in turn
  std::uint32_t max_ios = 60;       ///< most operations in a stream
  ContainLimits limits;
  std::uint64_t minimize_runs = 2000;
};

struct ConformOutcome {
  std::uint64_t streams = 0;
  std::uint64_t exact = 0;
  std::uint64_t requests = 0;          ///< handed to the device by the kernel
  std::optional<std::uint64_t> first;  ///< the first stream that is not
  std::optional<Scenario> smallest;    ///< it, made as small as it goes
  std::string difference;              ///< two columns of events, and the scheduler's log around the first that differs
};

/// Devices that differ in what a block layer sees of them: depth, queues of their own, a volatile cache, FUA.
std::vector<DeviceSpec> conform_devices();

/// One random stream of a plan. With a scheduler that adapts to latencies (kyber) one in a hundred is long and keeps the
/// device full.
Scenario conform_scenario(const ConformPlan& plan, std::uint64_t index);

/// Runs the plan. `progress` gets the number of streams done.
ConformOutcome conform(const ConformPlan& plan, const std::function<void(std::uint64_t)>& progress = {},
                       const std::function<bool()>& stop = {});

/// Whether model and kernel agree on a scenario. Throws std::invalid_argument for one that cannot be built.
bool conforms(KernelSet& kernel, const Scenario& scenario, const ContainLimits& limits = {});

/// Two columns, model and kernel, around the first difference, with the kernel scheduler's log; empty if there is none.
std::string difference(KernelSet& kernel, const Scenario& scenario, const ContainLimits& limits = {});

}  // namespace elvcheck::kernel
