// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/published/git_grep.hpp"

#include <fmt/format.h>

#include "checker/reproduce/experiment.hpp"

namespace elvcheck {

ExperimentOutcome reproduce_git_grep(const ReproduceContext&) {
  ExperimentOutcome outcome;
  for (const published::GitGrepCell& cell : published::git_grep_cells()) {
    Row row;
    row.name = fmt::format("{} {}{} {}", cell.machine, cell.rotational ? "disk" : "ssd", cell.head ? " HEAD" : "",
                           cell.bfq ? "bfq-v7r5" : "cfq-4.4");
    row.metric = "elapsed_s";
    row.measured.assign(cell.elapsed_s.begin(), cell.elapsed_s.end());
    outcome.rows.push_back(std::move(row));
  }
  return outcome;
}

}  // namespace elvcheck
