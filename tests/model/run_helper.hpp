// SPDX-License-Identifier: GPL-2.0-or-later
// Short ways to write a scenario and to look at what came of it.
#pragma once

#include <string>
#include <vector>

#include "model/machine.hpp"

namespace elvcheck::testing_support {

inline ProcessOp io(Op op, Sector sector, SectorCount sectors, ReqFlags flags = 0, bool nowait = true) {
  ProcessOp step;
  step.op = op;
  step.sector = sector;
  step.sectors = sectors;
  step.flags = flags;
  step.nowait = nowait;
  return step;
}
inline ProcessOp step(ProcessOp::Kind kind) {
  ProcessOp op;
  op.kind = kind;
  return op;
}
inline ProcessOp timed(ProcessOp::Kind kind, Nanoseconds time) {
  ProcessOp op = step(kind);
  op.time = time;
  return op;
}

/// The steps in a plug, all submitted at one instant.
inline std::vector<ProcessOp> plugged(std::vector<ProcessOp> ops) {
  ops.insert(ops.begin(), step(ProcessOp::Kind::plug));
  ops.push_back(step(ProcessOp::Kind::unplug));
  return ops;
}

/// One process on a device of one server with 1 ms for each command.
inline Scenario one_process(const std::string& scheduler, std::vector<ProcessOp> ops) {
  Scenario scenario;
  scenario.scheduler = scheduler;
  scenario.block.hz = 1000;
  scenario.block.nr_requests = 64;
  scenario.device.preset = "flat";
  scenario.device.parameters = {{"service_ns", 1'000'000}, {"queue_depth", 1}};
  scenario.processes.push_back(ProcessSpec{"p", {}, std::move(ops)});
  return scenario;
}

struct Ran {
  std::vector<TraceEvent> events;
  RunResult result;

  std::vector<TraceEvent> of(EventKind kind) const {
    std::vector<TraceEvent> some;
    for (const TraceEvent& event : events) {
      if (event.kind == kind) some.push_back(event);
    }
    return some;
  }
  std::vector<Sector> issued() const {
    std::vector<Sector> sectors;
    for (const TraceEvent& event : of(EventKind::issue)) sectors.push_back(event.sector);
    return sectors;
  }
};

inline Ran run(const Scenario& scenario) {
  Machine machine(scenario);
  TraceKeeper keeper;
  machine.trace().add(keeper);
  Ran ran;
  ran.result = machine.run();
  ran.events = std::move(keeper.events);
  return ran;
}

}  // namespace elvcheck::testing_support
