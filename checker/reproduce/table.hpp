// SPDX-License-Identifier: GPL-2.0-or-later
// An experiment's outcome as text for a person, and as results for the reports.
#pragma once

#include <string>
#include <vector>

#include "checker/report/result.hpp"
#include "checker/reproduce/experiment.hpp"

namespace elvcheck {

/// The table measured | simulated | ratio, the parameters with what each was fitted to, the remarks.
std::string experiment_text(const Experiment& experiment, const ExperimentOutcome& outcome);

/// A result for each row and each claim: only a claim can be violated.
std::vector<Result> experiment_results(const Experiment& experiment, const ExperimentOutcome& outcome);

}  // namespace elvcheck
