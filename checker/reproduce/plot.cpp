// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/reproduce/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "properties/atomic_file.hpp"
#include "properties/case_file.hpp"
#include "reference/kernel/command.hpp"

namespace elvcheck {

namespace fs = std::filesystem;

namespace {

/// "median least most", or question marks, which gnuplot takes for missing values.
std::string columns(const std::vector<double>& values) {
  if (values.empty()) return "? ? ?";
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{:.4f} {:.4f} {:.4f}", median(values), *least, *most);
}

/// As gnuplot reads it between double quotes: no escapes, no enhanced text.
std::string plain(std::string text) {
  std::replace(text.begin(), text.end(), '"', '\'');
  std::replace(text.begin(), text.end(), '\\', '/');
  return text;
}

std::string data_file(const ExperimentOutcome& outcome, const std::string& metric) {
  std::string text = "# row measured least most simulated least most\n";
  for (const Row& row : outcome.rows) {
    if (row.metric != metric || (row.measured.empty() && row.simulated.empty())) continue;
    text += fmt::format("\"{}\" {} {}\n", plain(row.name), columns(row.measured), columns(row.simulated));
  }
  return text;
}

std::string script(const Experiment& experiment, const std::string& stem, const std::string& metric, std::size_t bars) {
  return fmt::format(
      R"(# Drawn by gnuplot: gnuplot {0}.gp
set terminal svg size {1},640 noenhanced background "white"
set output "{0}.svg"
set datafile missing "?"
set title "{2}"
set ylabel "{3}"
set yrange [0:*]
set grid ytics
set xtics rotate by -40 nomirror
set bmargin 12
set key top right
set style fill solid 0.7
set boxwidth 0.36
set style histogram errorbars gap 1 linewidth 1
set style data histograms
plot "{0}.dat" using 2:3:4:xtic(1) title "measured", "" using 5:6:7 title "simulated"
)",
      stem, std::max<std::size_t>(640, 160 + 70 * bars), plain(experiment.summary), plain(metric));
}

std::string draw(const Experiment& experiment, const ExperimentOutcome& outcome, const fs::path& folder,
                 const std::string& stem, const std::string& metric) {
  const std::string data = data_file(outcome, metric);
  const auto bars = static_cast<std::size_t>(std::count(data.begin(), data.end(), '\n')) - 1;
  if (bars == 0) return {};
  write_file_atomically((folder / (stem + ".dat")).string(), data);
  write_file_atomically((folder / (stem + ".gp")).string(), script(experiment, stem, metric, bars));
  const auto drawn = kernel::run_command({{"gnuplot", stem + ".gp"}, "", folder});
  if (!drawn.ok()) {
    const std::string reason = drawn.errors.substr(0, drawn.errors.find_last_not_of(" \n") + 1);
    throw InputError(fmt::format("{}: gnuplot failed: {}", (folder / (stem + ".gp")).string(), reason));
  }
  return (folder / (stem + ".svg")).string();
}

}  // namespace

void require_gnuplot() {
  if (!kernel::run_command({{"gnuplot", "--version"}, "", {}}).ok())
    throw InputError("--plots: gnuplot, which draws them, cannot be run; install the package gnuplot-nox");
}

std::string plot_experiment(const Experiment& experiment, const ExperimentOutcome& outcome, const std::string& folder) {
  std::set<std::string> metrics;
  for (const Row& row : outcome.rows) metrics.insert(row.metric);
  std::string drawn;
  for (const std::string& metric : metrics) {
    const std::string stem = metrics.size() == 1 ? experiment.name : fmt::format("{}-{}", experiment.name, metric);
    const std::string path = draw(experiment, outcome, folder, stem, metric);
    if (!path.empty()) drawn += (drawn.empty() ? "" : ", ") + path;
  }
  return drawn;
}

}  // namespace elvcheck
