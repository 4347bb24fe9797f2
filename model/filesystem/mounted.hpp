// SPDX-License-Identifier: GPL-2.0-or-later
// A mounted file system with a cold cache: inodes, directories and data are read through it.
//
// Mirrors, of ext3 in 2.6.20 (fs/ext3/inode.c) and ext4 in 6.1 (fs/ext4/inode.c): an inode is read with its block of the
// inode table, alone (ext3) or with what is absent of a window of 33 blocks around it (ext4: an aligned start, then
// inode_readahead_blks more, the end included; the wanted block goes last, and only it is waited for); an indirect block is
// read before the blocks behind it can be mapped. Metadata carries META (and PRIO in 6.1). Left out: bitmaps and the
// superblock, which a mount has read; access times.
#pragma once

#include <unordered_map>

#include "model/filesystem/image.hpp"
#include "model/filesystem/open_file.hpp"

namespace elvcheck {

/// Readahead of directories, the case's or command's `readdir`.
enum class ReaddirReadahead : std::uint8_t {
  none,        ///< what the kernel itself does: readahead of linear directories only
  v2,          ///< second version of the patch of January 2007, 10 January: 128 KiB at twice the speed of reads
  ext4_6_1,    ///< ext4 in 6.1: on-demand readahead of linear directories
  v1,          ///< first version of that patch, 9 January: wrong units
  start_only,  ///< up to 2.6.16: only where reading starts at the first block
};

struct MountRules {
  ReadaheadRules readahead;
  ReaddirReadahead readdir = ReaddirReadahead::none;
  bool readdir_enabled = true;          ///< vm.readahead_ratio of the post's script: 49 on, 50 off
  bool inode_window = false;            ///< ext4
  std::uint64_t getdents_bytes = 4096;  ///< buffer of getdents(2): 4096 in 2007, 32768 today
};

class Mounted {
 public:
  /// The image must outlive it.
  Mounted(const Image& image, const MountRules& rules);

  const Image& image() const { return image_; }
  const MountRules& rules() const { return rules_; }
  /// The cache of the device, in blocks of the file system.
  PageCache& device() { return device_; }

  /// Reads the inode unless it is in memory.
  Task<> read_inode(TaskContext& self, InodeIndex inode, ReadCounts& counts);
  /// Reads a block of metadata and waits for it.
  Task<> read_block(TaskContext& self, Page block, ReadCounts& counts);
  /// Reads the indirect blocks that are needed to map the file's blocks up to `logical`, and waits for them.
  Task<> map(TaskContext& self, InodeIndex inode, Page logical, ReadCounts& counts);
  /// Block of the device of a file's block; 0 for a hole or behind the end. What map() reads must be in memory.
  Page block_of(InodeIndex inode, Page logical) const;
  /// The cache of a regular file.
  PageCache& pages_of(InodeIndex inode);

  ReqFlags metadata_flags() const;

 private:
  Task<> read_inode_window(TaskContext& self, Page block, ReadCounts& counts);

  const Image& image_;
  MountRules rules_;
  PageCache device_;
  std::vector<bool> known_;  // inodes in memory
  std::unordered_map<InodeIndex, PageCache> files_;
};

}  // namespace elvcheck
