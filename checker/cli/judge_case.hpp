// SPDX-License-Identifier: GPL-2.0-or-later
// Does a case keep its verdict?
#pragma once

#include <string>

#include "checker/report/result.hpp"
#include "properties/case_file.hpp"

namespace elvcheck {

/// Runs the case and compares. Held: the verdict is the expected one. Violated: it is not, and the report says why.
/// @param name  the result's name
/// @param path  of the file, for the replay command
/// Throws InputError naming the file for a scenario that cannot be built and a property that says nothing about it.
Result judge_case(const CaseFile& value, const std::string& name, const std::string& path);

}  // namespace elvcheck
