// SPDX-License-Identifier: GPL-2.0-or-later
// How fast the simulation runs: requests a second of real time through each scheduler and device, without listeners; cases a
// second of a campaign with all properties; memory of a long run.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "model/device/preset.hpp"
#include "model/machine.hpp"
#include "properties/generator.hpp"
#include "properties/property.hpp"

namespace {

using namespace elvcheck;

/// Eight processes, half of them random readers and half async sequential writers, eight operations in flight each.
Scenario mixed_load(const char* scheduler, const char* device, Sector span, std::uint32_t operations) {
  Scenario scenario;
  scenario.scheduler = scheduler;
  scenario.device.preset = device;
  scenario.block.nr_requests = 256;
  scenario.limit = Nanoseconds::max();
  const Sector region = span / 8 / 8 * 8;
  for (std::uint32_t i = 0; i < 8; ++i) {
    ProcessOp op;
    op.op = i % 2 == 0 ? Op::read : Op::write;
    op.flags = i % 2 == 0 ? 0 : REQ_SYNC;
    op.sector = region * i;
    op.sectors = 8;
    op.span = region;
    op.seed = i + 1;
    op.count = operations / 8;
    op.depth = 8;
    scenario.processes.push_back(ProcessSpec{"p" + std::to_string(i), {}, {op}});
  }
  return scenario;
}

void simulate(benchmark::State& state, const char* scheduler, const char* device) {
  constexpr std::uint32_t operations = 80'000;
  const Sector capacity = make_device(DeviceSpec{device, {}})->info().capacity;
  const Scenario scenario = mixed_load(scheduler, device, std::min<Sector>(capacity, 1'000'000'000), operations);
  for (auto _ : state) {
    Machine machine(scenario);
    benchmark::DoNotOptimize(machine.run().end);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * operations);
}

/// Cases of at most 25 operations, each judged by every property.
void campaign(benchmark::State& state, const char* scheduler) {
  const SchedulerInfo& info = *find_scheduler(scheduler);
  const DeviceSpec device;
  const Sector capacity = make_device(device)->info().capacity;
  std::uint64_t index = 0;
  for (auto _ : state) {
    for (int i = 0; i < 100; ++i)
      benchmark::DoNotOptimize(judge_scenario(generate_scenario(1, index++, info, device, capacity, 25), ""));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(index));
}

/// Ten million requests; the peak of the whole process in MB, so run it alone (--benchmark_filter=memory).
void memory(benchmark::State& state, const char* scheduler) {
  constexpr std::uint32_t operations = 10'000'000;
  const Scenario scenario = mixed_load(scheduler, "flat", 2'000'000, operations);
  for (auto _ : state) {
    Machine machine(scenario);
    benchmark::DoNotOptimize(machine.run().end);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1000;
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * operations);
}

void register_all() {
  for (const SchedulerInfo& scheduler : schedulers()) {
    const std::string name = scheduler.name;
    benchmark::RegisterBenchmark(("campaign/" + name).c_str(), campaign, scheduler.name)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("memory/" + name).c_str(), memory, scheduler.name)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  for (const SchedulerInfo& scheduler : schedulers()) {
    for (const char* device : {"flat", "seek", "sata-7200-2014", "sata-ssd-2014", "nvme-2020"}) {
      const std::string name = std::string("simulate/") + scheduler.name + "/" + device;
      benchmark::RegisterBenchmark(name.c_str(), simulate, scheduler.name, device)->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
