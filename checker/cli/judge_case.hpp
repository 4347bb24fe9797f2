// SPDX-License-Identifier: GPL-2.0-or-later
// Does a case keep its verdict?
#pragma once

#include <string>

#include "checker/report/result.hpp"
#include "properties/case_file.hpp"

namespace elvcheck {

/// Runs the case and compares. Held: the verdict is the expected one. Violated: it is not, and the report says why. Skipped:
/// the property has nothing to judge in this run, so that nothing can be kept.
/// @param name  the result's name
/// @param path  of the file, for the replay command
/// Throws InputError naming the file for a property or scenario that does not exist.
Result judge_case(const CaseFile& value, const std::string& name, const std::string& path);

}  // namespace elvcheck
