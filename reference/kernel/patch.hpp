// SPDX-License-Identifier: GPL-2.0-or-later
// Patches as kernel developers exchange them: a plain diff, a file of git format-patch, an mbox with a whole thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reference/kernel/tree.hpp"

namespace elvcheck::kernel {

struct PatchedTree {
  KernelTree tree;                    ///< a copy with the patches applied, kept in the cache by content
  std::vector<std::string> changed;   ///< the files of the tree that differ, each once
  std::vector<std::string> left_out;  ///< files of the patches that no build reads (Documentation/, drivers/), each once
  std::vector<std::string> applied;   ///< the subject of each mail, or the name of each file without one, in order
  std::vector<std::string> notes;     ///< mails that were passed over, hunks that fit only roughly
};

/// Applies the patches in order to a copy of the tree. In an mbox, cover letters and answers are passed over, of several
/// versions of a series the newest is taken, and its mails are put in order by their numbers. Paths may have one leading
/// folder (-p1), none, or several. Throws InputError (FILE:LINE) for a file that is no patch or a damaged one, and
/// BuildError (FILE:LINE) for a patch that does not apply to this tree.
PatchedTree apply_patches(const KernelTree& tree, const std::vector<std::string>& patches,
                          const std::filesystem::path& cache);

}  // namespace elvcheck::kernel
