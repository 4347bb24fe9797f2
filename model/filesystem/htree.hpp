// SPDX-License-Identifier: GPL-2.0-or-later
// A directory while names are added to it: linear, or an htree (dir_index).
//
// Mirrors ext3_add_entry(), make_indexed_dir(), do_split() and ext3_dx_add_entry() of fs/ext3/namei.c (2.6.20). An entry
// takes 8 bytes and its name, rounded up to 4. A directory becomes an htree when it outgrows one block: block 0 becomes the
// root, and the entries move to block 1. A full leaf is split in the middle of its entries in order of their hash. A full
// root gets one level of interior blocks; a full interior block is split in halves. Promise: every name is in exactly one
// leaf, and leaves in order of hash do not overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "model/filesystem/image.hpp"

namespace elvcheck {

class Htree {
 public:
  Htree(std::uint64_t block_bytes, bool dir_index);

  void insert(DirectoryEntry entry, std::uint64_t hash);
  /// Blocks of the directory.
  Page blocks() const { return blocks_; }
  /// The directory in readdir order. Once.
  Directory finish();

 private:
  struct Name {
    std::uint64_t hash = 0;
    DirectoryEntry entry;
  };
  struct Node {
    std::uint64_t lowest = 0;  // smallest hash that belongs here
    std::uint32_t logical = 0;
    std::uint64_t used = 0;  // bytes
    std::vector<Name> names;
  };
  struct Interior {
    std::uint64_t lowest = 0;
    std::uint32_t logical = 0;
    std::uint32_t leaves = 0;
  };
  static std::uint64_t bytes_of(const DirectoryEntry& entry) { return (8 + std::uint64_t{entry.name_length} + 3) / 4 * 4; }
  void insert_linear(const Name& name);
  void split(std::size_t leaf);
  void index_leaf(std::uint64_t lowest);
  std::size_t leaf_of(std::uint64_t hash) const;

  std::uint64_t block_bytes_;
  bool dir_index_;
  bool indexed_ = false;
  std::uint32_t blocks_ = 1;
  std::uint64_t root_leaves_ = 0;
  std::vector<Node> leaves_;         // in order of hash; of creation while not indexed
  std::vector<Interior> interiors_;  // in order of hash; empty: the root points to the leaves
};

}  // namespace elvcheck
