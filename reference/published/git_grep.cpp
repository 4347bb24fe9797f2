// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/published/git_grep.hpp"

namespace elvcheck::published {

std::span<const GitGrepCell> git_grep_cells() {
  static constexpr std::array<GitGrepCell, 14> cells{{
      {'A', true, false, false, {29.51, 30.30, 29.13}, {2.86, 2.87, 2.82}, {4.87, 4.87, 4.90}},
      {'A', true, false, true, {25.96, 24.79, 24.73}, {2.81, 2.83, 2.85}, {4.97, 5.02, 4.95}},
      {'A', false, false, false, {3.88, 3.89, 3.89}, {2.04, 2.12, 2.05}, {3.93, 3.85, 3.92}},
      {'A', false, false, true, {3.89, 3.88, 3.89}, {2.10, 2.05, 2.01}, {3.86, 3.90, 3.95}},
      {'A', false, true, false, {6.71, 6.78, 6.69}, {5.11, 5.21, 5.05}, {0.38, 0.36, 0.41}},
      {'A', false, true, true, {6.77, 6.73, 6.78}, {5.17, 5.13, 5.17}, {0.39, 0.37, 0.37}},
      {'B', true, false, false, {120.12, 116.20, 106.81}, {2.34, 2.49, 2.42}, {4.04, 3.80, 3.68}},
      {'B', true, false, true, {109.65, 115.92, 110.06}, {2.44, 2.47, 2.47}, {3.57, 3.67, 3.63}},
      {'B', false, false, false, {4.62, 4.65, 4.61}, {1.25, 1.23, 1.22}, {1.54, 1.67, 1.60}},
      {'B', false, false, true, {6.91, 6.66, 4.73}, {1.29, 1.30, 1.27}, {1.64, 1.66, 1.59}},
      {'B', true, true, false, {19.86, 19.88, 20.05}, {5.12, 5.06, 5.00}, {0.43, 0.45, 0.41}},
      {'B', true, true, true, {19.56, 19.53, 19.69}, {4.82, 5.00, 4.92}, {0.37, 0.43, 0.45}},
      {'B', false, true, false, {7.26, 7.25, 7.16}, {4.49, 4.50, 4.40}, {0.32, 0.31, 0.32}},
      {'B', false, true, true, {6.93, 6.54, 6.40}, {4.09, 3.76, 3.65}, {0.26, 0.23, 0.22}},
  }};
  return cells;
}

}  // namespace elvcheck::published
