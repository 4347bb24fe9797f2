// SPDX-License-Identifier: GPL-2.0-or-later
// Cases and random streams on one kernel, or on a base and a changed one: which properties does the change break?
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference/kernel/judge.hpp"

namespace elvcheck::kernel {

struct CampaignPlan {
  KernelSet* base = nullptr;
  KernelSet* changed = nullptr;  ///< null: the base alone is judged
  const SchedulerInfo* model = nullptr;
  std::vector<Scenario> cases;   ///< saved ones, judged first
  std::vector<DeviceSpec> devices;
  std::uint64_t seed = 1;
  std::uint64_t streams = 200;   ///< random ones, dealt to the devices in turn
  std::string glob;              ///< of properties
  ContainLimits limits;
  unsigned shrink_budget = 300;  ///< runs for each finding
};

/// A violation that the changed kernel shows (or, without one, the base) and the base does not, on the same scenario.
struct Finding {
  std::string property;
  std::string rule;
  std::string message;
  Scenario scenario;  ///< made small
};

struct CampaignRow {
  std::string property;
  KernelTally base;
  KernelTally changed;
  bool new_violation = false;  ///< some scenario that the base passes
  bool fixed = false;          ///< the base violates it, the changed kernel never
};

struct CampaignOutcome {
  std::vector<CampaignRow> rows;  ///< by property name
  std::vector<Finding> findings;  ///< one for each row with a new violation
  std::uint64_t scenarios = 0;
};

/// Runs the plan. `progress` gets the number of runs done, of scenarios times kernels.
CampaignOutcome run_campaign(const CampaignPlan& plan, const std::function<void(std::uint64_t)>& progress = {},
                             const std::function<bool()>& stop = {});

/// One random stream of a plan.
Scenario campaign_scenario(const CampaignPlan& plan, std::uint64_t index);

}  // namespace elvcheck::kernel
