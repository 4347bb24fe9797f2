// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/filesystem/htree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/core/random.hpp"

namespace elvcheck {
namespace {

TEST(Htree, ALinearDirectoryGrowsAtItsEnd) {
  // By hand: "." and ".." take 24 bytes, an entry with a name of 4 bytes 12; (4096 - 24) / 12 = 339, then 4096 / 12 = 341 a
  // block.
  Htree tree(4096, false);
  for (InodeIndex i = 0; i < 339; ++i) tree.insert({i, 4}, i);
  EXPECT_EQ(tree.blocks(), 1U);
  tree.insert({339, 4}, 0);
  EXPECT_EQ(tree.blocks(), 2U);
  for (InodeIndex i = 340; i < 339 + 341; ++i) tree.insert({i, 4}, 0);
  EXPECT_EQ(tree.blocks(), 2U);
  const Directory directory = tree.finish();
  EXPECT_FALSE(directory.indexed);
  ASSERT_EQ(directory.leaves.size(), 2U);
  EXPECT_EQ(directory.leaves[1].first, 339U);
  EXPECT_EQ(directory.leaves[1].logical, 1U);
}

TEST(Htree, OutgrowingOneBlockMakesARoot) {
  // The 340th entry does not fit: the root, a leaf with one half and a leaf with the other.
  Htree tree(4096, true);
  for (InodeIndex i = 0; i < 340; ++i) tree.insert({i, 4}, 1000 - i);
  EXPECT_EQ(tree.blocks(), 3U);
  const Directory directory = tree.finish();
  EXPECT_TRUE(directory.indexed);
  ASSERT_EQ(directory.leaves.size(), 2U);
  EXPECT_EQ(directory.leaves[0].logical, 1U);
  EXPECT_EQ(directory.leaves[1].logical, 2U);
  EXPECT_EQ(directory.entries.front().inode, 339U) << "the lowest hash comes first";
}

TEST(Htree, EveryNameIsInOneLeafInOrderOfItsHash) {
  SplitMix64 random(3);
  Htree tree(4096, true);
  std::vector<std::uint64_t> hashes;
  for (InodeIndex i = 0; i < 20'000; ++i) {
    hashes.push_back(random.next());
    tree.insert({i, static_cast<std::uint16_t>(1 + random.below(60))}, hashes.back());
  }
  const Page blocks = tree.blocks();
  const Directory directory = tree.finish();
  ASSERT_EQ(directory.entries.size(), hashes.size());
  EXPECT_TRUE(
      std::is_sorted(directory.entries.begin(), directory.entries.end(),
                     [&](const DirectoryEntry& a, const DirectoryEntry& b) { return hashes[a.inode] < hashes[b.inode]; }));
  std::set<std::uint32_t> logical{0};
  std::uint32_t next = 0;
  for (const Leaf& leaf : directory.leaves) {
    EXPECT_EQ(leaf.first, next);
    next += leaf.count;
    EXPECT_TRUE(logical.insert(leaf.logical).second);
  }
  EXPECT_EQ(next, hashes.size());
  EXPECT_EQ(logical.size(), blocks) << "one level of index: the root is the only block that is no leaf";
}

TEST(Htree, TheDirectoryOf110000Entries) {
  // Published: 541 pages (i_blocks / 8, which counts the indirect block), for names that are decimal numbers or alike.
  // A full root of 507 entries gets one interior block.
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SplitMix64 random(seed);
    Htree tree(4096, true);
    for (InodeIndex i = 0; i < 110'000; ++i)
      tree.insert({i, static_cast<std::uint16_t>(std::to_string(i + 1).size())}, random.next());
    const Directory directory = tree.finish();
    EXPECT_NEAR(static_cast<double>(directory.leaves.size()), 541, 541 * 0.05) << seed;
    EXPECT_GE(directory.leaves.front().interior, 0);
  }
}

}  // namespace
}  // namespace elvcheck
