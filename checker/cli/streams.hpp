// SPDX-License-Identifier: GPL-2.0-or-later
// Random streams: every property on every chosen scheduler and device.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checker/cli/worker_pool.hpp"
#include "model/device/preset.hpp"
#include "model/scheduler/registry.hpp"
#include "properties/property.hpp"

namespace elvcheck {

struct StreamPlan {
  std::uint64_t seed = 1;
  std::uint64_t cases = 1;  ///< streams for each pair of scheduler and device
  std::string glob;         ///< of properties
  std::vector<const SchedulerInfo*> schedulers;
  std::vector<DeviceSpec> devices;
  WorkLimits limits;

  std::uint64_t pieces() const { return cases * schedulers.size() * devices.size(); }
};

/// What the streams said about one property.
struct PropertyTally {
  struct Found {
    Violation violation;
    Scenario scenario;
  };
  const Property* property = nullptr;
  std::uint64_t judged = 0;          ///< runs in which it had something to judge
  std::uint64_t violations = 0;      ///< of them
  std::chrono::nanoseconds time{0};  ///< processor time of these runs
  std::optional<Found> found;        ///< of the violating scenarios the one with the fewest steps; of those the first
};

struct StreamOutcome {
  std::vector<PropertyTally> tallies;  ///< every property that matches the glob and is not refuted, in registry order
  std::uint64_t done = 0;              ///< pieces; fewer than planned when time ran out or a signal came
};

/// Runs the plan. The outcome depends on the plan and on how many pieces were done, not on the number of threads.
StreamOutcome run_streams(const StreamPlan& plan, const std::function<void(std::uint64_t)>& finished);

}  // namespace elvcheck
