// SPDX-License-Identifier: GPL-2.0-or-later
// Diffs in a mail or patch file: unified, as git and diff -u write them, found among any other text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/kernel/mail.hpp"

namespace elvcheck::kernel {

/// What is done to one file.
struct FileDiff {
  std::string old_path;  ///< as written; empty: the file is new
  std::string new_path;  ///< as written; empty: the file goes
  bool moved = false;    ///< renamed, or copied if `copied`
  bool copied = false;
  bool binary = false;
  std::size_t line = 0;                 ///< where it begins
  std::string hunks;                    ///< their text; empty for a mere rename
  std::vector<std::size_t> hunk_lines;  ///< where each of them begins
};

/// The diffs of a text, in order.
/// @param name  of the file, for messages
/// Throws InputError naming the line of a hunk that is cut or that a mailer has wrapped.
std::vector<FileDiff> find_diffs(const std::vector<NumberedLine>& lines, const std::string& name);

}  // namespace elvcheck::kernel
