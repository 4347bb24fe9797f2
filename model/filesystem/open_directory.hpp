// SPDX-License-Identifier: GPL-2.0-or-later
// An open directory: getdents(2) call by call, with the readahead of a version.
//
// Mirrors ext3_readdir() and ext3_dx_readdir() of fs/ext3/dir.c (2.6.20), ext4_readdir() and ext4_dx_readdir() of
// fs/ext4/dir.c (6.1), and two patches of January 2007 that were never merged. A linear directory gives one block a call
// (2.6), asking readahead of the block device for the page that it lies in. An htree, and a directory of one block where the
// file system has dir_index, gives its names in order of hash until the caller's buffer is full, and reads leaf after leaf
// without any readahead. The patches ask for blocks of the directory in logical order:
//   v1, at the first call: for every 512-byte sector k of the directory the logical block 8k (so that most lie behind the
//   end), and
//       there the page that the block's number divided by 8 names: a wrong place;
//   v2, at every call: a counter in the file's readahead state advances by 2 pages; where it passes a multiple of 32, the
//   next 128
//       KiB are asked for. Readahead of linear directories overwrites that counter.
// Known defects are kept: with blocks larger than a page v2 counts in zero blocks, and the shift of 6.1 names page 0.
// Left out: the lock of the directory, collisions of hashes that span two leaves, f_pos that is set by seekdir(3).
#pragma once

#include "model/filesystem/mounted.hpp"

namespace elvcheck {

class OpenDirectory {
 public:
  /// The inode must have been read.
  OpenDirectory(Mounted& mounted, InodeIndex inode, ReadCounts& counts);

  /// What one call of getdents(2) gave: entries [first, last) of Directory::entries; none at the end.
  struct Names {
    std::size_t first = 0;
    std::size_t last = 0;
    bool empty() const { return first == last; }
  };
  Task<Names> getdents(TaskContext& self);

 private:
  bool by_hash() const;
  Task<> ask_v1(TaskContext& self);
  Task<> ask_v2(TaskContext& self);
  Task<> ask_start_only(TaskContext& self);
  Task<> ask_linear(TaskContext& self, Page block);
  /// Readahead of one page of the block device (do_page_cache_readahead(..., 1)).
  Task<> ask_page(TaskContext& self, Page page, std::int64_t logical);
  Task<> read_leaf(TaskContext& self, const Leaf& leaf);
  Task<> read_directory_block(TaskContext& self, Page logical);
  Page page_of(Page block) const;

  Mounted& mounted_;
  InodeIndex inode_;
  const Directory& directory_;
  ReadCounts& counts_;
  OpenFile blocks_;  // readahead of the device's pages in the name of this directory
  std::size_t leaf_ = 0;
  std::size_t entry_ = 0;
  bool leaf_read_ = false;
  bool dots_given_ = false;
  std::int64_t calls_ = 0;
};

}  // namespace elvcheck
