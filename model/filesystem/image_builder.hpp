// SPDX-License-Identifier: GPL-2.0-or-later
// Builds a file system by creating its files one after the other.
//
// Mirrors what decides where things lie in ext3 of 2.6.20 (fs/ext3/balloc.c, ialloc.c, namei.c): inodes go to the group of
// the directory; a new directory stays in the group of its parent until that has a quarter of a group fewer free inodes or
// blocks than the mean (find_group_orlov() for directories below the top level); data goes to the first free block behind
// the goal: the block before it, or the start of the inode's group. A directory grows by one block when it is full, between
// the data of the files created meanwhile. Leaves of an htree split in the middle of their entries, and the upper half moves
// to a new block at the end. Left out: reservation windows (a file is written at once), the colour of the process id,
// flexible block groups, the half-MD4 hash (names get random hashes; only their order matters), files that are removed.
// Promise: no block is given out twice.
#pragma once

#include <memory>
#include <string>

#include "model/core/random.hpp"
#include "model/filesystem/image.hpp"

namespace elvcheck {

struct FileSystemShape {
  std::uint64_t block_bytes = 4096;  ///< 1024 to 65536, a power of two
  Page blocks = 0;                   ///< of the whole file system
  std::uint32_t inode_bytes = 128;   ///< 128 (ext3) or 256 (ext4)
  std::uint32_t inodes_per_group = 16384;
  bool indirect_blocks = true;      ///< ext3; else extents
  bool dir_index = true;            ///< directories of more than one block are htrees
  std::uint32_t used_permille = 0;  ///< share of the blocks that were in use before, in runs of up to 64 blocks
  /// Blocks of a group: as many as a bitmap of one block describes, at most 32768.
  Page group_blocks() const;
  Page first_group = 0;  ///< the group of the root directory
};

class ImageBuilder {
 public:
  /// Throws std::invalid_argument for a shape that makes no sense.
  ImageBuilder(const FileSystemShape& shape, std::uint64_t seed);
  ~ImageBuilder();

  static constexpr InodeIndex root = 0;
  /// Throws std::invalid_argument if the file system is full.
  InodeIndex make_directory(InodeIndex parent, std::size_t name_length);
  InodeIndex make_file(InodeIndex parent, std::size_t name_length, std::uint64_t bytes);
  /// Another name of a file.
  void link(InodeIndex parent, std::size_t name_length, InodeIndex file);

  /// What was built. Once.
  Image finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace elvcheck
