// SPDX-License-Identifier: GPL-2.0-or-later
// Cases and random streams on one kernel, or on a base and a changed one: which properties does the change break?
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reference/kernel/judge.hpp"

namespace elvcheck::kernel {

struct CampaignPlan {
  KernelSet* base = nullptr;
  KernelSet* changed = nullptr;  ///< null: the base alone is judged
  const SchedulerInfo* model = nullptr;
  std::vector<Scenario> cases;  ///< saved ones, judged first
  std::vector<DeviceSpec> devices;
  std::uint64_t seed = 1;
  std::uint64_t streams = 200;  ///< random ones, dealt to the devices in turn
  std::string glob;             ///< of properties
  ContainLimits limits;
  std::uint64_t minimize_runs = 2000;  ///< candidates at most for each finding
};

/// One property's verdicts on one kernel.
struct KernelTally {
  std::uint64_t judged = 0;
  std::uint64_t violated = 0;
};

/// A violation that the changed kernel shows (or, without one, the base) and the base does not, on the same scenario.
struct Finding {
  std::string property;
  std::string rule;
  std::string message;  ///< of the scenario that was found first
  Scenario scenario;    ///< minimised
  std::string size;     ///< how the minimiser fared: "12 -> 2 steps, 1-minimal"
  bool alone = true;    ///< false: seen only after other scenarios in one process, so the scenario is as it was found
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
  std::uint64_t scenarios = 0;    ///< judged on every kernel of the plan
  std::uint64_t reordered =
      0;  ///< of them, those in which base and changed kernel hand the device other requests or at other times
  bool gave_up = false;  ///< after several hangs
};

/// Whether a scenario, without a planted bug, can run under that model's scheduler too: it is of the same one, or of the single-queue
/// deadline whose rules mq-deadline has taken over.
bool fits_model(const Scenario& scenario, const SchedulerInfo& model);

/// Runs the plan. `progress` gets the number of runs done, of scenarios times kernels.
CampaignOutcome run_campaign(const CampaignPlan& plan, const std::function<void(std::uint64_t)>& progress = {},
                             const std::function<bool()>& stop = {});

/// One random stream of a plan: by turns what systems do (properties/generator.hpp) and corners
/// (properties/corner_generator.hpp).
Scenario campaign_scenario(const CampaignPlan& plan, std::uint64_t index);

}  // namespace elvcheck::kernel
