// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/theorem/catalogue.hpp"

#include <algorithm>
#include <vector>

namespace elvcheck {

std::span<const Theorem> theorems() {
  static const std::vector<Theorem> table{
      deadline_invariant(), deadline_expired_rank(),     deadline_read_latency(),
      deadline_tight(),     deadline_write_starvation(), deadline_one_batch(),
  };
  return table;
}

const Theorem* find_theorem(std::string_view name) {
  const std::span<const Theorem> table = theorems();
  const auto it = std::find_if(table.begin(), table.end(), [&](const Theorem& theorem) { return theorem.name == name; });
  return it == table.end() ? nullptr : &*it;
}

}  // namespace elvcheck
