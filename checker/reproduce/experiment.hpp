// SPDX-License-Identifier: GPL-2.0-or-later
// A published experiment, simulated: its rows beside the measured ones, what was fitted to what, and what has to come out.
//
// A new experiment is one file beside this one with a function that runs it, and one line in experiments.cpp. The measured
// figures are in reference/published. An experiment simulates every variant with every seed through
// ReproduceContext::simulate, which has the threads, the progress and the signals; what it returns must not depend on them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace elvcheck {

/// Where a row's simulated figure comes from.
enum class Role : std::uint8_t {
  fitted,     ///< a parameter was chosen so that this figure comes out: no evidence
  predicted,  ///< nothing was chosen for it
};

/// A number that the simulation needs and the publication does not state.
struct Parameter {
  std::string name;       ///< "aging of the layout, machine A"
  std::string value;      ///< with its unit
  std::string fitted_to;  ///< the published figure that it was chosen for; empty: taken from where `source` says
  std::string source{};
};

/// One measured figure and its simulation.
struct Row {
  std::string name;               ///< what it is of: "machine A, rotational, bfq-v7r5"
  std::string metric;             ///< with its unit, as a key: "elapsed_s"
  std::vector<double> measured;   ///< every published run, in order; empty: nothing was published
  std::vector<double> simulated;  ///< one for each seed
  Role role = Role::predicted;
  double tolerance = 0;  ///< relative: how far the medians may be apart to be said to agree; 0: no such claim
  std::string scheduler{};
  std::string device{};  ///< preset, with parameters
  std::string remark{};  ///< why it differs, if that is known

  double measured_median() const;
  double simulated_median() const;
  /// Simulated over measured; 0 where nothing was measured.
  double ratio() const;
  bool agrees() const;
};

/// What has to come out of a simulation, whatever the absolute figures are. Not holding is a violation.
struct Claim {
  std::string name;       ///< "direction-a"
  std::string statement;  ///< "On machine A's disk bfq-v7r5 is faster than cfq."
  bool held = false;
  std::string detail;  ///< with the numbers
};

struct ExperimentOutcome {
  std::vector<Parameter> parameters;
  std::vector<Row> rows;
  std::vector<Claim> claims;
  std::vector<std::string> remarks;  ///< sentences for below the table
};

/// What an experiment is told, and where its simulations are run.
struct ReproduceContext {
  std::uint64_t seed = 1;  ///< of the first simulation; the others have the numbers that follow
  unsigned seeds = 11;     ///< simulations of every row, >= 1
  bool brief = false;      ///< for `elvcheck run`: a share of the one minute that all experiments have there
  std::string tree;        ///< a folder to take names and sizes from in place of the stated numbers; empty: none
  /// Calls body(0) .. body(count - 1), each once, on several threads. Throws what a body throws; after a signal some are
  /// left out and Interrupted is thrown.
  std::function<void(std::size_t count, const std::function<void(std::size_t)>& body)> simulate;

  struct Interrupted {};
};

struct Experiment {
  const char* name;     ///< as on the command line: "find"
  const char* summary;  ///< what was measured, by whom, when
  ExperimentOutcome (*run)(const ReproduceContext&);
};

/// Every experiment, in the order in which `elvcheck reproduce` runs them.
std::span<const Experiment> experiments();

/// Of the middle two if there are two. The values must not be empty.
double median(std::vector<double> values);

/// "30.8 (29.9-31.4)": median and range.
std::string median_and_range(const std::vector<double>& values);

}  // namespace elvcheck
