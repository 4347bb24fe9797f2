// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "checker/report/result.hpp"
#include "model/device/preset.hpp"
#include "properties/case_identity.hpp"
#include "properties/minimize.hpp"

namespace elvcheck {

namespace {

/// One case in so many is judged by the relations too: each of them runs the scenario twice.
constexpr std::uint64_t relations_every = 16;
/// Of so many cases one is on a device with mechanics or flash; the others are on ideal ones, which are as hard for a
/// scheduler and much quicker.
constexpr std::uint64_t real_device_every = 16;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return SplitMix64(SplitMix64(a).next() + b).next(); }

CampaignFailure minimized_failure(std::uint64_t index, const Verdict& verdict, const Scenario& scenario,
                                  std::uint64_t runs) {
  CaseFile value;
  value.property = verdict.property->name;
  value.expect_violated = true;
  value.rule = verdict.violation->rule;
  value.scenario = scenario;
  MinimizeLimits limits;
  limits.runs = runs;
  const Minimized minimized = minimize_case(value, limits);
  CampaignFailure failure;
  failure.index = index;
  failure.property = value.property;
  failure.rule = value.rule;
  failure.id = case_id(minimized.value);
  failure.text = format_case(normalized(minimized.value));
  failure.message = verdict.violation->message;
  failure.ops_before = minimized.before.ops;
  failure.ops_after = minimized.after.ops;
  failure.runs = minimized.runs;
  failure.one_minimal = minimized.one_minimal;
  return failure;
}

}  // namespace

ShardFile::Json campaign_header(const CampaignPlan& plan) {
  ShardFile::Json schedulers = ShardFile::Json::array();
  for (const SchedulerInfo* scheduler : plan.schedulers) schedulers.push_back(scheduler->name);
  ShardFile::Json devices = ShardFile::Json::array();
  for (const DeviceSpec& device : plan.devices) {
    ShardFile::Json parameters = ShardFile::Json::object();
    for (const NamedValue& value : device.parameters) parameters[value.name] = value.value;
    devices.push_back({{"preset", device.preset}, {"parameters", std::move(parameters)}});
  }
  return {
      {"elvcheck", version()},         {"record", "campaign"}, {"seed", plan.seed}, {"shard", plan.shard + 1},
      {"shards", plan.shards},         {"ios", plan.ios},      {"glob", plan.glob}, {"schedulers", std::move(schedulers)},
      {"devices", std::move(devices)}, {"mutant", plan.mutant}};
}

std::uint64_t cases_of_shard(std::uint64_t cases, std::uint64_t shard, std::uint64_t shards) {
  return cases / shards + (shard < cases % shards ? 1 : 0);
}

Campaign::Campaign(const CampaignPlan& plan) : plan_(plan) {
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    capacities_.push_back(make_device(plan.devices[i])->info().capacity);
    const std::string_view model = find_device_preset(plan.devices[i].preset)->model;
    if (model == "flat" || model == "seek") ideal_devices_.push_back(i);
  }
  for (const SchedulerInfo* scheduler : plan.schedulers) totals_.of(*scheduler);
  steer();
}

void Campaign::steer() {
  weights_.clear();
  for (const SchedulerInfo* scheduler : plan_.schedulers) weights_.push_back(recipe_weights(totals_.of(*scheduler).counts));
}

void Campaign::take(const CampaignTotals& stretch) {
  totals_.add(stretch);
  if (totals_.cases % round_cases == 0) steer();
}

void Campaign::resume(const std::vector<ShardFile::Json>& records, const std::string& path) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    try {
      if (records[i].at("first") != totals_.cases) throw std::invalid_argument("it does not follow the one before");
      take(CampaignTotals::from_record(records[i]));
    } catch (const std::exception& error) {
      throw InputError(fmt::format("{}:{}: a record that cannot be used: {}", path, i + 2, error.what()));
    }
  }
}

Campaign::Drawn Campaign::draw(std::uint64_t index) const {
  SplitMix64 numbers(mix(mix(plan_.seed, plan_.shard << 32U | plan_.shards), index));
  Drawn drawn;
  drawn.scheduler = index % plan_.schedulers.size();
  drawn.recipes = draw_recipes(numbers, weights_[drawn.scheduler]);
  const bool ideal = !ideal_devices_.empty() && numbers.below(real_device_every) != 0;
  const std::size_t device =
      ideal ? ideal_devices_[numbers.below(ideal_devices_.size())] : numbers.below(plan_.devices.size());
  const auto ios = static_cast<std::uint32_t>(1 + numbers.below(2 * std::uint64_t{plan_.ios}));
  drawn.device = device;
  drawn.scenario = generate_corners(SplitMix64(numbers.next()), *plan_.schedulers[drawn.scheduler], plan_.devices[device],
                                    capacities_[device], drawn.recipes, ios);
  drawn.scenario.mutant = plan_.mutant;
  return drawn;
}

