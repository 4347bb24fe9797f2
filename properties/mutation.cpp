// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/mutation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "model/device/preset.hpp"
#include "properties/generator.hpp"

namespace elvcheck {

namespace {

// A relation may judge scenarios of its own and then says little about the case; so many more cases are tried for a monitor.
constexpr std::uint64_t cases_after_relation = 1000;
constexpr std::array<std::uint32_t, 5> sizes = {8, 20, 60, 120, 300};  // operations of a case, in turn

std::vector<DeviceSpec> campaign_devices() {
  return {
      {"flat", {}},
      {"flat-ssd", {}},
      {"flat", {{"volatile_cache", 1}}},
      {"uml-hdd1c", {}},
      {"sata-7200-2007", {{"write_cache_sectors", 512}}},
      {"enterprise-array-2010", {{"spindles", 2}}},
      // 1.1 MiB of flash, 768 KiB of them for the host.
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
}

/// The kill among the verdicts: a monitor's rather than a relation's.
const Verdict* killing(const std::vector<Verdict>& verdicts) {
  const Verdict* found = nullptr;
  for (const Verdict& verdict : verdicts) {
    if (!verdict.violation) continue;
    if (verdict.property->monitor != nullptr) return &verdict;
    if (found == nullptr) found = &verdict;
  }
  return found;
}

/// Whether the scenario runs the code of its planted bug. A run without listeners is much cheaper than its judgement.
bool reaches(const Scenario& scenario) {
  forget_reached_mutant();
  try {
    Machine machine(scenario);
    machine.run();
  } catch (const std::logic_error&) {
    return true;  // the bug broke an invariant
  }
  return mutant_reached();
}

std::optional<Violation> judge_one(const Scenario& scenario, const Property& property) {
  for (const Verdict& verdict : judge_scenario(scenario, property.name)) {
    if (verdict.property == &property) return verdict.violation;
  }
  return std::nullopt;
}

/// Makes a violating scenario smaller: without single processes and steps, with half the operations, as long as the property
/// is violated by the same clause.
class Reducer {
 public:
  Reducer(const Property& property, std::string rule, Scenario scenario)
      : property_(property), rule_(std::move(rule)), best_(std::move(scenario)) {}

  Scenario reduce() {
    while (pass()) {
    }
    return best_;
  }

 private:
  bool accept(Scenario candidate) {
    try {
      const auto violation = judge_one(candidate, property_);
      if (!violation || violation->rule != rule_) return false;
    } catch (const std::logic_error&) {  // it cannot be built
      return false;
    }
    best_ = std::move(candidate);
    return true;
  }
  template <class Change>
  bool change_step(std::size_t process, std::size_t step, Change change) {
    Scenario candidate = best_;
    ProcessOp& op = candidate.processes[process].ops[step];
    change(op);
    return !(op == best_.processes[process].ops[step]) && accept(std::move(candidate));
  }
  bool pass() {
    bool changed = false;
    for (std::size_t p = best_.processes.size(); p-- > 0;) {
      if (best_.processes.size() > 1) {
        Scenario candidate = best_;
        candidate.processes.erase(candidate.processes.begin() + static_cast<std::ptrdiff_t>(p));
        if (accept(std::move(candidate))) {
          changed = true;
          continue;
        }
      }
      changed = reduce_steps(p) || changed;
    }
    return changed;
  }
  bool reduce_steps(std::size_t p) {
    bool changed = false;
    for (std::size_t s = best_.processes[p].ops.size(); s-- > 0;) {
      Scenario candidate = best_;
      auto& ops = candidate.processes[p].ops;
      ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(s));
      if (accept(std::move(candidate))) {
        changed = true;
        continue;
      }
      while (change_step(p, s, [](ProcessOp& op) { op.count = std::max(op.count / 2, 1U); })) changed = true;
      while (change_step(p, s, [](ProcessOp& op) { op.count = std::max(op.count - 1, 1U); })) changed = true;
    }
    return changed;
  }

  const Property& property_;
  std::string rule_;
  Scenario best_;
};

}  // namespace

MutationCampaign::MutationCampaign(std::uint64_t seed, std::vector<Scenario> given)
    : seed_(seed), given_(std::move(given)), devices_(campaign_devices()) {
  for (const DeviceSpec& device : devices_) capacities_.push_back(make_device(device)->info().capacity);
}

Scenario MutationCampaign::scenario(std::uint64_t index) const {
  if (index < given_.size()) return given_[index];
  index -= given_.size();
  const std::uint64_t pairs = schedulers().size() * devices_.size();
  const std::uint64_t round = index / pairs;
  const std::size_t device = index % devices_.size();
  const SchedulerInfo& scheduler = schedulers()[index % pairs / devices_.size()];
  return generate_scenario(seed_, index, scheduler, devices_[device], capacities_[device], sizes[round % sizes.size()]);
}

MutantOutcome hunt_mutant(const MutantInfo& mutant, const MutationCampaign& campaign, std::uint64_t cases,
                          const std::function<bool()>& stop) {
  MutantOutcome outcome;
  outcome.mutant = &mutant;
  std::uint64_t tried = 0;
  for (std::uint64_t left = cases; left > 0 && !(stop && stop()); --left) {
    Scenario scenario = campaign.scenario(tried++);
    if (!outcome.kill) outcome.cases = tried;
    scenario.mutant = mutant.name;
    if (!reaches(scenario)) continue;
    if (!outcome.kill) ++outcome.reached;
    const std::vector<Verdict> verdicts = judge_scenario(scenario, "");
    const Verdict* const verdict = killing(verdicts);
    if (verdict == nullptr) continue;
    const bool by_monitor = verdict->property->monitor != nullptr;
    if (outcome.kill && !by_monitor) continue;
    Scenario healthy = scenario;
    healthy.mutant.clear();
    if (const auto violation = judge_one(healthy, *verdict->property)) {
      throw std::logic_error(fmt::format("case {} of the campaign violates {} without a planted bug: {}", tried - 1,
                                         verdict->property->name, violation->message));
    }
    Scenario smallest = Reducer(*verdict->property, verdict->violation->rule, scenario).reduce();
    outcome.kill = {verdict->property, *verdict->violation, std::move(scenario), std::move(smallest)};
    outcome.cases = tried;
    if (by_monitor) break;
    left = std::min(left, cases_after_relation);
  }
  return outcome;
}

std::uint64_t count_operations(const Scenario& scenario) {
  std::uint64_t operations = 0;
  for (const ProcessSpec& process : scenario.processes) {
    std::vector<std::uint64_t> rounds = {1};
    for (const ProcessOp& op : process.ops) {
      switch (op.kind) {
        case ProcessOp::Kind::io:
          operations += rounds.back() * op.count;
          break;
        case ProcessOp::Kind::fsync:
          operations += rounds.back();
          break;
        case ProcessOp::Kind::repeat:
          rounds.push_back(rounds.back() * op.count);
          break;
        case ProcessOp::Kind::end:
          rounds.pop_back();
          break;
        default:
          break;
      }
    }
  }
  return operations;
}

}  // namespace elvcheck
