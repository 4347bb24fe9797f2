// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/campaign.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "model/device/preset.hpp"
#include "properties/generator.hpp"
#include "reference/kernel/shrink.hpp"

namespace elvcheck::kernel {

namespace {

/// What one kernel said: for each property its tally, and which scenarios violate it by which rule.
struct Column {
  KernelTallies tallies;
  std::map<std::string, std::map<std::uint64_t, std::pair<std::string, std::string>>> violations;
};

/// A kernel that hangs on so many scenarios will hang on others; each costs the whole of its processor time.
constexpr std::uint64_t most_hangs = 3;
/// While a case is made small, less time shows a hang as well.
constexpr std::chrono::milliseconds shrink_cpu{500};

Column judge_column(KernelSet& kernel, const CampaignPlan& plan, std::uint64_t count,
                    const std::function<Scenario(std::uint64_t)>& scenario, const std::function<void()>& done,
                    const std::function<bool()>& stop) {
  Column column;
  std::uint64_t hangs = 0;
  judge_on_kernel(
      kernel, count, scenario, plan.glob,
      [&](std::uint64_t piece, const std::vector<KernelVerdict>& verdicts) {
        for (const KernelVerdict& verdict : verdicts) {
          KernelTally& tally = column.tallies[verdict.property];
          tally.judged += verdict.judged > 0 || verdict.violated();
          if (!verdict.violated()) continue;
          hangs += verdict.property == "kernel.no-hang";
          if (tally.violated++ == 0) {
            tally.first = piece;
            tally.rule = verdict.rule;
            tally.message = verdict.message;
          }
          column.violations[verdict.property][piece] = {verdict.rule, verdict.message};
        }
        done();
      },
      plan.limits, [&] { return hangs >= most_hangs || (stop && stop()); });
  return column;
}

/// Whether a kernel violates that property by that rule.
bool violates(KernelSet& kernel, const Scenario& scenario, const std::string& property, const std::string& rule,
              const ContainLimits& limits) {
  const std::vector<KernelVerdict> verdicts = judge_on_kernel(kernel, scenario, property, limits);
  return std::any_of(verdicts.begin(), verdicts.end(),
                     [&](const KernelVerdict& verdict) { return verdict.property == property && verdict.rule == rule; });
}

}  // namespace

Scenario campaign_scenario(const CampaignPlan& plan, std::uint64_t index) {
  const DeviceSpec& device = plan.devices[index % plan.devices.size()];
  const Sector capacity = make_device(device)->info().capacity;
  return generate_scenario(plan.seed, index / plan.devices.size(), *plan.model, device, capacity);
}

CampaignOutcome run_campaign(const CampaignPlan& plan, const std::function<void(std::uint64_t)>& progress,
                             const std::function<bool()>& stop) {
  const std::uint64_t count = plan.cases.size() + plan.streams;
  const auto scenario = [&](std::uint64_t piece) {
    return piece < plan.cases.size() ? plan.cases[piece] : campaign_scenario(plan, piece - plan.cases.size());
  };
  std::uint64_t runs = 0;
  const auto done = [&] {
    ++runs;
    if (progress) progress(runs);
  };
  Column base = judge_column(*plan.base, plan, count, scenario, done, stop);
  Column changed;
  if (plan.changed != nullptr) changed = judge_column(*plan.changed, plan, count, scenario, done, stop);
  const Column& last = plan.changed != nullptr ? changed : base;

  CampaignOutcome outcome;
  outcome.scenarios = count;
  std::set<std::string> names;
  for (const auto& [name, tally] : base.tallies) names.insert(name);
  for (const auto& [name, tally] : changed.tallies) names.insert(name);
  for (const std::string& name : names) {
    CampaignRow row{name, base.tallies[name], changed.tallies[name]};
    const auto found = last.violations.find(name);
    const auto& before = base.violations[name];
    if (found != last.violations.end()) {
      const auto first = std::find_if(found->second.begin(), found->second.end(), [&](const auto& violation) {
        return plan.changed == nullptr || !before.contains(violation.first);
      });
      if (first != found->second.end()) {
        row.new_violation = true;
        Finding finding{name, first->second.first, first->second.second, scenario(first->first)};
        const ContainLimits limits{std::min(plan.limits.cpu_for_each, shrink_cpu)};
        const auto shows = [&](const Scenario& candidate) {
          return violates(plan.changed != nullptr ? *plan.changed : *plan.base, candidate, name, finding.rule, limits) &&
                 (plan.changed == nullptr || !violates(*plan.base, candidate, name, finding.rule, limits));
        };
        finding.scenario = shrink(std::move(finding.scenario), shows, plan.shrink_budget);
        outcome.findings.push_back(std::move(finding));
      }
    }
    row.fixed = plan.changed != nullptr && row.base.violated > 0 && row.changed.violated == 0 && row.changed.judged > 0;
    outcome.rows.push_back(std::move(row));
  }
  return outcome;
}

}  // namespace elvcheck::kernel
