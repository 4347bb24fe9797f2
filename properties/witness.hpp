// SPDX-License-Identifier: GPL-2.0-or-later
// Small fixed scenarios on which a documented promise shows: beside the judged scenario, which gives only the scheduler.
#pragma once

#include <string>
#include <vector>

#include "model/core/scenario.hpp"
#include "model/core/trace.hpp"

namespace elvcheck::property {

/// A process of a witness: name, priority and program, one operation a string (properties/case_file.hpp).
struct WitnessProgram {
  const char* name;
  const char* ioprio;
  std::vector<const char*> ops;
};

/// Runs the programs on the device `flat`.
/// @param judged  gives scheduler and planted bug
/// @param device  parameters of the device `flat`
std::vector<TraceEvent> run_witness(const Scenario& judged, const std::vector<NamedValue>& tunables,
                                    const std::vector<WitnessProgram>& programs, const std::vector<NamedValue>& device = {});

}  // namespace elvcheck::property
