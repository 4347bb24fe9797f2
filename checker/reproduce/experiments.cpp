// SPDX-License-Identifier: GPL-2.0-or-later
// The table of published experiments.
#include <array>

#include "checker/reproduce/experiment.hpp"

namespace elvcheck {

ExperimentOutcome reproduce_git_grep(const ReproduceContext& context);

std::span<const Experiment> experiments() {
  static constexpr std::array table{
      Experiment{"git-grep", "git grep over a kernel tree, cfq and bfq, two machines (linux-kernel, June 2014)",
                 reproduce_git_grep},
  };
  return table;
}

}  // namespace elvcheck
