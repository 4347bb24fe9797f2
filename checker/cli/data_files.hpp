// SPDX-License-Identifier: GPL-2.0-or-later
// The case files and recordings that elvcheck ships.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace elvcheck {

/// Paths of the shipped files in `folder` ("cases", "recordings"), sorted; the folder and everything below it.
/// Looked for in $ELVCHECK_DATA, then in share/elvcheck beside the program and beside the program's folder. Empty if there
/// is none; throws InputError if ELVCHECK_DATA is set and names no folder.
std::vector<std::string> shipped_files(std::string_view folder);

/// The text of a small file. Throws InputError: "PATH: cannot read: REASON".
std::string read_text(const std::string& path);

}  // namespace elvcheck