Scenario Campaign::scenario(std::uint64_t index) const { return draw(index).scenario; }

Campaign::CaseOutcome Campaign::judge(std::uint64_t index) const {
  const Drawn drawn = draw(index);
  try {
    std::optional<RunCoverage> coverage;
    JudgeOptions options;
    options.glob = plan_.glob;
    options.relations = index / plan_.schedulers.size() % relations_every == 0;
    options.once = index < plan_.schedulers.size();
    options.watch = [&](const RunFacts& facts) -> TraceListener& { return coverage.emplace(facts, drawn.scenario); };
    const std::vector<Verdict> verdicts = judge_run(drawn.scenario, options);

    CaseOutcome outcome;
    outcome.scheduler = drawn.scheduler;
    outcome.device = drawn.device;
    outcome.recipes = drawn.recipes;
    outcome.processes = drawn.scenario.processes.size();
    outcome.requests = coverage->requests();
    outcome.reached = coverage->reached();
    for (const Verdict& verdict : verdicts) {
      if (verdict.violation) {
        outcome.violated.push_back(verdict.property);
        outcome.failures.push_back(minimized_failure(index, verdict, drawn.scenario, plan_.minimize_runs));
      } else if (verdict.judged > 0) {
        outcome.held.push_back(verdict.property);
      }
    }
    return outcome;
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("case {} of shard {}/{} of seed {}, {} on {}: {}", index, plan_.shard + 1,
                                         plan_.shards, plan_.seed, drawn.scenario.scheduler, drawn.scenario.device.preset,
                                         error.what()));
  }
}

void Campaign::count(CaseOutcome&& outcome, CampaignTotals& totals) const {
  ++totals.cases;
  totals.requests += outcome.requests;
  ++totals.devices[plan_.devices[outcome.device].preset];
  ++totals.by_requests[std::bit_ceil(std::max<std::uint64_t>(outcome.requests, 1))];
  ++totals.by_processes[outcome.processes];
  auto& of_scheduler = totals.of(*plan_.schedulers[outcome.scheduler]);
  of_scheduler.counts.add(outcome.recipes, outcome.reached);
  for (std::size_t i = 0; i < outcome.reached.rule_hits.size(); ++i) {
    of_scheduler.rule_hits[i] += outcome.reached.rule_hits[i];
  }
  for (const Property* property : outcome.held) ++totals.properties[property->name].judged;
  for (const Property* property : outcome.violated) {
    ++totals.properties[property->name].judged;
    ++totals.properties[property->name].violations;
  }
  std::move(outcome.failures.begin(), outcome.failures.end(), std::back_inserter(totals.failures));
}

void Campaign::run(const std::function<void(const CampaignTotals&, std::uint64_t)>& finished,
                   const std::function<void(std::uint64_t)>& progress) {
  using Clock = std::chrono::steady_clock;
  const auto end = plan_.limits.time.count() > 0 ? Clock::now() + plan_.limits.time : Clock::time_point::max();
  while (totals_.cases < plan_.cases) {
    const std::uint64_t first = totals_.cases;
    const std::uint64_t wanted = std::min(round_cases - first % round_cases, plan_.cases - first);
    const auto start = Clock::now();
    std::vector<CaseOutcome> outcomes(wanted);
    WorkLimits limits = plan_.limits;
    if (limits.time.count() > 0) {
      limits.time = std::chrono::duration_cast<std::chrono::seconds>(end - start) + std::chrono::seconds(1);
      if (start >= end) return;
    }
    const std::uint64_t done = run_pieces(
        wanted, limits, [&](std::uint64_t piece) { outcomes[piece] = judge(first + piece); },
        [&](std::uint64_t pieces) { progress(first + pieces); });
    if (done == 0) return;
    CampaignTotals stretch;
    for (std::uint64_t piece = 0; piece < done; ++piece) count(std::move(outcomes[piece]), stretch);
    stretch.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    finished(stretch, first);
    take(stretch);
    if (done < wanted) return;
  }
}

}  // namespace elvcheck
