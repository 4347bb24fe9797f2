// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>

#include "model/device/preset.hpp"
#include "properties/corner_generator.hpp"
#include "properties/generator.hpp"
#include "properties/minimize.hpp"

namespace elvcheck::kernel {

namespace {

/// Scenarios that one kernel is given before the other one has its turn: when time runs out, both have had the same.
constexpr std::uint64_t stretch = 256;
/// A kernel that hangs on so many scenarios will hang on others; each costs the whole of its processor time.
constexpr std::uint64_t most_hangs = 3;
/// While a case is minimised, less time shows a hang as well, and fewer candidates must do.
constexpr std::chrono::milliseconds minimize_cpu{200};
constexpr std::uint64_t minimize_hangs = 40;
constexpr int recipes_of_a_case = 5;

struct Found {
  std::uint64_t piece;
  std::string rule;
  std::string message;
};

/// What was said about one property so far.
struct Tally {
  CampaignRow row;
  std::optional<Found> first;  ///< new violation
};

class Campaign {
 public:
  Campaign(const CampaignPlan& plan, const std::function<void(std::uint64_t)>& progress, const std::function<bool()>& stop)
      : plan_(plan), progress_(progress), stop_(stop) {}

  CampaignOutcome run() {
    const std::uint64_t count = plan_.cases.size() + plan_.streams;
    for (std::uint64_t first = 0; first < count && !stopped();) {
      const std::uint64_t length = std::min(stretch, count - first);
      const std::vector<KernelJudgement> base = judge(*plan_.base, first, length);
      const std::vector<KernelJudgement> changed =
          plan_.changed == nullptr || stopped() ? std::vector<KernelJudgement>() : judge(*plan_.changed, first, length);
      const std::size_t done = plan_.changed == nullptr ? base.size() : std::min(base.size(), changed.size());
      for (std::size_t i = 0; i < done; ++i) note(first + i, base[i], plan_.changed == nullptr ? nullptr : &changed[i]);
      first += length;
    }
    for (auto& [name, tally] : tallies_) {
      CampaignRow& row = tally.row;
      row.fixed = plan_.changed != nullptr && row.base.violated > 0 && row.changed.violated == 0 && row.changed.judged > 0;
      row.new_violation = tally.first.has_value();
      if (tally.first) outcome_.findings.push_back(finding(name, *tally.first));
      outcome_.rows.push_back(row);
    }
    outcome_.gave_up = hangs_ >= most_hangs;
    return std::move(outcome_);
  }

 private:
  bool stopped() const { return hangs_ >= most_hangs || (stop_ && stop_()); }

  Scenario scenario(std::uint64_t piece) const {
    return piece < plan_.cases.size() ? plan_.cases[piece] : campaign_scenario(plan_, piece - plan_.cases.size());
  }

  /// Fewer judgements than asked for when the campaign is stopped.
  std::vector<KernelJudgement> judge(KernelSet& kernel, std::uint64_t first, std::uint64_t length) {
    std::vector<KernelJudgement> judgements;
    judge_on_kernel(
        kernel, length, [&](std::uint64_t piece) { return scenario(first + piece); }, plan_.glob,
        [&](std::uint64_t, const KernelJudgement& judgement) {
          for (const KernelVerdict& verdict : judgement.verdicts)
            hangs_ += verdict.property == "kernel.no-hang" && verdict.violated();
          judgements.push_back(judgement);
          if (progress_) progress_(++runs_);
        },
        plan_.limits, [&] { return stopped(); });
    return judgements;
  }

