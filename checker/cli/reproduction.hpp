// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a published experiment on threads, with progress.
#pragma once

#include <optional>

#include "checker/reproduce/experiment.hpp"

namespace elvcheck {

/// @param context what the experiment is told; `simulate` is set here
/// @param jobs    threads, >= 1
/// Nothing if a signal ended it.
std::optional<ExperimentOutcome> run_experiment(const Experiment& experiment, ReproduceContext context, unsigned jobs,
                                                bool progress_wanted);

}  // namespace elvcheck
