// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/published/find.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace elvcheck::published {

std::span<const FindCell> find_cells() {
  static constexpr std::array<FindCell, 10> cells{{
      {"find a", false, {12.18, 11.99}, {0.22, 0.17}, {1520, 1558}},
      {"find a", true, {4.18, 4.09}, {0.12, 0.12}, {418, 410}},
      {"find /etch", false, {4.10, 4.19}, {0.10, 0.11}, {1578, 1578}},
      {"find /etch", true, {4.01, 4.08}, {0.07, 0.07}, {1567, 1568}},
      {"find", false, {21.30, 22.15}, {0.13, 0.19}, {1517, 1520}},
      {"find", true, {7.73, 8.47}, {0.17, 0.12}, {438, 442}},
      {"grep", false, {49.68, 46.14}, {5.61, 5.76}, {101520, 101517}},
      {"grep", true, {32.91, 29.93}, {5.75, 5.79}, {103564, 100425}},
      {"cp", false, {17.87, 15.66}, {0.59, 0.51}, {1244, 1248}},
      {"cp", true, {18.92, 19.24}, {0.45, 0.56}, {1246, 1250}},
  }};
  return cells;
}

const FindCell& find_cell(const char* program, bool patched) {
  const auto cells = find_cells();
  const auto at = std::find_if(cells.begin(), cells.end(), [&](const FindCell& cell) {
    return std::string_view(cell.program) == program && cell.patched == patched;
  });
  if (at == cells.end()) throw std::logic_error("no published figures of that program");
  return *at;
}

}  // namespace elvcheck::published
