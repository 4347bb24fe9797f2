// SPDX-License-Identifier: GPL-2.0-or-later
// How fast a kernel's own code runs behind the seam: requests a second through each scheduler of the installed linux-source
// package, streams a second of a comparison with its model, processor time of a first build, and what a second start takes.
// Without a package every figure is skipped.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "reference/kernel/conform.hpp"
#include "reference/kernel/kernel_set.hpp"
#include "reference/kernel/tree.hpp"

namespace {

using namespace elvcheck;

std::filesystem::path cache() {
  return kernel::cache_directory(std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernel-cache");
}

/// The kernel of the newest package, or nothing, and the benchmark says so.
std::optional<kernel::KernelSet> installed(benchmark::State& state, const char* scheduler,
                                           const std::filesystem::path& where = cache()) {
  if (kernel::debian_source("").empty()) {
    state.SkipWithError("no linux-source package is installed");
    return std::nullopt;
  }
  const kernel::KernelTree tree = kernel::open_tree("debian", where);
  kernel::BuildOptions options;
  options.cache = where;
  return std::optional<kernel::KernelSet>(std::in_place, tree, tree, scheduler, options);
}

/// Eight processes, half of them readers and half writers, eight requests in flight each, on a device that takes 32 at once.
Scenario load(const std::string& scheduler, std::uint32_t operations) {
  Scenario scenario;
  scenario.scheduler = scheduler;
  scenario.device.parameters = {{"queue_depth", 32}, {"service_ns", 10'000}};
  scenario.block.nr_requests = 256;
  scenario.limit = Nanoseconds::max();
  for (std::uint32_t i = 0; i < 8; ++i) {
    ProcessOp op;
    op.op = i % 2 == 0 ? Op::read : Op::write;
    op.flags = i % 2 == 0 ? 0 : REQ_SYNC;
    op.sector = 200'000 * i;
    op.sectors = 8;
    op.span = 200'000;
    op.seed = i + 1;
    op.count = operations / 8;
    op.depth = 8;
    scenario.processes.push_back(ProcessSpec{"p" + std::to_string(i), {}, {op}});
  }
  return scenario;
}

void requests(benchmark::State& state, const char* scheduler) {
  constexpr std::uint32_t operations = 80'000;
  auto kernel = installed(state, scheduler);
  if (!kernel) return;
  const SchedulerInfo* model = kernel::model_for(scheduler, kernel->source().version);
  const Scenario scenario = load(model->name, operations);
  kernel->module(scenario.block.hz);
  const BehindTheSeam seam(kernel->seam());
  for (auto _ : state) {
    Machine machine(scenario);
    benchmark::DoNotOptimize(machine.run().end);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * operations);
}

/// Streams of about 25 requests, in one child process.
void conform(benchmark::State& state, const char* scheduler) {
  auto kernel = installed(state, scheduler);
  if (!kernel) return;
  kernel::ConformPlan plan;
  plan.kernel = &*kernel;
  plan.model = kernel::model_for(scheduler, kernel->source().version);
  plan.devices = {{"flat", {}}};
  plan.max_ios = 25;
  plan.cases = 2000;
  for (const unsigned hz : {250U, 1000U}) kernel->build(hz);
  std::uint64_t streams = 0;
  for (auto _ : state) streams += kernel::conform(plan).streams;
  state.SetItemsProcessed(static_cast<std::int64_t>(streams));
}

double children_cpu() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Unpacks and compiles into an empty cache; the counter is the processor time of all that was started for it.
void first_build(benchmark::State& state, const char* scheduler) {
  double cpu = 0;
  for (auto _ : state) {
    const auto folder = std::filesystem::temp_directory_path() / ("elvcheck-bench-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const double before = children_cpu();
    auto kernel = installed(state, scheduler, folder);
    if (kernel) kernel->build(1000);
    cpu += children_cpu() - before;
    std::filesystem::remove_all(folder);
    if (!kernel) return;
  }
  state.counters["cpu_seconds"] = cpu / static_cast<double>(state.iterations());
}

/// Finds tree and build in the cache and loads it.
void second_start(benchmark::State& state, const char* scheduler) {
  if (auto kernel = installed(state, scheduler))
    kernel->build(1000);
  else
    return;
  for (auto _ : state) {
    auto kernel = installed(state, scheduler);
    benchmark::DoNotOptimize(&kernel->module(1000));
  }
}

BENCHMARK_CAPTURE(requests, mq_deadline, "mq-deadline")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(requests, kyber, "kyber")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(requests, bfq, "bfq")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(conform, mq_deadline, "mq-deadline")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(conform, bfq, "bfq")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(second_start, bfq, "bfq")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(first_build, bfq, "bfq")->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
