// SPDX-License-Identifier: GPL-2.0-or-later
// The table of published experiments.
#include <array>

#include "checker/reproduce/experiment.hpp"

namespace elvcheck {

ExperimentOutcome reproduce_find(const ReproduceContext& context);

std::span<const Experiment> experiments() {
  static constexpr std::array table{
      Experiment{"find", "find, grep -r and cp with and without readahead of ext3 directories (linux-kernel, January 2007)",
                 reproduce_find},
  };
  return table;
}

}  // namespace elvcheck
