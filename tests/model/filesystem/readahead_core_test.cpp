// SPDX-License-Identifier: GPL-2.0-or-later
// Windows worked out by hand from mm/readahead.c of 2.6.35 and 6.1 (limit 32 pages, the default of 128 KiB).
#include "model/filesystem/readahead_core.hpp"

#include <gtest/gtest.h>

#include <array>
#include <tuple>
#include <vector>

#include "model/filesystem/two_window_core.hpp"

namespace elvcheck::readahead {
namespace {

using Core = OnDemandCore<Concrete>;
constexpr Core core_6_1{32, 0, true, true, true};
constexpr Core core_2_6_35{32, 0, false, false, false};

Access<Concrete> miss(std::int64_t index, std::int64_t request, std::int64_t previous = -1) {
  return {index, request, false, previous, index + 1, 0};
}
Access<Concrete> mark(std::int64_t index, std::int64_t request, std::int64_t next_absent) {
  return {index, request, true, index - 1, next_absent, 0};
}
using Pages = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // first, count, mark from the end
Pages pages(const Decision<Concrete>& d) { return {d.first, d.count, d.mark_from_end}; }

TEST(Readahead, FirstWindowsOfThe128KiBLimit) {
  // The kernel's own comment: 1-2 pages 16k, 3-4 pages 32k, 5-8 pages 64k, above 8 pages 128k.
  using Size = SizeCore<Concrete>;
  for (const auto& [request, size] : std::vector<std::pair<int, int>>{
           {1, 4}, {2, 4}, {3, 8}, {4, 8}, {5, 16}, {8, 16}, {9, 32}, {32, 32}, {33, 32}, {100'000, 32}})
    EXPECT_EQ(Size::first(request, 32), size) << request;
  for (const auto& [size, next] :
       std::vector<std::pair<int, int>>{{1, 4}, {2, 4}, {4, 8}, {8, 16}, {16, 32}, {17, 32}, {32, 32}})
    EXPECT_EQ(Size::next(size, 32), next) << size;
}

TEST(Readahead, SequentialReadsOfOnePage) {
  Window<Concrete> window{0, 0, 0};
  const auto first = core_6_1.decide(window, miss(0, 1));
  EXPECT_EQ(pages(first), (Pages{0, 4, 3}));
  const auto second = core_6_1.decide(first.window, mark(1, 1, 4));
  EXPECT_EQ(pages(second), (Pages{4, 8, 8}));
  const auto third = core_6_1.decide(second.window, mark(4, 1, 12));
  EXPECT_EQ(pages(third), (Pages{12, 16, 16}));
  const auto fourth = core_6_1.decide(third.window, mark(12, 1, 28));
  EXPECT_EQ(pages(fourth), (Pages{28, 32, 32}));
}

TEST(Readahead, AReadOfTheWholeLimitIsMarkedInTheMiddleOnlyWhereCapped) {
  EXPECT_EQ(pages(core_6_1.decide({0, 0, 0}, miss(0, 32))), (Pages{0, 32, 16}));
  EXPECT_EQ(pages(core_2_6_35.decide({0, 0, 0}, miss(0, 32))), (Pages{0, 64, 32}));
}

TEST(Readahead, NeighboursOpenAWindowAndStrangersDoNot) {
  const Window<Concrete> before{100, 4, 3};
  EXPECT_EQ(pages(core_6_1.decide(before, miss(500, 2, 499))), (Pages{500, 4, 2}));
  EXPECT_EQ(pages(core_6_1.decide(before, miss(500, 2, 500))), (Pages{500, 4, 2}));
  for (const std::int64_t previous : {498, 501, -1}) {
    const auto alone = core_6_1.decide(before, miss(500, 2, previous));
    EXPECT_EQ(pages(alone), (Pages{500, 2, 0})) << previous;
    EXPECT_EQ(alone.window.start, 100);
    EXPECT_EQ(alone.window.size, 4);
  }
}

TEST(Readahead, ALongReadGoesToTheLargestRequestIn6_1) {
  constexpr Core with_io_pages{32, 320, true, true, true};
  EXPECT_EQ(pages(with_io_pages.decide({0, 0, 0}, miss(0, 256))), (Pages{0, 256, 128}));
  EXPECT_EQ(pages(with_io_pages.decide({0, 0, 0}, miss(0, 1000))), (Pages{0, 320, 160}));
  EXPECT_EQ(pages(core_6_1.decide({0, 0, 0}, miss(700, 256, 3))), (Pages{700, 32, 16}));
}

TEST(Readahead, CachedPagesBeforeAMissAreAStream) {
  Access<Concrete> access = miss(500, 2, 3);
  access.history = 6;
  EXPECT_EQ(pages(core_6_1.decide({0, 0, 0}, access)), (Pages{500, 8, 1}));
  // 2.6.35: 8 pages round up to 8, a quarter of the limit, so 16; marked as a whole, it takes in the next 32.
  EXPECT_EQ(pages(core_2_6_35.decide({0, 0, 0}, access)), (Pages{500, 48, 32}));
  access.history = 2;
  EXPECT_EQ(pages(core_6_1.decide({0, 0, 0}, access)), (Pages{500, 2, 0}));
  // From the start of the file on the history counts twice.
  access = miss(6, 2, -1);
  access.previous = 3;
  access.history = 6;
  EXPECT_EQ(pages(core_6_1.decide({0, 0, 0}, access)), (Pages{6, 14, 1}));
}

TEST(Readahead, AMarkOfAnotherStreamIsRevivedFromTheCache) {
  // 16 pages are cached behind the mark: 16 + 2 asked for, the next size is the limit.
  EXPECT_EQ(pages(core_6_1.decide({900, 4, 4}, mark(500, 2, 516))), (Pages{516, 32, 32}));
  const auto none = core_6_1.decide({900, 4, 4}, mark(500, 2, 533));
  EXPECT_FALSE(none.reads);
  EXPECT_EQ(none.window.start, 900);
}

TEST(Readahead, ReadAround) {
  EXPECT_EQ(pages(core_6_1.around(100)), (Pages{84, 32, 8}));
  EXPECT_EQ(pages(core_6_1.around(5)), (Pages{0, 32, 8}));
  EXPECT_EQ(pages(core_2_6_35.around(100)), (Pages{84, 32, 0}));
}

TEST(Readahead, TwoWindows) {
  using Old = TwoWindowCore<Concrete>;
  constexpr Old core{32};
  Old::State state;
  const auto first = core.step(state, 0, 1);
  EXPECT_TRUE(first.opens);
  state.previous = 0;
  state = core.open(state, first);
  EXPECT_EQ(state.size, 4);
  const auto second = core.step(state, 1, 1);
  EXPECT_FALSE(second.opens || second.random || second.nothing);
  state = core.make_ahead(state);
  EXPECT_EQ(state.ahead_start, 4);
  EXPECT_EQ(state.ahead_size, 8);
  state = core.miss(core.shift(state));
  EXPECT_EQ(core.make_ahead(state).ahead_size, 6);
  EXPECT_TRUE(core.step(state, 77, 1).random);
  EXPECT_TRUE(core.step(state, 0, 1).nothing);
  EXPECT_EQ(core.step(state, 0, 3).index, 1);
  EXPECT_FALSE(core.answered(state, 255, 0).cached);
  EXPECT_TRUE(core.answered(state, 256, 0).cached);
  EXPECT_FALSE(core.answered(state, 256, 1).cached);
}

}  // namespace
}  // namespace elvcheck::readahead
