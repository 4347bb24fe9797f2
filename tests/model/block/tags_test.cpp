// SPDX-License-Identifier: GPL-2.0-or-later
// The tag map. Expected values by hand from the rules of lib/sbitmap.c (6.1), as stated in tags.hpp.
#include "model/block/tags.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace elvcheck {
namespace {

/// Its first search starts at tag 0.
TagMap map_of(unsigned depth, unsigned min_shallow_depth) {
  static XorShift32 numbers;
  numbers = XorShift32();
  for (XorShift32 next = numbers; next.below(depth) != 0; next = numbers) numbers.below(depth);
  TagMap map(depth, numbers, TagMap::Limit::each_word);
  map.set_min_shallow_depth(min_shallow_depth);
  return map;
}

const auto nobody = [](ProcessId) { FAIL() << "nobody waits"; };

TEST(TagMapTest, WordsOfSmallMapsAreCutInFour) {
  EXPECT_EQ(map_of(64, 1).word_bits(), 16U);
  EXPECT_EQ(map_of(4, 1).word_bits(), 1U);
  EXPECT_EQ(map_of(3, 1).word_bits(), 64U);  // below four tags the word is not cut
  EXPECT_EQ(map_of(256, 1).word_bits(), 64U);
}

TEST(TagMapTest, ALimitHoldsForEachWord) {
  TagMap tags = map_of(64, 1);
  std::set<unsigned> got;
  while (const auto tag = tags.get(1)) got.insert(*tag);
  EXPECT_EQ(got, (std::set<unsigned>{0, 16, 32, 48}));
  EXPECT_TRUE(tags.get().has_value());  // without a limit there are 60 left
}

TEST(TagMapTest, WakesInTurnOverTheWaitQueues) {
  TagMap tags = map_of(2, TagMap::no_limit);
  const auto a = tags.get();
  const auto b = tags.get();
  ASSERT_TRUE(a && b);
  EXPECT_FALSE(tags.get().has_value());
  for (ProcessId process = 1; process <= 9; ++process)
    tags.wait(process, tags.take_wait_queue());  // 1 and 9 share the first of eight queues
  std::vector<ProcessId> woken;
  for (int i = 0; i < 9; ++i) {
    tags.put(*a, [&](ProcessId process) { woken.push_back(process); });
    tags.finish_wait();
    ASSERT_TRUE(tags.get().has_value());
  }
  EXPECT_EQ(woken, (std::vector<ProcessId>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

// 128 tags without a limit: (128 >> 5) words of 32, 128/8 = 16 frees would wake a queue, capped at 8.
TEST(TagMapTest, SeveralFreesWakeABatch) {
  TagMap tags = map_of(128, TagMap::no_limit);
  std::vector<unsigned> got;
  while (const auto tag = tags.get()) got.push_back(*tag);
  ASSERT_EQ(got.size(), 128U);
  tags.wait(1, tags.take_wait_queue());
  unsigned woken = 0;
  for (int i = 0; i < 7; ++i) tags.put(got[static_cast<std::size_t>(i)], [&](ProcessId) { ++woken; });
  EXPECT_EQ(woken, 0U);
  tags.put(got[7], [&](ProcessId) { ++woken; });
  EXPECT_EQ(woken, 1U);
}

// Four tags of 256 are in use when the map shrinks to two: none is left until those below two are freed; those above are not
// handed out again before the map grows.
TEST(TagMapTest, AShrunkenMapHandsOutTagsBelowItsDepthOnly) {
  TagMap tags = map_of(256, TagMap::no_limit);
  for (unsigned tag = 0; tag < 4; ++tag) ASSERT_EQ(tags.get(), tag);
  tags.resize(2);
  EXPECT_FALSE(tags.get().has_value());
  tags.put(3, nobody);
  EXPECT_FALSE(tags.get().has_value());
  tags.put(1, nobody);
  EXPECT_EQ(tags.get(), 1U);
  EXPECT_EQ(tags.in_use(), 3U);
  tags.resize(4);
  EXPECT_EQ(tags.get(), 3U);
}

TEST(TagMapTest, ALimitOfNothingIsNoLimit) {
  TagMap tags = map_of(4, 0);
  for (unsigned i = 0; i < 4; ++i) EXPECT_TRUE(tags.get(0).has_value());
}

TEST(TagMapTest, ASleeperThatGivesUpIsNotWoken) {
  TagMap tags = map_of(1, TagMap::no_limit);
  const auto tag = tags.get();
  const unsigned queue = tags.take_wait_queue();
  tags.wait(7, queue);
  tags.cancel_wait(7, queue);
  tags.put(*tag, nobody);
}

RC_GTEST_PROP(TagMapTest, NeverHandsOutATagTwice, (std::vector<std::uint16_t> steps)) {
  const unsigned depth = 1 + (steps.empty() ? 0U : steps[0] % 200U);
  TagMap tags = map_of(depth, 1);
  std::set<unsigned> used;
  for (const std::uint16_t step : steps) {
    if (step % 3 != 0 && !used.empty()) {
      const auto at = std::next(used.begin(), step % static_cast<long>(used.size()));
      tags.put(*at, nobody);
      used.erase(at);
    } else if (const auto tag = tags.get(step % 5 == 0 ? 1 + step % 7 : TagMap::no_limit)) {
      RC_ASSERT(*tag < depth);
      RC_ASSERT(used.insert(*tag).second);
    } else {
      RC_ASSERT(step % 5 == 0 || used.size() == depth);
    }
    RC_ASSERT(tags.in_use() == used.size());
  }
}

}  // namespace
}  // namespace elvcheck
