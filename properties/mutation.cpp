// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/mutation.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <stdexcept>
#include <tuple>

#include "model/device/preset.hpp"
#include "properties/steering.hpp"

namespace elvcheck {

namespace {

/// A relation may judge scenarios of its own and then says little about the case; so many more cases are tried for a
/// monitor.
constexpr std::uint64_t cases_after_relation = 2000;
/// Relations run a case several times; they judge one in so many of the cases that reach the slip.
constexpr std::uint64_t relations_every = 8;
constexpr std::array<std::uint32_t, 5> sizes = {6, 12, 25, 60, 200};  // requests of a case, about, in turn

const std::vector<DeviceSpec>& hunting_grounds() {
  static const std::vector<DeviceSpec> devices = {
      {"flat", {}},
      {"flat-ssd", {}},
      {"flat", {{"volatile_cache", 1}}},
      {"uml-hdd1c", {}},
      {"sata-7200-2007", {{"write_cache_sectors", 512}}},
      {"enterprise-array-2010", {{"spindles", 2}}},
      // 1.1 MiB of flash, 768 KiB of them for the host: a few dozen writes make it collect.
      {"sata-ssd-2014",
       {{"channels", 1},
        {"dies_per_channel", 2},
        {"planes", 1},
        {"page_kib", 4},
        {"pages_per_block", 4},
        {"blocks_per_die", 36},
        {"spare_percent", 50},
        {"buffer_kib", 32}}},
  };
  return devices;
}

bool is_of_workloads(std::string_view mutant) {
  for (const char* const names : {"readahead.*", "readdir.*", "inode.*", "page-cache.*"})
    if (glob_match(names, mutant)) return true;
  return false;
}

bool is_smaller(const ScenarioSize& a, const ScenarioSize& b) {
  return std::tuple(a.ops, a.requests, a.processes) < std::tuple(b.ops, b.requests, b.processes);
}

bool holds_without_bug(Scenario scenario, const Property& property) {
  scenario.mutant.clear();
  const auto verdict = judge_property(scenario, property);
  return !verdict || !verdict->violation;
}

/// One planted bug's campaign.
class Hunt {
 public:
  Hunt(const MutantInfo& mutant, const HuntPlan& plan)
      : plan_(plan), given_(plan.given.size()), counts_(schedulers().size()) {
    outcome_.mutant = &mutant;
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] = SteeringCounts(rules_of(schedulers()[i]).size() + 1);
    for (const DeviceSpec& device : hunting_grounds()) capacities_.push_back(make_device(device)->info().capacity);
  }

  MutantOutcome run() {
    std::uint64_t left = plan_.cases;
    for (std::uint64_t number = 0; left > 0 && !(plan_.stop && plan_.stop()); ++number, --left) {
      Drawn drawn = draw(number);
      drawn.scenario.mutant = outcome_.mutant->name;
      if (!outcome_.kill) outcome_.cases = number + 1;
      if (!reaches(drawn)) continue;
      if (!outcome_.kill) ++outcome_.reached;
      const bool had_relation = outcome_.kill.has_value();
      if (!try_case(drawn.scenario)) continue;
      outcome_.cases = number + 1;
      if (outcome_.kill->property->monitor != nullptr) break;
      if (!had_relation) left = std::min(left, cases_after_relation);
    }
    return std::move(outcome_);
  }

 private:
  struct Drawn {
    Scenario scenario;
    std::optional<std::size_t> scheduler;  ///< index; none for a given case
    RecipeSet recipes = 0;
  };

  Drawn draw(std::uint64_t number) {
    if (number < given_) return {plan_.given[number], std::nullopt, 0};
    number -= given_;
    const std::size_t pairs = schedulers().size() * hunting_grounds().size();
    if (number % pairs == 0) steer();
    SplitMix64 numbers(SplitMix64(plan_.seed).next() + number);
    const std::size_t device = number % hunting_grounds().size();
    Drawn drawn;
    drawn.scheduler = number % pairs / hunting_grounds().size();
    drawn.recipes = draw_recipes(numbers, weights_[*drawn.scheduler]);
    // A case with a workload is slow to minimise; only slips of file systems need one.
    if (!is_of_workloads(outcome_.mutant->name))
      drawn.recipes &= ~(RecipeSet{1} << static_cast<unsigned>(Recipe::workloads));
    drawn.scenario = generate_corners(SplitMix64(numbers.next()), schedulers()[*drawn.scheduler], hunting_grounds()[device],
                                      capacities_[device], drawn.recipes, sizes[number / pairs % sizes.size()]);
    return drawn;
  }

