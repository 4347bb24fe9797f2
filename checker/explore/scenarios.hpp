// SPDX-License-Identifier: GPL-2.0-or-later
// Every small scenario over a fixed alphabet of steps, the shortest first.
//
// A scenario has 1 to `processes` processes, all starting at time 0, each with a program of 1 to `requests` steps from the
// alphabet: two reads that lie side by side (so that they can merge), a read far away, and an asynchronous write beside
// that. Processes are alike, so scenarios that differ only in their order count once. The first violation of a property is
// therefore a smallest one over this alphabet, which makes the list a yardstick for the minimiser.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/core/scenario.hpp"

namespace elvcheck {

class SmallScenarios {
 public:
  /// @param processes 1 to 3; @param requests of each, 1 to 3
  SmallScenarios(std::string scheduler, unsigned processes, unsigned requests);

  std::uint64_t size() const { return programs_of_.size(); }
  /// The n-th scenario, in ascending order of its number of steps; on the device "flat".
  Scenario at(std::uint64_t n) const;
  /// How many steps it has.
  unsigned steps(std::uint64_t n) const;

 private:
  using Program = std::vector<std::uint8_t>;  // places in the alphabet

  std::string scheduler_;
  std::vector<Program> programs_;
  std::vector<std::vector<std::uint16_t>> programs_of_;  // of each scenario, in ascending order
};

}  // namespace elvcheck
