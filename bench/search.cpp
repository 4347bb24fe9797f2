// SPDX-License-Identifier: GPL-2.0-or-later
// How fast random search is: cases a second with all properties, and the minimiser on a failure of 400 requests.
#include <benchmark/benchmark.h>

#include <optional>
#include <string>
#include <utility>

#include "model/device/preset.hpp"
#include "properties/corner_generator.hpp"
#include "properties/coverage.hpp"
#include "properties/minimize.hpp"
#include "properties/property.hpp"

namespace {

using namespace elvcheck;

constexpr RecipeSet all_recipes = (RecipeSet{1} << recipe_count) - 1;

/// How much is done with a case; each step includes those before it.
enum class Work { draw, build, run, cover, monitor, judge };
constexpr std::pair<Work, const char*> works[] = {{Work::draw, "draw"},       {Work::build, "build"},
                                                  {Work::run, "run"},         {Work::cover, "cover"},
                                                  {Work::monitor, "monitor"}, {Work::judge, "judge"}};

/// Cases of 25 requests on average: drawn, built, run without listeners, run under coverage, judged by all monitors, and
/// (`judge`) one in 16 by the relations too, which is what `fuzz` does.
void cases(benchmark::State& state, const SchedulerInfo& scheduler, Work work) {
  constexpr std::uint32_t ios = 19;  // a case has a third more than it is asked for
  const DeviceSpec device{"flat", {}};
  const Sector capacity = make_device(device)->info().capacity;
  std::uint64_t number = 0;
  std::uint64_t requests = 0;
  for (auto _ : state) {
    SplitMix64 numbers(++number);
    const RecipeSet chosen = static_cast<RecipeSet>(numbers.next() & numbers.next()) & all_recipes;
    const Scenario scenario = generate_corners(SplitMix64(numbers.next()), scheduler, device, capacity, chosen, ios);
    if (work == Work::draw) {
      benchmark::DoNotOptimize(scenario.processes.data());
    } else if (work < Work::monitor) {
      Machine machine(scenario);
      RunCoverage coverage(machine.facts(), scenario);
      if (work == Work::cover) machine.trace().add(coverage);
      if (work >= Work::run) benchmark::DoNotOptimize(machine.run().end);
    } else {
      std::optional<RunCoverage> coverage;
      JudgeOptions options;
      options.relations = work == Work::judge && number % 16 == 0;
      options.once = false;
      options.watch = [&](const RunFacts& facts) -> TraceListener& { return coverage.emplace(facts, scenario); };
      benchmark::DoNotOptimize(judge_run(scenario, options));
      requests += coverage->requests();
    }
  }
  state.SetItemsProcessed(state.iterations());
  if (requests > 0) {
    state.counters["requests_per_case"] =
        benchmark::Counter(static_cast<double>(requests), benchmark::Counter::kAvgIterations);
  }
}

/// A batch that is one too long among 400 single requests at scattered places.
void minimize_failure(benchmark::State& state) {
  CaseFile value;
  value.property = "deadline.fifo-batch";
  value.expect_violated = true;
  value.scenario.scheduler = "deadline-4.19";
  value.scenario.mutant = "deadline.batch-one-more";
  value.scenario.tunables = {{"fifo_batch", 2}};
  value.scenario.processes.push_back({"reader", {}, {}});
  for (Sector i = 0; i < 400; ++i) {
    ProcessOp op;
    op.nowait = true;
    op.sector = 48 * (i * 37 % 400);
    value.scenario.processes[0].ops.push_back(op);
  }
  Minimized result;
  for (auto _ : state) result = minimize_case(value);
  state.counters["runs"] = static_cast<double>(result.runs);
  state.counters["ops_after"] = static_cast<double>(result.after.ops);
}
BENCHMARK(minimize_failure)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  for (const SchedulerInfo& scheduler : schedulers()) {
    for (const auto& [work, name] : works) {
      benchmark::RegisterBenchmark((std::string("cases/") + scheduler.name + "/" + name).c_str(), cases, scheduler, work);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
