// SPDX-License-Identifier: GPL-2.0-or-later
// git grep over a Linux kernel repository with cold caches, measured with cfq and bfq on two machines in June 2014.
//
// From the thread on linux-kernel in which T. Iwai reported that `git grep` regresses badly with BFQ v7r4 and P. Valente
// answered with a fixed version ("v7rc5" for 3.16-rc0): each command was timed three times with time(1). Machine A is
// Valente's, machine B Iwai's. The figures with v7r4 were not in the posts.
#pragma once

#include <array>
#include <span>

namespace elvcheck::published {

/// One cell of the posts: three runs of one command.
struct GitGrepCell {
  char machine;     ///< 'A' or 'B'
  bool rotational;  ///< else an SSD
  bool head;        ///< `git grep foo HEAD`, else `git grep foo`
  bool bfq;         ///< the fixed bfq, else cfq
  std::array<double, 3> elapsed_s;
  std::array<double, 3> user_s;
  std::array<double, 3> system_s;

  /// Mean of user + system time of the three runs.
  double cpu_s() const {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += user_s[i] + system_s[i];
    return sum / 3;
  }
};

/// All 14 of them.
std::span<const GitGrepCell> git_grep_cells();

}  // namespace elvcheck::published
