// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/witness.hpp"

#include "model/machine.hpp"
#include "properties/case_file.hpp"

namespace elvcheck::property {

std::vector<TraceEvent> run_witness(const Scenario& judged, const std::vector<NamedValue>& tunables,
                                    const std::vector<WitnessProgram>& programs, const std::vector<NamedValue>& device) {
  Scenario scenario;
  scenario.scheduler = judged.scheduler;
  scenario.mutant = judged.mutant;
  scenario.tunables = tunables;
  scenario.block.nr_requests = 32;
  scenario.device.parameters = device;
  std::vector<std::string> names;
  for (const WitnessProgram& program : programs) names.emplace_back(program.name);
  for (const WitnessProgram& program : programs) {
    ProcessSpec process;
    process.name = program.name;
    process.ioprio = parse_ioprio(program.ioprio).value();
    for (const char* op : program.ops) process.ops.push_back(parse_op(op, names));
    scenario.processes.push_back(std::move(process));
  }
  Machine machine(scenario);
  TraceKeeper keeper;
  machine.trace().add(keeper);
  machine.run();
  return std::move(keeper.events);
}

}  // namespace elvcheck::property
