// SPDX-License-Identifier: GPL-2.0-or-later
// find, grep -r and cp with and without readahead of ext3 directories, measured in January 2007.
//
// From F. Wu's mail of 10 January 2007 in the linux-kernel thread "How git affects kernel.org performance", second version
// of the patch "ext3 readdir readahead": a SATA disk, cold caches, two runs of each; zsh's time gave elapsed, kernel and
// user seconds and voluntary context switches, one for each wait.
#pragma once

#include <array>
#include <span>

namespace elvcheck::published {

/// Two runs of one program.
struct FindCell {
  const char* program;  ///< "find a", "find /etch", "find", "grep", "cp" (the last three at once)
  bool patched;
  std::array<double, 2> elapsed_s;
  std::array<double, 2> cpu_s;  ///< kernel + user
  std::array<double, 2> waits;
};

/// All ten of them.
std::span<const FindCell> find_cells();
/// Throws std::logic_error if there is none.
const FindCell& find_cell(const char* program, bool patched);

}  // namespace elvcheck::published
