// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/dirty_ranges.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

namespace elvcheck {
namespace {

// Against one number for each sector: the order of its oldest write that is not on the medium. A range may only be older
// than its sectors where it was joined.
RC_GTEST_PROP(DirtyRanges, AgreesWithOneNumberForEachSector, ()) {
  constexpr Sector size = 64;
  std::array<std::optional<std::uint64_t>, size> model{};
  DirtyRanges ranges;
  std::uint64_t order = 1;
  const auto steps = *rc::gen::inRange(1, 60);
  for (int i = 0; i < steps; ++i) {
    const auto first = *rc::gen::inRange<Sector>(0, size - 1);
    const auto end = *rc::gen::inRange<Sector>(first + 1, size);
    const auto longest = *rc::gen::element<Sector>(0, 16);
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
      case 1:
        for (Sector s = first; s < end; ++s) model[s] = std::min(model[s].value_or(order), order);
        ranges.add(first, end, order++, longest);
        break;
      default:
        for (Sector s = first; s < end; ++s) model[s].reset();
        ranges.remove(first, end);
    }
    Sector dirty = 0;
    for (Sector s = 0; s < size; ++s) {
      RC_ASSERT(ranges.overlaps(s, s + 1) == model[s].has_value());
      dirty += model[s].has_value() ? 1 : 0;
    }
    RC_ASSERT(ranges.sectors() == dirty);
    const auto behind =
        std::find(model.begin() + static_cast<std::ptrdiff_t>(first), model.end(), std::nullopt) - model.begin();
    RC_ASSERT(ranges.covers(first, end) == (static_cast<Sector>(behind) >= end));
    for (const auto& [begin, range] : ranges.ranges()) {
      for (Sector s = begin; s < range.end; ++s) RC_ASSERT(range.order <= *model[s]);
    }
  }
  // What is older than a flush is found from any place, going round.
  const auto from = *rc::gen::inRange<Sector>(0, size);
  const auto below = *rc::gen::inRange<std::uint64_t>(0, order + 1);
  const bool any = std::any_of(ranges.ranges().begin(), ranges.ranges().end(),
                               [below](const auto& entry) { return entry.second.order < below; });
  RC_ASSERT((ranges.next_older(from, below) != ranges.ranges().end()) == any);
}

TEST(DirtyRanges, RewritingKeepsTheOlderOrder) {
  DirtyRanges ranges;
  ranges.add(0, 8, 1);
  ranges.add(0, 8, 5);
  ASSERT_EQ(ranges.ranges().size(), 1U);
  EXPECT_EQ(ranges.ranges().begin()->second.order, 1U);
}

}  // namespace
}  // namespace elvcheck
