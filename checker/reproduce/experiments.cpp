// SPDX-License-Identifier: GPL-2.0-or-later
// The table of published experiments.
#include <array>

#include "checker/reproduce/experiment.hpp"

namespace elvcheck {

ExperimentOutcome reproduce_git_grep(const ReproduceContext& context);
ExperimentOutcome reproduce_find(const ReproduceContext& context);

std::span<const Experiment> experiments() {
  static constexpr std::array table{
      Experiment{"git-grep", "git grep over a kernel tree, cfq and bfq, two machines (linux-kernel, June 2014)",
                 reproduce_git_grep},
      Experiment{"find", "find, grep -r and cp with and without readahead of ext3 directories (linux-kernel, January 2007)",
                 reproduce_find},
  };
  return table;
}

}  // namespace elvcheck
