// SPDX-License-Identifier: GPL-2.0-or-later
// A tree of files of this machine: names, sizes and link counts, from which a file system of the same shape is built.
#pragma once

#include <string>
#include <vector>

#include "model/core/scenario.hpp"

namespace elvcheck {

struct RealTree {
  struct Entry {
    std::size_t name_length = 0;
    std::uint64_t bytes = 0;
    std::int64_t directory = -1;  ///< index into `contents`, or -1
    std::int64_t linked_to = -1;  ///< number of the file, in order of appearance, that this is another name of; or -1
  };
  std::vector<std::vector<Entry>> contents;  ///< of each directory, sorted by name; 0 is the tree itself
  std::uint64_t directories = 0;
  std::uint64_t names = 0;   ///< of everything else
  std::uint64_t linked = 0;  ///< names of files that have several
};

/// Reads a folder with everything below it; links are not followed, other file systems and what may not be read are left
/// out. Throws InputError if the folder itself cannot be read or has nothing in it.
RealTree read_real_tree(const std::string& folder);

/// find over an ext3 file system of that shape with a cold cache, without or with readahead v2 of directories: the figures
/// of the workload `find`.
std::vector<NamedValue> find_real_tree(const RealTree& tree, bool patched, std::uint64_t seed);

}  // namespace elvcheck
