// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <bit>
#include <cstdint>

namespace elvcheck {

/// The largest r with r * r <= n, by Newton's method from above.
constexpr std::uint64_t integer_root(std::uint64_t n) {
  if (n < 2) return n;
  std::uint64_t root = std::uint64_t{1} << ((std::bit_width(n) + 1) / 2);
  for (;;) {
    const std::uint64_t better = (root + n / root) / 2;
    if (better >= root) return root;
    root = better;
  }
}

}  // namespace elvcheck
