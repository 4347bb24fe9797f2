// SPDX-License-Identifier: GPL-2.0-or-later
// What a program must fulfil beyond its grammar: balanced repeats, places on the device, a length that ends.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/core/scenario.hpp"

namespace elvcheck {

/// Letters, digits, '_', '-' and '.', 1 to 64 of them.
bool is_process_name(std::string_view name);

/// Checks one program, operation by operation.
class ProgramChecker {
 public:
  /// Operations that a program may run, rounds of repeats and repeated submissions counted.
  static constexpr std::uint64_t most_steps = 1'000'000'000;

  /// @param capacity of the device, in sectors
  /// @param process the index of the process whose program it is
  ProgramChecker(Sector capacity, std::uint32_t process) : capacity_(capacity), process_(process) {}

  /// Throws std::invalid_argument: what is wrong and how to mend it.
  void add(const ProcessOp& op);
  /// The program is complete. Throws as add() does.
  void finish() const;

 private:
  void check_place(const ProcessOp& op) const;

  Sector capacity_;
  std::uint32_t process_;
  bool plugged_ = false;
  struct OpenRepeat {
    std::uint64_t rounds;  // product of this repeat's and of those around it
    bool plugged;          // when it began
  };
  std::vector<OpenRepeat> repeats_;
  std::uint64_t steps_ = 0;
};

}  // namespace elvcheck
