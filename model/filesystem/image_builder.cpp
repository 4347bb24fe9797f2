// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/filesystem/image_builder.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/filesystem/htree.hpp"

namespace elvcheck {

namespace {

constexpr Page direct_blocks = 12;         // EXT3_NDIR_BLOCKS
constexpr std::uint64_t first_inode = 12;  // 11 is lost+found

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit; }

/// A group of blocks: what is free in it.
struct Group {
  std::vector<std::uint64_t> used;  // a bit for each block; empty: not looked at yet
  Page free_blocks = 0;
  Page lowest_free = 0;      // no block below is free
  std::uint64_t inodes = 0;  // in use
};

}  // namespace

Page FileSystemShape::group_blocks() const {
  const Page whole = std::min({block_bytes * 8, Page{32768}, blocks});
  return whole / 64 * 64;
}

struct ImageBuilder::Parts {
  Parts(const FileSystemShape& given, std::uint64_t seed) : shape(given), random(seed) {
    if (shape.block_bytes < 1024 || shape.block_bytes > 65536 || (shape.block_bytes & (shape.block_bytes - 1)) != 0)
      throw std::invalid_argument("block_bytes must be a power of two from 1024 to 65536");
    group_blocks = shape.group_blocks();
    table_blocks = rounded_up(std::uint64_t{shape.inodes_per_group} * shape.inode_bytes, shape.block_bytes);
    if (group_blocks == 0 || shape.first_group >= shape.blocks / group_blocks)
      throw std::invalid_argument("the device is too small for a file system; take one of 64 MiB or more");
    if (table_blocks + 3 >= group_blocks) throw std::invalid_argument("inodes_per_group is too large for a group of blocks");
    groups.resize(shape.blocks / group_blocks);
    free_blocks = (group_blocks - table_blocks - 3) * groups.size();
    groups[0].inodes = first_inode - 1;
    image.block_bytes = shape.block_bytes;
    image.blocks = shape.blocks;
    image.dir_index = shape.dir_index;
    image.cached.push_back(0);
    new_inode(shape.first_group, 0);
    image.inodes[root].number = 2;
    new_directory(root);
  }

  Page group_start(Page group) const { return group * group_blocks; }
  Page table_start(Page group) const { return group_start(group) + 3; }

  Group& touch(Page number) {
    Group& group = groups[number];
    if (!group.used.empty()) return group;
    group.used.assign(group_blocks / 64, 0);
    for (Page block = 0; block < table_blocks + 3; ++block) group.used[block / 64] |= std::uint64_t{1} << block % 64;
    group.free_blocks = group_blocks - table_blocks - 3;
    group.lowest_free = table_blocks + 3;
    age(group);
    return group;
  }

  /// Puts runs of used and of free blocks in turns, of random lengths.
  void age(Group& group) {
    if (shape.used_permille == 0) return;
    const std::uint64_t longest_used = 64;
    const std::uint64_t longest_free = longest_used * (1000 - shape.used_permille) / shape.used_permille + 1;
    for (Page block = group.lowest_free; block < group_blocks;) {
      for (Page left = 1 + random.below(longest_used); left > 0 && block < group_blocks; --left, ++block) {
        group.used[block / 64] |= std::uint64_t{1} << block % 64;
        --group.free_blocks;
        --free_blocks;
      }
      block += 1 + random.below(longest_free);
    }
  }

  /// The first free block from `goal` on, in its group or in the next ones.
  Page allocate(Page goal) {
    Page number = std::min<Page>(goal / group_blocks, groups.size() - 1);
    Page from = goal % group_blocks;
    for (std::size_t tried = 0; tried <= groups.size(); ++tried) {
      Group& group = touch(number);
      if (group.free_blocks > 0) {
        if (from <= group.lowest_free) from = group.lowest_free;
        for (Page block = from; block < group_blocks; ++block) {
          const std::uint64_t bits = group.used[block / 64];
          if (bits == ~std::uint64_t{0}) {
            block |= 63;
            continue;
          }
          if ((bits >> block % 64 & 1) != 0) continue;
          group.used[block / 64] |= std::uint64_t{1} << block % 64;
          --group.free_blocks;
          --free_blocks;
          if (block == group.lowest_free) group.lowest_free = block + 1;
          return group_start(number) + block;
        }
      }
      number = (number + 1) % groups.size();
      from = 0;
    }
    throw std::invalid_argument("the file system is full; take fewer or smaller files");
  }

  /// The next block of a file, and the indirect block before it if it is the first that needs one.
  void grow(Inode& inode, Page home) {
    const Page logical = blocks_of(inode.extents);
    Page goal = inode.extents.empty() ? group_start(home) : inode.extents.back().physical + inode.extents.back().length;
    const Page pointers = shape.block_bytes / 4;
    if (shape.indirect_blocks && logical >= direct_blocks && (logical - direct_blocks) % pointers == 0) {
      // The double indirect block comes before the second indirect one.
      const Page levels = logical == direct_blocks + pointers ? 2 : 1;
      for (Page level = 0; level < levels; ++level) {
        inode.map_blocks.push_back({logical, allocate(goal)});
        goal = inode.map_blocks.back().block + 1;
      }
    }
    append_block(inode.extents, allocate(goal));
  }

