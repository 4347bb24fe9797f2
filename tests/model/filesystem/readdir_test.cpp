// SPDX-License-Identifier: GPL-2.0-or-later
// Directory reading: batches, windows and waits, from the text of the patches, from fs/ext4/dir.c of 6.1, and as published.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "model/filesystem/image_builder.hpp"
#include "model/filesystem/open_directory.hpp"
#include "model/filesystem/readahead_rules.hpp"
#include "tests/support/instant_layer.hpp"

namespace elvcheck {
namespace {

using Numbers = std::array<std::int64_t, 4>;

/// Notes of some rules, with the number of the call of readdir that they belong to.
class Notes final : public TraceListener {
 public:
  explicit Notes(const DecisionRule& rule) : rule_(rule) {}
  void on_event(const TraceEvent& event) override {
    if (event.rule == &readahead::call_rule) call_ = event.numbers[1];
    if (event.rule != &rule_) return;
    numbers.push_back(event.numbers);
    calls.push_back(call_);
  }
  std::vector<Numbers> numbers;
  std::vector<std::int64_t> calls;
  std::int64_t call() const { return call_; }

 private:
  const DecisionRule& rule_;
  std::int64_t call_ = 0;
};

ReadCounts list(const Image& image, InodeIndex directory, const MountRules& rules, TraceListener* listener,
                std::vector<Bio>* seen = nullptr) {
  Mounted mounted(image, rules);
  ReadCounts counts;
  TaskBench bench;
  if (listener != nullptr) bench.trace.add(*listener);
  bench.run([&](TaskContext& self) -> Task<> {
    co_await mounted.read_inode(self, directory, counts);
    OpenDirectory open(mounted, directory, counts);
    while (!(co_await open.getdents(self)).empty()) {
    }
  });
  if (seen != nullptr) *seen = bench.layer.seen;
  return counts;
}

MountRules rules_2_6_20(ReaddirReadahead readdir) {
  MountRules rules;
  rules.readahead.version = MemoryVersion::v2_6_20;
  rules.readdir = readdir;
  return rules;
}

struct Tree {
  Image image;
  InodeIndex directory;
};

Tree build(bool dir_index, std::size_t files, std::size_t name_length, std::uint64_t bytes, std::uint64_t seed = 1) {
  FileSystemShape shape;
  shape.blocks = 4'000'000;
  shape.inodes_per_group = 262'144;
  shape.dir_index = dir_index;
  ImageBuilder builder(shape, seed);
  const InodeIndex directory = builder.make_directory(ImageBuilder::root, 1);
  for (std::size_t i = 0; i < files; ++i) {
    const std::size_t length = name_length == 0 ? std::to_string(i + 1).size() : name_length;
    builder.make_file(directory, length, bytes);
  }
  return {builder.finish(), directory};
}

// Published: together 454 of 541 pages, 84 %.
constexpr std::array<int, 17> published = {32, 31, 30, 31, 28, 29, 29, 28, 27, 25, 29, 22, 25, 30, 24, 15, 19};
static_assert(std::accumulate(published.begin(), published.end(), 0) == 454);

TEST(Readdir, TheBatchesOfTheDirectoryOf110000Entries) {
  // The names are not known; decimal numbers give 3 % more pages on average. What batch a page is in does not depend on the
  // hash, whether it was read before does. The hashes of seed 7 give a directory of the published 541 pages.
  for (std::uint64_t seed = 5; seed <= 8; ++seed) {
    const Tree tree = build(true, 110'000, 0, 0, seed);
    Notes asked(readahead::directory_rule);
    list(tree.image, tree.directory, rules_2_6_20(ReaddirReadahead::v2), &asked);
    const std::int64_t pages = static_cast<std::int64_t>(tree.image.inodes[tree.directory].sectors(4096) / 8);
    EXPECT_NEAR(static_cast<double>(pages), 541, 541 * 0.06);
    std::vector<int> batches;
    int candidates = 0;
    for (std::size_t i = 0; i < asked.numbers.size(); ++i) {
      const std::int64_t logical = asked.numbers[i][2];
      ASSERT_EQ(asked.calls[i], logical / 32 * 16 + 1) << "page " << logical;
      if (static_cast<std::size_t>(logical / 32) == batches.size()) batches.push_back(0);
      batches.back() += static_cast<int>(asked.numbers[i][3]);
      ++candidates;
    }
    EXPECT_EQ(candidates, pages);
    EXPECT_EQ(batches.size(), static_cast<std::size_t>((pages + 31) / 32));
    EXPECT_EQ(batches.front(), 32) << "nothing was read before the first batch";
    for (std::size_t i = 0; i < 16; ++i)
      EXPECT_NEAR(batches[i], published[i], i < 13 ? 9 : 18) << "seed " << seed << " batch " << i;
    const int sum = std::accumulate(batches.begin(), batches.end(), 0);
    EXPECT_NEAR(sum, 454, 30);
    EXPECT_NEAR(static_cast<double>(sum) / static_cast<double>(pages), 454.0 / 541, 0.03);
    if (seed == 7) {
      EXPECT_EQ(pages, 541);
      EXPECT_EQ(batches.size(), published.size());
      EXPECT_NEAR(sum, 454, 1);
      EXPECT_EQ(sum * 100 / pages, 84);
    }
  }
}

TEST(Readdir, TheFirstVersionReadsAnEighthOfTheDistance) {
  // By hand: i_blocks is 8 sectors a block; logical blocks 0, 8, 16, ... of n exist, each gives one read at page (block /
  // 8).
  for (const std::size_t files : {1UL, 200UL, 1000UL, 3000UL}) {
    const Tree tree = build(true, files, 28, 8192);
    const Inode& inode = tree.image.inodes[tree.directory];
    Notes asked(readahead::directory_rule);
    list(tree.image, tree.directory, rules_2_6_20(ReaddirReadahead::v1), &asked);
    const Page blocks = blocks_of(inode.extents);
    std::size_t useless = 0;
    for (const Numbers& n : asked.numbers) useless += n[2] < 0;
    EXPECT_EQ(useless, (blocks + 7) / 8) << files;
    EXPECT_EQ(asked.numbers.front()[1], static_cast<std::int64_t>(inode.extents.front().physical / 8));
  }
}

TEST(Readdir, ADirectoryOfOneBlockGainsNothing) {
  const Tree tree = build(true, 20, 12, 8192);
  const ReadCounts without = list(tree.image, tree.directory, rules_2_6_20(ReaddirReadahead::none), nullptr);
  const ReadCounts with = list(tree.image, tree.directory, rules_2_6_20(ReaddirReadahead::v2), nullptr);
  EXPECT_EQ(without.waits, 2U) << "its inode and its block";
  EXPECT_EQ(with.waits, 2U);
}

TEST(Readdir, WaitsOfADirectoryOf1000Files) {
  // Published: 15.2 to 15.6 waits a directory, with the patch 4.1 to 4.2. Here: the inode, an indirect block, 13 blocks;
  // with the patch the inode, the indirect block and one that is still under way (all reads take equally long here).
  const Tree tree = build(false, 1000, 44, 8192);
  EXPECT_EQ(list(tree.image, tree.directory, rules_2_6_20(ReaddirReadahead::none), nullptr).waits, 15U);
  const ReadCounts with = list(tree.image, tree.directory, rules_2_6_20(ReaddirReadahead::v2), nullptr);
  EXPECT_LE(with.waits, 4U);
  EXPECT_EQ(with.bios, 15U);
  // vm.readahead_ratio = 50 in the script.
  MountRules off = rules_2_6_20(ReaddirReadahead::v2);
  off.readdir_enabled = false;
  EXPECT_EQ(list(tree.image, tree.directory, off, nullptr).waits, 15U);
}

TEST(Readdir, LinearWindowsOnDemand) {
  // A contiguous directory. 6.1: one page that looks random, 4 with a mark, 8 that take in 16, then 32 at a time, because
  // readdir asks only where a window ends. 2.6.35 does not cut a window that takes in its successor: 64.
  Tree tree = build(false, 6000, 48, 0);
  tree.image.inodes[tree.directory].map_blocks.clear();
  tree.image.inodes[tree.directory].extents = {{0, 1'000'000, blocks_of(tree.image.inodes[tree.directory].extents)}};
  for (const auto& [version, last] : {std::pair{MemoryVersion::v6_1, 32}, std::pair{MemoryVersion::v2_6_35, 64}}) {
    MountRules rules;
    rules.readahead.version = version;
    rules.readdir = ReaddirReadahead::ext4_6_1;
    Notes windows(readahead::window_rule);
    const ReadCounts counts = list(tree.image, tree.directory, rules, &windows);
    std::vector<std::int64_t> sizes;
    for (const Numbers& n : windows.numbers) sizes.push_back(n[2]);
    ASSERT_GE(sizes.size(), 4U);
    EXPECT_EQ(std::vector(sizes.begin(), sizes.begin() + 4), (std::vector<std::int64_t>{1, 4, 24, last}));
    EXPECT_EQ(counts.waits, 1 + sizes.size()) << "the inode, and every window is waited for";
  }
}

TEST(Readdir, AnHtreeIsReadLeafByLeaf) {
  const Tree tree = build(true, 3000, 28, 0);
  MountRules rules;
  rules.readdir = ReaddirReadahead::ext4_6_1;
  rules.getdents_bytes = 32'768;
  std::vector<Bio> seen;
  const ReadCounts counts = list(tree.image, tree.directory, rules, nullptr, &seen);
  const Inode& inode = tree.image.inodes[tree.directory];
  EXPECT_EQ(counts.waits, 1 + blocks_of(inode.extents) + inode.map_blocks.size());
  EXPECT_EQ(counts.bios, counts.waits);
  for (const Bio& bio : seen) EXPECT_EQ(bio.flags, REQ_META | REQ_PRIO);
  EXPECT_EQ(seen[1].sector / 8, inode.extents.front().physical) << "the root comes first";
}

}  // namespace
}  // namespace elvcheck
