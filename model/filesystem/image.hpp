// SPDX-License-Identifier: GPL-2.0-or-later
// What lies on the disk: inodes, files and directories of an ext3 or ext4 file system, and where.
//
// A file system is built as the kernel would have built it, one creation after the other (image_builder.hpp), or from what
// is known of a real one. It does not change during a run.
#pragma once

#include <cstdint>
#include <vector>

#include "model/filesystem/page_cache.hpp"

namespace elvcheck {

/// An index into Image::inodes.
using InodeIndex = std::uint32_t;

/// An indirect block of ext3: it is read before the blocks behind `first` can be mapped.
struct MapBlock {
  Page first = 0;  ///< first logical block that needs it
  Page block = 0;
};

struct DirectoryEntry {
  InodeIndex inode = 0;
  std::uint16_t name_length = 0;
};

/// A block of a directory that holds names.
struct Leaf {
  std::uint32_t logical = 0;  ///< block of the directory
  std::uint32_t first = 0;    ///< its entries in Directory::entries
  std::uint32_t count = 0;
  std::int32_t interior = -1;  ///< the index block between it and the root, or -1
};

/// Entries and leaves are in the order in which readdir returns them: of their hash if `indexed`, of creation otherwise.
struct Directory {
  bool indexed = false;  ///< an htree: block 0 is its root (dir_index, INDEX flag)
  std::vector<Leaf> leaves;
  std::vector<DirectoryEntry> entries;  ///< without "." and ".."
};

struct Inode {
  std::uint64_t number = 0;
  Page table_block = 0;     ///< where the inode itself lies
  std::uint64_t bytes = 0;  ///< length of the file
  std::uint32_t links = 1;
  std::int32_t directory = -1;  ///< index into Image::directories; -1: a regular file
  std::vector<Extent> extents;
  std::vector<MapBlock> map_blocks;

  /// i_blocks: sectors of data and indirect blocks.
  std::uint64_t sectors(std::uint64_t block_bytes) const {
    return (blocks_of(extents) + map_blocks.size()) * (block_bytes / 512);
  }
};

/// The used part of an inode table: blocks [first, last], for the inode readahead of ext4.
struct InodeTable {
  Page first = 0;
  Page last = 0;  ///< the block behind the last one in use may be included, as ext4 does
};

struct Image {
  std::uint64_t block_bytes = 4096;
  bool dir_index = true;      ///< names of directories of one block are sorted by hash, longer ones are htrees
  Page blocks = 0;            ///< of the file system
  std::vector<Inode> inodes;  ///< 0 is the root directory
  std::vector<Directory> directories;
  std::vector<InodeTable> tables;  ///< ascending
  std::vector<Page> cached;        ///< blocks of the device that a cold cache still holds

  const Directory& directory(InodeIndex inode) const {
    return directories[static_cast<std::size_t>(inodes[inode].directory)];
  }
};

}  // namespace elvcheck
