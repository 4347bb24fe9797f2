// SPDX-License-Identifier: GPL-2.0-or-later
// How CFQ divides the device's time: by ioprio among processes, by weight among cgroups.
//
// Each property runs a scenario of its own, two sequential readers that never stop on a disk, for many slices, and compares
// the times that the device worked for them with the documented ratio. The clock of a slice starts with its first completion
// and stops with the request that overruns it; slices of a second make that small, and the ratio is met within a few
// percent.
#include <fmt/format.h>

#include <map>

#include "properties/cfq_monitor.hpp"
#include "properties/definitions.hpp"
#include "properties/observation.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck::property {

namespace {

constexpr Nanoseconds run_time = 100s;
constexpr std::int64_t tolerance_percent = 10;

/// The device's time for each process, in the order of the scenario.
class DeviceTime : public TraceListener {
 public:
  void on_event(const TraceEvent& event) override {
    if (event.kind == EventKind::issue) issued_at_ = event.at;
    if (event.kind == EventKind::complete) spent[event.process] += event.at - issued_at_;
  }
  std::map<ProcessId, Nanoseconds> spent;

 private:
  Nanoseconds issued_at_{0};  // the device has one command at a time
};

/// Two sequential readers far from each other on a disk of depth 1.
Scenario two_readers(const Scenario& of) {
  Scenario scenario;
  scenario.scheduler = of.scheduler;
  scenario.mutant = of.mutant;
  scenario.device = {"uml-hdd1", {}};
  scenario.block.hz = 1000;
  scenario.limit = run_time;
  scenario.tunables = {{"slice_sync", 1000}, {"low_latency", 0}};
  for (const Sector start : {Sector{0}, Sector{320'000}}) {
    ProcessSpec process;
    process.name = start == 0 ? "first" : "second";
    ProcessOp loop;
    loop.kind = ProcessOp::Kind::repeat;
    loop.count = 1'000'000;
    ProcessOp read;
    read.sector = start;
    read.sectors = 256;
    read.count = 1000;
    ProcessOp end;
    end.kind = ProcessOp::Kind::end;
    process.ops = {loop, read, end};
    scenario.processes.push_back(process);
  }
  return scenario;
}

/// @param numerator, denominator the time of the first reader over that of the second
std::optional<Violation> compare_shares(const Scenario& scenario, std::int64_t numerator, std::int64_t denominator,
                                        const char* rule) {
  Machine machine(scenario);
  DeviceTime times;
  machine.trace().add(times);
  machine.run();
  const std::int64_t first = times.spent[101].count();
  const std::int64_t second = times.spent[102].count();
  const std::int64_t expected = first * denominator;  // should equal second * numerator
  const std::int64_t got = second * numerator;
  const std::int64_t apart = expected > got ? expected - got : got - expected;
  if (apart * 100 <= std::max(expected, got) * tolerance_percent) return std::nullopt;
  return Violation{
      rule,
      fmt::format("the device worked {} ms for one reader and {} ms for the other; the ratio should be {} to {}",
                  first / 1'000'000, second / 1'000'000, numerator, denominator),
      run_time,
      0,
      apart * 100 / std::max(expected, got),
      tolerance_percent};
}

/// Slices of level l: (1 + (4 - l) / 5) x slice_sync.
std::optional<Violation> by_level(PlainRun& given) {
  struct Pair {
    std::uint8_t first, second;
  };
  for (const auto [first, second] : {Pair{0, 4}, Pair{4, 7}, Pair{2, 5}}) {
    Scenario scenario = two_readers(given.scenario());
    scenario.processes[0].ioprio = {IoClass::be, first};
    scenario.processes[1].ioprio = {IoClass::be, second};
    if (auto violation = compare_shares(scenario, 9 - first, 9 - second, "not-by-level")) return violation;
  }
  return std::nullopt;
}

std::optional<Violation> by_weight(PlainRun& given) {
  struct Pair {
    std::uint32_t first, second;
  };
  for (const auto [first, second] : {Pair{500, 500}, Pair{1000, 500}, Pair{200, 800}}) {
    Scenario scenario = two_readers(given.scenario());
    scenario.block.groups = {IoGroup{first, 0, "a"}, IoGroup{second, 0, "b"}};
    scenario.processes[0].group = 1;
    scenario.processes[1].group = 2;
    if (auto violation = compare_shares(scenario, first, second, "not-by-weight")) return violation;
  }
  return std::nullopt;
}

bool is_cfq(const RunFacts& facts) { return facts.simulated && runs(facts, "cfq"); }

}  // namespace

Property cfq_ioprio_share() {
  return {"cfq.ioprio-share",
          "Two readers that never stop get time in proportion to the slices of their levels.",
          "block/cfq-iosched.c (2.6.34 to 4.20): cfq_prio_slice; Documentation/block/ioprio.txt",
          "(9 - level) to (9 - level) of the device's time, within 10 % over 100 s",
          is_cfq,
          nullptr,
          by_level,
          false,
          true};
}

Property cfq_group_share() {
  return {"cfq.group-share",
          "Two readers that never stop in two cgroups get time in proportion to the weights.",
          "Documentation/cgroups/blkio-controller.txt: blkio.weight",
          "weight to weight of the device's time, within 10 % over 100 s",
          is_cfq,
          nullptr,
          by_weight,
          false,
          true};
}

}  // namespace elvcheck::property
