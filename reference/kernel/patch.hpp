// SPDX-License-Identifier: GPL-2.0-or-later
// Patches on a kernel tree: files as `git format-patch` and `b4 am` write them, alone or in an mbox.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reference/kernel/tree.hpp"

namespace elvcheck::kernel {

struct PatchedTree {
  KernelTree tree;                    ///< a copy with the patches applied, kept in the cache by content
  std::vector<std::string> changed;   ///< the files that were changed
  std::vector<std::string> left_out;  ///< files of the patches that no build reads (Documentation/, drivers/)
};

/// Applies the patches in order (patch -p1) to a copy of the tree. Throws InputError for a file that is no patch, and BuildError
/// for one that does not apply.
PatchedTree apply_patches(const KernelTree& tree, const std::vector<std::string>& patches, const std::filesystem::path& cache);

}  // namespace elvcheck::kernel
