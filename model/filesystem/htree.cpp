// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/filesystem/htree.hpp"

#include <algorithm>

namespace elvcheck {

namespace {
constexpr std::uint64_t dot_entries = 24;  // "." and ".."
constexpr std::uint64_t root_header = 40;  // the dot entries, dx_root_info and the count
constexpr std::uint64_t node_header = 16;  // a fake entry and the count
}  // namespace

Htree::Htree(std::uint64_t block_bytes, bool dir_index) : block_bytes_(block_bytes), dir_index_(dir_index) {
  leaves_.push_back({0, 0, dot_entries, {}});
}

std::size_t Htree::leaf_of(std::uint64_t hash) const {
  const auto after = std::upper_bound(leaves_.begin(), leaves_.end(), hash,
                                      [](std::uint64_t h, const Node& leaf) { return h < leaf.lowest; });
  return static_cast<std::size_t>(after - leaves_.begin()) - 1;
}

void Htree::insert(DirectoryEntry entry, std::uint64_t hash) {
  const Name name{hash, entry};
  const std::uint64_t bytes = bytes_of(entry);
  if (!indexed_ && (!dir_index_ || leaves_.front().used + bytes <= block_bytes_)) {
    insert_linear(name);
    return;
  }
  if (!indexed_) {
    indexed_ = true;
    leaves_.front().logical = blocks_++;
    leaves_.front().used -= dot_entries;
    root_leaves_ = 1;
    split(0);
  }
  std::size_t leaf = leaf_of(hash);
  while (leaves_[leaf].used + bytes > block_bytes_) {
    split(leaf);
    leaf = leaf_of(hash);
  }
  leaves_[leaf].used += bytes;
  leaves_[leaf].names.push_back(name);
}

void Htree::insert_linear(const Name& name) {
  const std::uint64_t bytes = bytes_of(name.entry);
  if (leaves_.back().used + bytes > block_bytes_) leaves_.push_back({0, blocks_++, 0, {}});
  leaves_.back().used += bytes;
  leaves_.back().names.push_back(name);
}

void Htree::split(std::size_t leaf) {
  std::vector<Name>& names = leaves_[leaf].names;
  std::stable_sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.hash < b.hash; });
  const auto middle = names.begin() + static_cast<std::ptrdiff_t>(names.size() / 2);
  Node upper{middle->hash, blocks_++, 0, {middle, names.end()}};
  for (const Name& name : upper.names) upper.used += bytes_of(name.entry);
  names.erase(middle, names.end());
  leaves_[leaf].used -= upper.used;
  const std::uint64_t lowest = upper.lowest;
  leaves_.insert(leaves_.begin() + static_cast<std::ptrdiff_t>(leaf) + 1, std::move(upper));
  index_leaf(lowest);
}

void Htree::index_leaf(std::uint64_t lowest) {
  const std::uint64_t root_room = (block_bytes_ - root_header) / 8;
  const std::uint64_t node_room = (block_bytes_ - node_header) / 8;
  if (interiors_.empty()) {
    if (++root_leaves_ <= root_room) return;
    interiors_.push_back({0, blocks_++, static_cast<std::uint32_t>(root_leaves_)});
    return;
  }
  auto at = std::upper_bound(interiors_.begin(), interiors_.end(), lowest,
                             [](std::uint64_t h, const Interior& node) { return h < node.lowest; }) -
            1;
  if (++at->leaves <= node_room) return;
  // The upper half of the leaves moves to a new interior block.
  const std::size_t first = leaf_of(at->lowest);
  const std::uint32_t kept = at->leaves / 2;
  const Interior upper{leaves_[first + kept].lowest, blocks_++, at->leaves - kept};
  at->leaves = kept;
  interiors_.insert(at + 1, upper);
}

Directory Htree::finish() {
  Directory directory;
  directory.indexed = indexed_;
  for (Node& leaf : leaves_) {
    if (dir_index_)
      std::stable_sort(leaf.names.begin(), leaf.names.end(), [](const Name& a, const Name& b) { return a.hash < b.hash; });
    std::int32_t interior = -1;
    for (const Interior& node : interiors_) {
      if (node.lowest <= leaf.lowest) interior = static_cast<std::int32_t>(node.logical);
    }
    directory.leaves.push_back({leaf.logical, static_cast<std::uint32_t>(directory.entries.size()),
                                static_cast<std::uint32_t>(leaf.names.size()), interior});
    for (const Name& name : leaf.names) directory.entries.push_back(name.entry);
  }
  return directory;
}

}  // namespace elvcheck
