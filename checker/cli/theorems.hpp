// SPDX-License-Identifier: GPL-2.0-or-later
// Theorems as results.
#pragma once

#include <string>
#include <vector>

#include "checker/cli/options.hpp"
#include "checker/theorem/prove.hpp"

namespace elvcheck {

/// A theorem's verdict as a result: "Proved", "Refuted" (a claim kept because it is false), "Open" or "Failed"; judged
/// counts the tasks, violations those that did not come out as they must.
Result to_result(const TheoremReport& report);

/// Method, cost, scope and claim of a theorem, to stand behind its result line.
std::string one_line(const TheoremReport& report);

/// What was proved, of how much, under which assumptions: a few lines, indented.
std::string scope(const TheoremReport& report);

/// Proves the theorems that match, with progress on a terminal; ends early when a signal asks for it.
std::vector<TheoremReport> prove_with_progress(std::string_view glob, ProveOptions options, bool progress_wanted);

}  // namespace elvcheck
