// SPDX-License-Identifier: GPL-2.0-or-later
// The order of the passes: what makes runs cheap comes first (an ideal device, fewer processes), what makes cases readable
// last. A pass may open a way for an earlier one, so the whole list repeats until it has nothing accepted.
#include "properties/minimize.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "properties/minimize/passes.hpp"
#include "properties/property.hpp"

namespace elvcheck {

ScenarioSize size_of(const Scenario& scenario) {
  ScenarioSize size;
  size.processes = scenario.processes.size();
  for (const ProcessSpec& process : scenario.processes) {
    size.ops += process.ops.size();
    std::vector<std::uint64_t> rounds = {1};
    for (const ProcessOp& op : process.ops) {
      if (op.kind == ProcessOp::Kind::repeat) rounds.push_back(rounds.back() * op.count);
      if (op.kind == ProcessOp::Kind::end && rounds.size() > 1) rounds.pop_back();
      if (op.kind == ProcessOp::Kind::io) size.requests += rounds.back() * op.count;
      if (op.kind == ProcessOp::Kind::fsync) size.requests += rounds.back();
    }
  }
  return size;
}

namespace {

const Property& property_of(const CaseFile& value) {
  if (value.property.empty()) throw InputError("the case names no property; add property = \"...\" to say what to keep");
  const Property* const property = find_property(value.property);
  if (property == nullptr) throw InputError(fmt::format("unknown property '{}'", value.property));
  return *property;
}

/// Checks that the case has its verdict. Returns the clause that is violated; empty if the case expects the property to
/// hold.
std::string rule_to_keep(const CaseFile& value, const Property& property) {
  const auto verdict = judge_property(value.scenario, property);
  if (!verdict) {
    try {
      const Machine machine(value.scenario);
    } catch (const std::invalid_argument& error) {
      throw InputError(error.what());
    }
    throw InputError(
        fmt::format("property '{}' says nothing about this scenario with {}", value.property, value.scenario.scheduler));
  }
  if (value.expect_violated && !verdict->violation)
    throw InputError(fmt::format("{} holds here: there is no violation to keep", property.name));
  if (!value.expect_violated && verdict->violation) {
    throw InputError(fmt::format("the property is violated ({}), but the case expects it to hold; set expect = \"violated\"",
                                 verdict->violation->message));
  }
  if (!value.expect_violated && verdict->judged == 0) throw InputError("the property has nothing to judge here");
  if (!value.expect_violated) return "";
  if (!value.rule.empty() && value.rule != verdict->violation->rule) {
    throw InputError(
        fmt::format("the property is violated by rule '{}', not by '{}'", verdict->violation->rule, value.rule));
  }
  return verdict->violation->rule;
}

}  // namespace

Minimized minimize_case(const CaseFile& value, const ScenarioJudge& shows, const MinimizeLimits& limits) {
  using Pass = void (*)(MinimizeSearch&);
  // Steps are joined while places are still in a pattern, and again at the end.
  static constexpr std::array<Pass, 15> passes = {
      minimize::flat_device,      minimize::small_workload,   minimize::remove_processes, minimize::remove_ops,
      minimize::lower_counts,     minimize::default_settings, minimize::plain_operations, minimize::write_out_draws,
      minimize::near_places,      minimize::join_ops,         minimize::lower_places,     minimize::lower_times,
      minimize::plain_priorities, minimize::join_ops,         minimize::remove_pairs};
  MinimizeSearch search(value.scenario, shows, limits);
  std::uint64_t before = 0;
  do {
    before = search.accepted();
    for (const Pass pass : passes) pass(search);
  } while (search.accepted() != before && !search.over());

  Minimized result;
  result.value = value;
  result.value.scenario = search.best();
  result.before = size_of(value.scenario);
  result.after = size_of(search.best());
  result.runs = search.runs();
  result.one_minimal = !search.over();
  return result;
}

Minimized minimize_case(const CaseFile& value, const MinimizeLimits& limits) {
  const Property& property = property_of(value);
  CaseFile kept = value;
  kept.rule = rule_to_keep(value, property);
  const auto shows = [&](const Scenario& scenario) {
    const auto verdict = judge_property(scenario, property);
    if (!verdict) return false;
    if (kept.expect_violated) return verdict->violation && verdict->violation->rule == kept.rule;
    return !verdict->violation && verdict->judged > 0;
  };
  return minimize_case(kept, shows, limits);
}

}  // namespace elvcheck