  void steer() {
    weights_.clear();
    for (const SteeringCounts& counts : counts_) weights_.push_back(recipe_weights(counts));
  }

  /// Whether the case runs the code of the slip. A run without monitors is much cheaper than its judgement. What it reached
  /// is counted, the slip as one more rule.
  bool reaches(const Drawn& drawn) {
    forget_reached_mutant();
    Machine machine(drawn.scenario);
    RunCoverage coverage(machine.facts(), drawn.scenario);
    machine.trace().add(coverage);
    try {
      machine.run();
    } catch (const std::logic_error&) {
      if (machine.result().broken.empty()) throw;  // a broken invariant is for the judge
    }
    const bool slipped = mutant_reached();
    if (drawn.scheduler) {
      Reached reached = coverage.reached();
      reached.rule_hits.push_back(slipped);
      counts_[*drawn.scheduler].add(drawn.recipes, reached);
    }
    return slipped;
  }

  /// Judges a case that reaches the slip. True if it is a kill, and a better one than that there was.
  bool try_case(const Scenario& scenario) {
    JudgeOptions options;
    options.relations = judged_++ % relations_every == 0;
    options.once = judged_once_.insert(scenario.scheduler).second;
    std::vector<Verdict> violated;
    for (Verdict& verdict : judge_run(scenario, options)) {
      if (verdict.violation) violated.push_back(std::move(verdict));
    }
    const auto is_monitor = [](const Verdict& verdict) { return verdict.property->monitor != nullptr; };
    const bool by_monitor = std::any_of(violated.begin(), violated.end(), is_monitor);
    if (by_monitor) std::erase_if(violated, std::not_fn(is_monitor));
    if (outcome_.kill && !by_monitor) return false;
    bool better = false;
    for (const Verdict& verdict : violated) {
      if (!holds_without_bug(scenario, *verdict.property)) continue;
      // A run with a workload takes a thousand times as long as another.
      MinimizeLimits limits;
      if (!scenario.workload.name.empty()) limits.runs = 200;
      Minimized smallest = minimize_case(case_to_minimize(scenario, verdict), limits);
      if (!holds_without_bug(smallest.value.scenario, *verdict.property)) continue;
      if (better && !is_smaller(smallest.after, outcome_.kill->smallest.after)) continue;
      outcome_.kill = {verdict.property, *verdict.violation, std::move(smallest)};
      better = true;
    }
    return better;
  }

  /// A property that says something about the scheduler alone needs nothing else of the scenario.
  static CaseFile case_to_minimize(const Scenario& scenario, const Verdict& verdict) {
    const Property& property = *verdict.property;
    CaseFile value{property.name, true, verdict.violation->rule, "", scenario};
    if (!property.once) return value;
    Scenario bare;
    bare.scheduler = scenario.scheduler;
    bare.mutant = scenario.mutant;
    bare.processes.push_back({"a", {}, {}});
    const auto again = judge_property(bare, property);
    if (again && again->violation && again->violation->rule == value.rule) value.scenario = bare;
    return value;
  }

  const HuntPlan& plan_;
  std::uint64_t given_;
  std::vector<SteeringCounts> counts_;  // by scheduler
  std::vector<std::array<std::uint32_t, recipe_count>> weights_;
  std::vector<Sector> capacities_;
  std::uint64_t judged_ = 0;
  std::set<std::string> judged_once_;  // schedulers
  MutantOutcome outcome_;
};

}  // namespace

MutantOutcome hunt_mutant(const MutantInfo& mutant, const HuntPlan& plan) { return Hunt(mutant, plan).run(); }

}  // namespace elvcheck
