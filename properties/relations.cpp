// SPDX-License-Identifier: GPL-2.0-or-later
// Relations between runs: what must not change when something that does not matter is changed.
#include <fmt/format.h>

#include <algorithm>

#include "properties/definitions.hpp"
#include "properties/observation.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck::property {

namespace {

std::optional<Violation> same_hash(const char* rule, PlainRun& run, const Scenario& other) {
  Machine machine(other);
  TraceHasher hasher;
  machine.trace().add(hasher);
  machine.run();
  const std::uint64_t first = run.hash();
  const std::uint64_t second = hasher.hash();
  if (first == second) return std::nullopt;
  return Violation{rule, fmt::format("the traces have the hashes {:016x} and {:016x}", first, second), 0ns, 0, 1, 0};
}

std::optional<Violation> run_twice(PlainRun& run) { return same_hash("differs", run, run.scenario()); }

std::optional<Violation> rename_all(PlainRun& run) {
  Scenario renamed = run.scenario();
  // In the opposite alphabetical order, so that an order by name would show.
  for (std::size_t i = 0; i < renamed.processes.size(); ++i)
    renamed.processes[i].name = fmt::format("renamed-{:06}", renamed.processes.size() - i);
  return same_hash("names-matter", run, renamed);
}

std::optional<Violation> add_idle_process(PlainRun& run) {
  Scenario larger = run.scenario();
  ProcessSpec idle;
  idle.name = "idle-process";
  ProcessOp think;
  think.kind = ProcessOp::Kind::think;
  think.time = 1ms;
  idle.ops.push_back(think);
  larger.processes.insert(larger.processes.begin(), idle);
  for (ProcessSpec& process : larger.processes) {
    for (ProcessOp& op : process.ops) {
      if (op.names_process()) ++op.target;
    }
  }
  return first_difference("idle-process-matters", run.seen(), observe(larger));
}

std::optional<Violation> shift_all(PlainRun& run) {
  const Scenario& scenario = run.scenario();
  if (!scenario.workload.name.empty()) return std::nullopt;  // its places are its own
  Sector highest = 0;
  for (const ProcessSpec& process : scenario.processes) {
    for (const ProcessOp& op : process.ops) {
      if (op.kind != ProcessOp::Kind::io) continue;
      if (op.span != 0) {
        highest = std::max(highest, op.sector + op.span);
        continue;
      }
      const std::int64_t stride = op.stride != 0 ? op.stride : static_cast<std::int64_t>(op.sectors);
      const Sector travel = stride > 0 ? static_cast<Sector>(stride) * (op.count - 1) : 0;
      highest = std::max(highest, op.sector + travel + op.sectors);
    }
  }
  constexpr Sector longest = 1U << 20U;
  const Sector shift = std::min(make_device(scenario.device)->info().capacity - highest, longest);
  if (shift == 0) return std::nullopt;
  Scenario shifted = scenario;
  for (ProcessSpec& process : shifted.processes) {
    for (ProcessOp& op : process.ops) {
      if (op.kind == ProcessOp::Kind::io) op.sector += shift;
    }
  }
  return first_difference("place-matters", run.seen(), observe(shifted, shift));
}

bool simulated(const RunFacts& facts) { return facts.simulated; }

}  // namespace

Property determinism() {
  return {"determinism",
          "The same scenario gives the same trace, event by event.",
          "rule of the simulation: no clock, no addresses, no chance",
          "0 differences",
          simulated,
          nullptr,
          run_twice};
}

Property shift_sectors() {
  return {"metamorphic.shift-sectors",
          "On a device whose service time does not depend on the place, moving every request by the same distance changes "
          "nothing else (BFQ excepted, to which the first request of a queue is seeky beyond sector 800).",
          "the schedulers compare places only with each other; block/bfq-iosched.c (6.1), bfq_update_io_seektime, does not",
          "0 differences",
          [](const RunFacts& facts) { return on_flat_device(facts) && !runs(facts, "bfq"); },
          nullptr,
          shift_all};
}

Property rename_processes() {
  return {"metamorphic.rename-processes",
          "Names of processes have no influence.",
          "a scheduler knows tasks by identity, not by name",
          "0 differences",
          simulated,
          nullptr,
          rename_all};
}

Property idle_process() {
  return {"metamorphic.idle-process",
          "A process without I/O has no influence.",
          "a scheduler meets a task at its first request",
          "0 differences",
          simulated,
          nullptr,
          add_idle_process};
}

}  // namespace elvcheck::property