  void note(std::uint64_t piece, const KernelJudgement& base, const KernelJudgement* changed) {
    ++outcome_.scenarios;
    if (changed != nullptr && base.issues != changed->issues) ++outcome_.reordered;
    for (const KernelVerdict& verdict : base.verdicts) count(verdict, tallies_[verdict.property].row.base);
    if (changed != nullptr) {
      for (const KernelVerdict& verdict : changed->verdicts) count(verdict, tallies_[verdict.property].row.changed);
    }
    for (const KernelVerdict& verdict : changed != nullptr ? changed->verdicts : base.verdicts) {
      Tally& tally = tallies_[verdict.property];
      tally.row.property = verdict.property;
      if (!verdict.violated() || tally.first) continue;
      const bool before =
          changed != nullptr && std::any_of(base.verdicts.begin(), base.verdicts.end(), [&](const KernelVerdict& other) {
            return other.property == verdict.property && other.violated();
          });
      if (!before) tally.first = Found{piece, verdict.rule, verdict.message};
    }
    for (const KernelVerdict& verdict : base.verdicts) tallies_[verdict.property].row.property = verdict.property;
  }

  static void count(const KernelVerdict& verdict, KernelTally& tally) {
    tally.judged += verdict.judged > 0 || verdict.violated();
    tally.violated += verdict.violated();
  }

  Finding finding(const std::string& property, const Found& found) {
    Finding finding{property, found.rule, found.message, scenario(found.piece), "", true};
    const bool hang = property == "kernel.no-hang";
    ContainLimits limits = plan_.limits;
    limits.cpu_for_each = std::min(limits.cpu_for_each, minimize_cpu);
    const auto shows = [&](const Scenario& candidate) {
      return violates_on_kernel(plan_.changed != nullptr ? *plan_.changed : *plan_.base, candidate, property, found.rule,
                                limits) &&
             (plan_.changed == nullptr || !violates_on_kernel(*plan_.base, candidate, property, found.rule, limits));
    };
    if (!shows(finding.scenario)) {
      finding.alone = false;
      finding.size = "not minimised: it showed only after other scenarios in the same process";
      return finding;
    }
    CaseFile value;
    value.scenario = finding.scenario;
    const std::uint64_t runs = hang ? std::min(plan_.minimize_runs, minimize_hangs) : plan_.minimize_runs;
    Minimized minimized = minimize_case(value, shows, {runs, stop_});
    finding.scenario = std::move(minimized.value.scenario);
    finding.size =
        fmt::format("{} -> {} steps, {} -> {} requests{}", minimized.before.ops, minimized.after.ops,
                    minimized.before.requests, minimized.after.requests, minimized.one_minimal ? ", 1-minimal" : "");
    return finding;
  }

  const CampaignPlan& plan_;
  const std::function<void(std::uint64_t)>& progress_;
  const std::function<bool()>& stop_;
  std::map<std::string, Tally> tallies_;
  CampaignOutcome outcome_;
  std::uint64_t runs_ = 0;
  std::uint64_t hangs_ = 0;
};

}  // namespace

bool fits_model(const Scenario& scenario, const SchedulerInfo& model) {
  const SchedulerInfo* own = find_scheduler(scenario.scheduler);
  if (own == nullptr || !scenario.mutant.empty()) return false;
  const std::string_view name = own->sysfs_name;
  return name == model.sysfs_name || (name == "deadline" && std::string_view(model.sysfs_name) == "mq-deadline");
}

Scenario campaign_scenario(const CampaignPlan& plan, std::uint64_t index) {
  const DeviceSpec& device = plan.devices[index / 2 % plan.devices.size()];
  const Sector capacity = make_device(device)->info().capacity;
  const std::uint64_t number = index / 2 / plan.devices.size();
  if (index % 2 == 0) return generate_scenario(plan.seed, number, *plan.model, device, capacity);
  SplitMix64 numbers(SplitMix64(plan.seed).next() ^ index);
  RecipeSet chosen = 0;
  for (int i = 0; i < recipes_of_a_case; ++i) chosen |= RecipeSet{1} << numbers.below(recipe_count);
  return generate_corners(numbers, *plan.model, device, capacity, chosen);
}

CampaignOutcome run_campaign(const CampaignPlan& plan, const std::function<void(std::uint64_t)>& progress,
                             const std::function<bool()>& stop) {
  return Campaign(plan, progress, stop).run();
}

}  // namespace elvcheck::kernel
