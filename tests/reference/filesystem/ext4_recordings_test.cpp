// SPDX-License-Identifier: GPL-2.0-or-later
// Readahead, readdir and inode tables against recordings of ext4 in 6.1 (tests/data/ext4-6.1): equal requests in equal
// order.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "model/filesystem/open_file.hpp"
#include "model/filesystem/readahead_rules.hpp"
#include "model/workload/tree_readers.hpp"
#include "reference/device/table.hpp"
#include "tests/support/instant_layer.hpp"

namespace elvcheck {
namespace {

MeasureTable table_of(const std::string& name) { return MeasureTable(ELVCHECK_TEST_DATA "/ext4-6.1/" + name + ".csv.gz"); }

/// The windows of a run, each with the read that asked for it.
class WindowKeeper final : public TraceListener {
 public:
  struct Window {
    std::int64_t start, pages, async;
    std::int64_t first_read, end_read;
  };
  void on_event(const TraceEvent& event) override {
    if (event.rule == &readahead::use_rule) use_ = event;
    if (event.rule == &readahead::window_rule)
      windows.push_back(
          {event.numbers[1], event.numbers[2], event.numbers[3], use_.numbers[1], use_.numbers[1] + use_.numbers[2]});
  }
  std::vector<Window> windows;

 private:
  TraceEvent use_;
};

TEST(Ext4Recordings, EveryReadaheadWindow) {
  const MeasureTable table = table_of("readahead_windows");
  const auto column = [&](const char* name) { return table.column(name); };
  std::size_t row = 0;
  int streams = 0;
  while (row < table.rows()) {
    const std::size_t first_row = row;
    const std::string stream = std::string(table.word(row, column("trace"))) + std::string(table.word(row, column("file")));
    while (row < table.rows() &&
           std::string(table.word(row, column("trace"))) + std::string(table.word(row, column("file"))) == stream)
      ++row;
    const Page read_pages = table.whole(first_row, column("read_pages"));
    const Page max_pages = table.whole(first_row, column("max_ra_pages"));
    // The last window was asked for by the last read.
    const Page end = (table.whole(row - 1, column("trigger_page")) / read_pages + 1) * read_pages;
    const Page size = end + 10 * max_pages;

    TaskBench bench;
    WindowKeeper keeper;
    bench.trace.add(keeper);
    PageCache pages(1, {{0, 0, size}}, 4096, false);
    ReadCounts counts;
    OpenFile file(pages, size * 4096, {MemoryVersion::v6_1, max_pages, 0}, counts);
    bench.run([&](TaskContext& self) -> Task<> {
      for (Page at = 0; at < end; at += read_pages) co_await file.read(self, at, read_pages);
    });
    ASSERT_EQ(keeper.windows.size(), row - first_row) << stream;
    for (std::size_t i = 0; i < keeper.windows.size(); ++i) {
      const WindowKeeper::Window& window = keeper.windows[i];
      ASSERT_EQ(window.start, table.whole(first_row + i, column("start_page"))) << stream << " window " << i;
      ASSERT_EQ(window.pages, table.whole(first_row + i, column("npages"))) << stream << " window " << i;
      ASSERT_EQ(window.async, table.whole(first_row + i, column("async_size"))) << stream << " window " << i;
      // The extract's trigger of the first window is its mark: the page that is not there yet when the window is asked for.
      const auto trigger = static_cast<std::int64_t>(i == 0 ? 0 : table.whole(first_row + i, column("trigger_page")));
      ASSERT_TRUE(window.first_read <= trigger && trigger < window.end_read) << stream << " window " << i;
    }
    ++streams;
  }
  EXPECT_EQ(streams, 4);
}

constexpr Page inodes_per_group = 28'000;
constexpr Page inodes_per_block = 16;
Page table_start(Page group) { return 77 + 1750 * group; }
Page table_block(Page inode) {
  return table_start((inode - 1) / inodes_per_group) + (inode - 1) % inodes_per_group / inodes_per_block;
}

/// The recorded file system: /dirs with 100 directories of 1,000 empty files.
Image recorded_image(const std::vector<std::string>& order) {
  const MeasureTable dirs = table_of("find_dirs");
  const MeasureTable hash = table_of("find_hash_order");
  Image image;
  image.blocks = 80 * 1024;
  const Page used[] = {28'000, 28'000, 28'000, 16'436};
  for (Page group = 0; group < 4; ++group)
    image.tables.push_back({table_start(group), table_start(group) + used[group] / inodes_per_block});
  image.cached = {77};
  for (Page block = 96; block <= 109; ++block) image.cached.push_back(block);

  const auto add = [&image](Page number, bool directory) {
    Inode inode;
    inode.number = number;
    inode.table_block = table_block(number);
    if (directory) {
      inode.directory = static_cast<std::int32_t>(image.directories.size());
      inode.links = 2;
      image.directories.emplace_back();
    }
    image.inodes.push_back(inode);
    return static_cast<InodeIndex>(image.inodes.size() - 1);
  };
  add(14, true);  // /dirs; its inode was cached
  image.inodes[0].extents = {{0, 8833, 1}};
  image.inodes[0].links = static_cast<std::uint32_t>(2 + order.size());
  image.directories[0].leaves = {{0, 0, static_cast<std::uint32_t>(order.size()), -1}};
  std::map<std::string, std::size_t> rows;
  for (std::size_t row = 0; row < dirs.rows(); ++row) rows[std::string(dirs.word(row, dirs.column("dir")))] = row;
  for (const std::string& name : order) {
    const std::size_t row = rows.at(name);
    const InodeIndex inode = add(dirs.whole(row, dirs.column("inode")), true);
    image.directories[0].entries.push_back({inode, 4});
    std::string text(dirs.word(row, dirs.column("extents_logical:physical:len")));
    std::replace(text.begin(), text.end(), ':', ' ');
    std::istringstream extents(text);
    Extent extent;
    while (extents >> extent.logical >> extent.physical >> extent.length) image.inodes[inode].extents.push_back(extent);
    Directory directory;
    directory.indexed = true;
    const Page first_file = dirs.whole(row, dirs.column("first_file_inode"));
    for (std::size_t at = 0; at < hash.rows(); ++at) {
      const auto leaf = static_cast<std::uint32_t>(hash.whole(at, hash.column("leaf_logical_block")));
      if (directory.leaves.empty() || directory.leaves.back().logical != leaf)
        directory.leaves.push_back({leaf, static_cast<std::uint32_t>(at), 0, -1});
      ++directory.leaves.back().count;
      directory.entries.push_back({add(first_file + hash.whole(at, hash.column("file_index")), false), 5});
    }
    image.directories[static_cast<std::size_t>(image.inodes[inode].directory)] = directory;
  }
  return image;
}

using BlockRead = std::pair<std::string, Page>;

std::vector<BlockRead> simulated_find(const std::vector<std::string>& order) {
  const Image image = recorded_image(order);
  MountRules rules;
  rules.readdir = ReaddirReadahead::ext4_6_1;
  rules.inode_window = true;
  rules.getdents_bytes = 32'768;
  Mounted mounted(image, rules);
  TreePrograms programs;
  programs.find_stats_all = true;
  ProgramFigures figures;
  TaskBench bench;
  bench.run([&](TaskContext& self) { return run_find(self, mounted, 0, programs, figures); });
  std::vector<BlockRead> reads;
  for (const Bio& bio : bench.layer.seen) {
    EXPECT_EQ(bio.sectors, 8U);
    const bool metadata = bio.flags == (REQ_META | REQ_PRIO);
    EXPECT_TRUE(metadata || bio.flags == REQ_RAHEAD) << bio.flags;
    reads.emplace_back(metadata ? "RM" : "RA", bio.sector / 8);
  }
  return reads;
}

void expect_equal(const std::vector<BlockRead>& simulated, const std::vector<BlockRead>& recorded) {
  ASSERT_EQ(simulated.size(), recorded.size());
  for (std::size_t i = 0; i < recorded.size(); ++i) ASSERT_EQ(simulated[i], recorded[i]) << "bio " << i;
}

std::vector<BlockRead> recorded_reads(const MeasureTable& table, std::size_t first_row) {
  std::vector<BlockRead> reads;
  for (std::size_t row = first_row; row < table.rows(); ++row) {
    for (Page i = 0; i < table.whole(row, table.column("nblocks")); ++i)
      reads.emplace_back(table.word(row, table.column("rwbs")), table.whole(row, table.column("block")) + i);
  }
  return reads;
}

TEST(Ext4Recordings, EveryRequestOfFindOver100Directories) {
  const MeasureTable dirs = table_of("find_dirs");
  std::vector<std::string> order(dirs.rows());
  for (std::size_t row = 0; row < dirs.rows(); ++row)
    order.at(dirs.whole(row, dirs.column("readdir_pos_in_parent"))) = dirs.word(row, dirs.column("dir"));
  // The first row is the lookup of the tree itself in the root directory.
  expect_equal(simulated_find(order), recorded_reads(table_of("find_100dirs_bios"), 1));
}

TEST(Ext4Recordings, EveryRequestOfFindOver3Directories) {
  expect_equal(simulated_find({"d000", "d001", "d002"}), recorded_reads(table_of("find_3dirs"), 1));
}

}  // namespace
}  // namespace elvcheck
