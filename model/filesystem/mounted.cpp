// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/filesystem/mounted.hpp"

#include <algorithm>

#include "model/core/mutant.hpp"
#include "model/filesystem/readahead_rules.hpp"

namespace elvcheck {

namespace {

constexpr Page inode_readahead_blocks = 32;  // inode_readahead_blks

}  // namespace

Mounted::Mounted(const Image& image, const MountRules& rules)
    : image_(image),
      rules_(rules),
      device_(0, {{0, 0, image.blocks}}, image.block_bytes, true),
      known_(image.inodes.size()) {
  for (const Page block : image.cached) device_.put(block);
}

ReqFlags Mounted::metadata_flags() const {
  return rules_.readahead.version == MemoryVersion::v6_1 ? REQ_META | REQ_PRIO : REQ_META;
}

Task<> Mounted::read_block(TaskContext& self, Page block, ReadCounts& counts) {
  if (!device_.cached(block)) co_await device_.start_reading(self, block, 1, metadata_flags(), PageCache::no_mark, counts);
  co_await device_.wait_for(self, block, counts);
}

Task<> Mounted::read_inode_window(TaskContext& self, Page block, ReadCounts& counts) {
  self.start_plug();
  const auto after = std::upper_bound(image_.tables.begin(), image_.tables.end(), block,
                                      [](Page value, const InodeTable& table) { return value < table.first; });
  const InodeTable& table = *(after - 1);
  const Page length = planted(Mutant::inode_window_one_less) ? inode_readahead_blocks - 1 : inode_readahead_blocks;
  const Page first = std::max(block / inode_readahead_blocks * inode_readahead_blocks, table.first);
  const Page last = std::min(first + length, table.last);
  readahead::note(self, readahead::inode_rule,
                  {static_cast<std::int64_t>(block), static_cast<std::int64_t>(first), static_cast<std::int64_t>(last),
                   static_cast<std::int64_t>(table.last)});
  for (Page each = first; each <= last; ++each) {
    if (each != block) co_await device_.start_reading(self, each, 1, REQ_RAHEAD, PageCache::no_mark, counts);
  }
  co_await device_.start_reading(self, block, 1, metadata_flags(), PageCache::no_mark, counts);
  self.finish_plug();
}

Task<> Mounted::read_inode(TaskContext& self, InodeIndex inode, ReadCounts& counts) {
  if (known_[inode]) co_return;
  const Page block = image_.inodes[inode].table_block;
  if (rules_.inode_window && !device_.cached(block)) co_await read_inode_window(self, block, counts);
  co_await read_block(self, block, counts);
  known_[inode] = true;
}

Task<> Mounted::map(TaskContext& self, InodeIndex inode, Page logical, ReadCounts& counts) {
  const std::vector<MapBlock>& blocks = image_.inodes[inode].map_blocks;
  // The chain of indirect blocks of the stretch that `logical` lies in.
  auto last = std::upper_bound(blocks.begin(), blocks.end(), logical,
                               [](Page value, const MapBlock& each) { return value < each.first; });
  const auto end = last;
  while (last != blocks.begin() && (last - 1)->first == (end - 1)->first) --last;
  for (; last != end; ++last) co_await read_block(self, last->block, counts);
}

Page Mounted::block_of(InodeIndex inode, Page logical) const {
  const std::vector<Extent>& extents = image_.inodes[inode].extents;
  const auto after = std::upper_bound(extents.begin(), extents.end(), logical,
                                      [](Page value, const Extent& extent) { return value < extent.logical; });
  if (after == extents.begin()) return 0;
  const Extent& extent = *(after - 1);
  const Page inside = logical - extent.logical;
  return inside < extent.length ? extent.physical + inside : 0;
}

PageCache& Mounted::pages_of(InodeIndex inode) {
  return files_.try_emplace(inode, image_.inodes[inode].number, image_.inodes[inode].extents, image_.block_bytes, false)
      .first->second;
}

}  // namespace elvcheck
