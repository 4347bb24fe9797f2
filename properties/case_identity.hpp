// SPDX-License-Identifier: GPL-2.0-or-later
// When two cases are the same one.
#pragma once

#include <string>

#include "properties/case_file.hpp"

namespace elvcheck {

/// Without what does not matter: no note, processes named a, b, c, ... in their order, the scheduler by its versioned name,
/// tunables that are set to their defaults left out.
CaseFile normalized(const CaseFile& value);

/// 16 hexadecimal digits of a hash of the normalised text: the name of a case in the failure database, and what `merge`
/// compares.
std::string case_id(const CaseFile& value);

}  // namespace elvcheck
