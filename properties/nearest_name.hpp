// SPDX-License-Identifier: GPL-2.0-or-later
// "did you mean": the known name nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace elvcheck {

/// The name with the smallest edit distance (insertions, deletions, substitutions, swaps of neighbours), if that is at most
/// a third of the text's length and at least within 2; the earlier of two equally near. Empty when none is near.
std::string_view nearest_name(std::string_view text, const std::vector<std::string_view>& known);

/// "; did you mean 'NAME'?" when one is near, otherwise "; known: A, B, C". Empty when nothing is known.
std::string suggest_name(std::string_view text, const std::vector<std::string_view>& known);

}  // namespace elvcheck