  InodeIndex new_inode(Page wanted, std::uint64_t bytes) {
    Page number = wanted;
    while (groups[number].inodes >= shape.inodes_per_group) {
      number = (number + 1) % groups.size();
      if (number == wanted) throw std::invalid_argument("the file system has no inode left; take fewer files");
    }
    Group& group = groups[number];
    const std::uint64_t place = group.inodes++;
    ++inodes_used;
    Inode inode;
    inode.number = number * shape.inodes_per_group + place + 1;
    inode.table_block = table_start(number) + place / (shape.block_bytes / shape.inode_bytes);
    inode.bytes = bytes;
    image.inodes.push_back(std::move(inode));
    homes.push_back(number);
    return static_cast<InodeIndex>(image.inodes.size() - 1);
  }

  void new_directory(InodeIndex inode) {
    image.inodes[inode].directory = static_cast<std::int32_t>(trees.size());
    image.inodes[inode].links = 2;
    trees.push_back(std::make_unique<Htree>(shape.block_bytes, shape.dir_index));
    add_blocks(inode);
    ++directories;
  }

  void add_blocks(InodeIndex inode) {
    Inode& node = image.inodes[inode];
    const Htree& tree = *trees[static_cast<std::size_t>(node.directory)];
    while (blocks_of(node.extents) < tree.blocks()) grow(node, homes[inode]);
    node.bytes = tree.blocks() * shape.block_bytes;
  }

  void add_entry(InodeIndex parent, std::size_t name_length, InodeIndex inode) {
    if (name_length == 0 || name_length > 255) throw std::invalid_argument("a name must have 1 to 255 bytes");
    Htree& tree = *trees[static_cast<std::size_t>(image.inodes[parent].directory)];
    tree.insert({inode, static_cast<std::uint16_t>(name_length)}, random.next());
    add_blocks(parent);
  }

  /// find_group_orlov() below the top level: the parent's group while it is not much fuller than the mean.
  Page group_for_directory(InodeIndex parent) {
    const Page count = groups.size();
    const std::uint64_t mean_inodes = shape.inodes_per_group - inodes_used / count;
    const Page mean_blocks = free_blocks / count;
    for (Page i = 0; i < count; ++i) {
      const Page number = (homes[parent] + i) % count;
      const Group& group = touch(number);
      const std::uint64_t free_inodes = shape.inodes_per_group - group.inodes;
      if (free_inodes + shape.inodes_per_group / 4 >= mean_inodes && group.free_blocks + group_blocks / 4 >= mean_blocks)
        return number;
    }
    return homes[parent];
  }

  FileSystemShape shape;
  SplitMix64 random;
  Page group_blocks = 0;
  Page table_blocks = 0;
  Page free_blocks = 0;
  std::uint64_t inodes_used = 0;
  std::uint64_t directories = 0;
  std::vector<Group> groups;
  std::vector<Page> homes;  // the group of each inode
  std::vector<std::unique_ptr<Htree>> trees;
  Image image;
};

ImageBuilder::ImageBuilder(const FileSystemShape& shape, std::uint64_t seed)
    : parts_(std::make_unique<Parts>(shape, seed)) {}
ImageBuilder::~ImageBuilder() = default;

InodeIndex ImageBuilder::make_directory(InodeIndex parent, std::size_t name_length) {
  Parts& parts = *parts_;
  const InodeIndex inode = parts.new_inode(parts.group_for_directory(parent), 0);
  parts.new_directory(inode);
  parts.add_entry(parent, name_length, inode);
  ++parts.image.inodes[parent].links;
  return inode;
}

InodeIndex ImageBuilder::make_file(InodeIndex parent, std::size_t name_length, std::uint64_t bytes) {
  Parts& parts = *parts_;
  const InodeIndex inode = parts.new_inode(parts.homes[parent], bytes);
  parts.add_entry(parent, name_length, inode);
  const Page blocks = rounded_up(bytes, parts.shape.block_bytes);
  for (Page block = 0; block < blocks; ++block) parts.grow(parts.image.inodes[inode], parts.homes[inode]);
  return inode;
}

void ImageBuilder::link(InodeIndex parent, std::size_t name_length, InodeIndex file) {
  parts_->add_entry(parent, name_length, file);
  ++parts_->image.inodes[file].links;
}

Image ImageBuilder::finish() {
  Parts& parts = *parts_;
  parts.image.directories.reserve(parts.trees.size());
  for (const auto& tree : parts.trees) parts.image.directories.push_back(tree->finish());
  for (Page number = 0; number < parts.groups.size(); ++number) {
    const std::uint64_t used = parts.groups[number].inodes;
    if (used == 0) continue;
    const Page first = parts.table_start(number);
    const Page per_block = parts.shape.block_bytes / parts.shape.inode_bytes;
    parts.image.tables.push_back({first, std::min(first + used / per_block, first + parts.table_blocks - 1)});
  }
  return std::move(parts.image);
}

}  // namespace elvcheck
