// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/streams.hpp"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "properties/generator.hpp"

namespace elvcheck {
namespace {

/// What is kept of one piece until all are done.
struct PieceOutcome {
  std::vector<Verdict> verdicts;
  std::chrono::nanoseconds time{0};
};

/// How much there is to read in a scenario.
std::size_t steps(const Scenario& scenario) {
  std::size_t count = scenario.tunables.size();
  for (const ProcessSpec& process : scenario.processes) count += 1 + process.ops.size();
  return count;
}

}  // namespace

StreamOutcome run_streams(const StreamPlan& plan, const std::function<void(std::uint64_t)>& finished) {
  std::vector<Sector> capacities;
  for (const DeviceSpec& device : plan.devices) capacities.push_back(make_device(device)->info().capacity);
  // Piece n is stream n / pairs of pair n % pairs: when time runs out, every pair has had its share.
  const std::uint64_t pairs = plan.schedulers.size() * plan.devices.size();
  const auto scenario_of = [&](std::uint64_t piece) {
    const std::uint64_t pair = piece % pairs;
    const std::size_t device = pair % plan.devices.size();
    return generate_scenario(plan.seed, piece / pairs, *plan.schedulers[pair / plan.devices.size()], plan.devices[device],
                             capacities[device]);
  };
  std::vector<PieceOutcome> pieces(plan.pieces());
  const auto judge = [&](std::uint64_t piece) {
    const Scenario scenario = scenario_of(piece);
    const auto start = thread_time();
    try {
      JudgeOptions options;
      options.glob = plan.glob;
      options.once = piece < pairs && piece % plan.devices.size() == 0;
      pieces[piece].verdicts = judge_run(scenario, options);
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("random stream {} of seed {}, {} on {}: {}", piece / pairs, plan.seed,
                                           scenario.scheduler, scenario.device.preset, error.what()));
    }
    pieces[piece].time = thread_time() - start;
  };

  StreamOutcome outcome;
  outcome.done = run_pieces(plan.pieces(), plan.limits, judge, finished);

  std::map<const Property*, std::size_t> place;
  for (const Property& property : properties()) {
    if (property.refuted || !glob_match(plan.glob, property.name)) continue;
    place[&property] = outcome.tallies.size();
    outcome.tallies.push_back({&property, 0, 0, std::chrono::nanoseconds(0), std::nullopt});
  }
  std::map<const Property*, std::size_t> least;
  for (std::uint64_t piece = 0; piece < outcome.done; ++piece) {
    for (const Verdict& verdict : pieces[piece].verdicts) {
      PropertyTally& tally = outcome.tallies[place.at(verdict.property)];
      if (verdict.judged == 0 && !verdict.violation) continue;
      ++tally.judged;
      tally.time += pieces[piece].time;
      if (!verdict.violation) continue;
      ++tally.violations;
      Scenario scenario = scenario_of(piece);
      const std::size_t size = steps(scenario);
      if (tally.found && size >= least[verdict.property]) continue;
      least[verdict.property] = size;
      tally.found = {*verdict.violation, std::move(scenario)};
    }
  }
  return outcome;
}

}  // namespace elvcheck
