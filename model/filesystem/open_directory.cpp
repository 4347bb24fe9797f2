// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/filesystem/open_directory.hpp"

#include <algorithm>

#include "model/core/mutant.hpp"
#include "model/filesystem/readahead_rules.hpp"

namespace elvcheck {

namespace {

constexpr Page page_bytes = 4096;
constexpr Page batch_pages = 32;     // 128 KiB
constexpr Page pages_each_call = 2;  // "twice the speed of reads"
constexpr Page start_only_sectors = 16;

/// struct linux_dirent of a 64-bit kernel.
std::uint64_t record_bytes(std::uint64_t name_length) { return (20 + name_length + 7) / 8 * 8; }

std::int64_t number(Page page) { return static_cast<std::int64_t>(page); }

}  // namespace

OpenDirectory::OpenDirectory(Mounted& mounted, InodeIndex inode, ReadCounts& counts)
    : mounted_(mounted),
      inode_(inode),
      directory_(mounted.image().directory(inode)),
      counts_(counts),
      blocks_(mounted.device(), mounted.image().blocks * mounted.image().block_bytes, mounted.rules().readahead, counts) {}

bool OpenDirectory::by_hash() const {
  return directory_.indexed || (mounted_.image().dir_index && blocks_of(mounted_.image().inodes[inode_].extents) == 1);
}

/// The page of the block device that a block lies in. The shift count is negative for a block larger than a page, which the
/// processor takes modulo 64: what comes out is 0.
Page OpenDirectory::page_of(Page block) const {
  const Page block_bytes = mounted_.image().block_bytes;
  return block_bytes > page_bytes ? 0 : block / (page_bytes / block_bytes);
}

Task<> OpenDirectory::ask_page(TaskContext& self, Page page, std::int64_t logical) {
  const Page block_bytes = mounted_.image().block_bytes;
  const Page blocks = std::max<Page>(page_bytes / block_bytes, 1);
  const Page first = page * page_bytes / block_bytes;
  const Page absent = co_await mounted_.device().start_reading(self, first, blocks, mounted_.rules().readahead.flags(),
                                                               PageCache::no_mark, counts_);
  readahead::note(self, readahead::directory_rule,
                  {number(mounted_.image().inodes[inode_].number), number(first), logical, number(absent)});
}

Task<> OpenDirectory::ask_v1(TaskContext& self) {
  if (calls_ != 1) co_return;
  const Page block_bytes = mounted_.image().block_bytes;
  const Page sectors = mounted_.image().inodes[inode_].sectors(block_bytes);
  for (Page k = 0; k < sectors; ++k) {
    const Page logical = k * (block_bytes / 512);
    co_await mounted_.map(self, inode_, logical, counts_);
    const Page block = mounted_.block_of(inode_, logical);
    co_await ask_page(self, block / (page_bytes / 512), block == 0 ? 0 : -1);
  }
}

Task<> OpenDirectory::ask_v2(TaskContext& self) {
  const Page block_bytes = mounted_.image().block_bytes;
  const Page sectors = mounted_.image().inodes[inode_].sectors(block_bytes);
  std::int64_t& counter = blocks_.old_previous();
  counter = (counter + number(planted(Mutant::readdir_at_half_the_speed) ? pages_each_call / 2 : pages_each_call)) &
            ~std::int64_t{1};
  if (counter % number(batch_pages) != 0 || counter >= number(sectors / 8)) co_return;
  const Page first = static_cast<Page>(counter) * (page_bytes / block_bytes);
  const Page length = planted(Mutant::readdir_batch_too_short) ? batch_pages - 1 : batch_pages;
  const Page end = std::min(sectors / (block_bytes / 512), first + length * page_bytes / block_bytes);
  for (Page logical = first; logical < end; ++logical) {
    co_await mounted_.map(self, inode_, logical, counts_);
    const Page block = mounted_.block_of(inode_, logical);
    const Page page = planted(Mutant::readdir_logical_for_physical) ? logical : page_of(block);
    const bool own = page == page_of(block);
    co_await ask_page(self, page, own ? number(logical) : -1);
  }
}

Task<> OpenDirectory::ask_start_only(TaskContext& self) {
  if (calls_ != 1) co_return;
  const Page block_bytes = mounted_.image().block_bytes;
  const Page blocks = std::max<Page>(start_only_sectors * 512 / block_bytes, 1);
  for (Page logical = 1; logical <= blocks && logical < blocks_of(mounted_.image().inodes[inode_].extents); ++logical) {
    co_await mounted_.map(self, inode_, logical, counts_);
    co_await ask_page(self, page_of(mounted_.block_of(inode_, logical)), number(logical));
  }
}

Task<> OpenDirectory::ask_linear(TaskContext& self, Page block) {
  // Blocks smaller than a page are read ahead one by one here.
  const Page page = mounted_.image().block_bytes > page_bytes ? 0 : block;
  if (mounted_.rules().readdir == ReaddirReadahead::start_only) co_return;
  if (mounted_.rules().readahead.version == MemoryVersion::v2_6_20) {
    co_await blocks_.old_readahead(self, page, 1);
    co_return;
  }
  const readahead::Window<Concrete>& window = blocks_.window();
  if (number(page) < window.start || number(page) >= window.start + window.size) co_await blocks_.ask(self, page, 1, false);
  blocks_.set_previous(page);
}

Task<> OpenDirectory::read_directory_block(TaskContext& self, Page logical) {
  co_await mounted_.map(self, inode_, logical, counts_);
  const Page block = mounted_.block_of(inode_, logical);
  readahead::note(self, readahead::leaf_rule,
                  {number(mounted_.image().inodes[inode_].number), number(block), number(logical),
                   mounted_.device().cached(block) ? 0 : 1});
  co_await mounted_.read_block(self, block, counts_);
}

Task<> OpenDirectory::read_leaf(TaskContext& self, const Leaf& leaf) {
  if (by_hash() && directory_.indexed) {
    co_await read_directory_block(self, 0);
    if (leaf.interior >= 0) co_await read_directory_block(self, static_cast<Page>(leaf.interior));
  } else if (!by_hash()) {
    co_await mounted_.map(self, inode_, leaf.logical, counts_);
    co_await ask_linear(self, mounted_.block_of(inode_, leaf.logical));
  }
  co_await read_directory_block(self, leaf.logical);
  leaf_read_ = true;
}

Task<OpenDirectory::Names> OpenDirectory::getdents(TaskContext& self) {
  ++calls_;
  const MountRules& rules = mounted_.rules();
  const Inode& inode = mounted_.image().inodes[inode_];
  readahead::note(
      self, readahead::call_rule,
      {number(inode.number), calls_, number(inode.sectors(mounted_.image().block_bytes)),
       rules.readdir == ReaddirReadahead::v2 && rules.readdir_enabled && by_hash() ? number(mounted_.image().block_bytes)
                                                                                   : 0});
  if (rules.readdir_enabled) {
    if (rules.readdir == ReaddirReadahead::v1) co_await ask_v1(self);
    if (rules.readdir == ReaddirReadahead::v2) co_await ask_v2(self);
    if (rules.readdir == ReaddirReadahead::start_only) co_await ask_start_only(self);
  }
  std::uint64_t left = rules.getdents_bytes;
  Names names{entry_, entry_};
  if (!dots_given_) {
    left -= 2 * record_bytes(2);
    dots_given_ = true;
  }
  const bool one_block_a_call = !by_hash() && rules.readahead.version != MemoryVersion::v6_1;
  while (leaf_ < directory_.leaves.size()) {
    const Leaf& leaf = directory_.leaves[leaf_];
    if (!leaf_read_) co_await read_leaf(self, leaf);
    while (entry_ < leaf.first + leaf.count) {
      const std::uint64_t bytes = record_bytes(directory_.entries[entry_].name_length);
      if (bytes > left) co_return Names{names.first, entry_};
      left -= bytes;
      ++entry_;
    }
    ++leaf_;
    leaf_read_ = false;
    if (one_block_a_call && entry_ > names.first) break;
  }
  co_return Names{names.first, entry_};
}

}  // namespace elvcheck
