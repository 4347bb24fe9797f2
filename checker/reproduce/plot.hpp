// SPDX-License-Identifier: GPL-2.0-or-later
// An experiment's rows as a bar chart, drawn by gnuplot.
#pragma once

#include <string>

#include "checker/reproduce/experiment.hpp"

namespace elvcheck {

/// Throws InputError naming the Debian package if gnuplot is not in PATH. Asked before the long work starts.
void require_gnuplot();

/// Writes FOLDER/NAME.dat, FOLDER/NAME.gp and, by running gnuplot on the second, FOLDER/NAME.svg: for every row the measured
/// and the simulated median, with lines from least to most. NAME is the experiment's; with several metrics each has files of
/// its own, NAME-METRIC. Returns the paths of the drawings. Throws InputError.
std::string plot_experiment(const Experiment& experiment, const ExperimentOutcome& outcome, const std::string& folder);

}  // namespace elvcheck
