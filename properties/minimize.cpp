// SPDX-License-Identifier: GPL-2.0-or-later
// The order of the passes: what makes runs cheap comes first (an ideal device, fewer processes), what makes cases readable
// last. A pass may open a way for an earlier one, so the whole list repeats until it has nothing accepted.
#include "properties/minimize.hpp"

#include <array>

#include "properties/minimize/passes.hpp"

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

Minimized minimize_case(const CaseFile& value, const MinimizeLimits& limits) {
  using Pass = void (*)(MinimizeSearch&);
  // Steps are joined while places are still in a pattern, and again at the end.
  static constexpr std::array<Pass, 14> passes = {
      minimize::flat_device,      minimize::remove_processes, minimize::remove_ops,      minimize::lower_counts,
      minimize::default_settings, minimize::plain_operations, minimize::write_out_draws, minimize::near_places,
      minimize::join_ops,         minimize::lower_places,     minimize::lower_times,     minimize::plain_priorities,
      minimize::join_ops,         minimize::remove_pairs};
  MinimizeSearch search(value, limits);
  std::uint64_t before = 0;
  do {
    before = search.accepted();
    for (const Pass pass : passes) pass(search);
  } while (search.accepted() != before && !search.over());

  Minimized result;
  result.value = value;
  result.value.scenario = search.best();
  result.value.rule = search.rule();
  result.before = size_of(value.scenario);
  result.after = size_of(search.best());
  result.runs = search.runs();
  result.one_minimal = !search.over();
  return result;
}

}  // namespace elvcheck
