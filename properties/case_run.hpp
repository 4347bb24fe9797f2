// SPDX-License-Identifier: GPL-2.0-or-later
// Replaying a case: does it still have its verdict?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "properties/case_file.hpp"
#include "properties/property.hpp"

namespace elvcheck {

struct CaseOutcome {
  bool kept = false;                ///< the expected verdict came out
  std::vector<Verdict> verdicts;    ///< of the case's property, or of all that apply
  std::optional<Verdict> deciding;  ///< the verdict that decided: the named property's, or the first violated one
  std::string explanation;          ///< one sentence: what came out and what was expected
};

/// Runs the case's scenario and judges it. "held" is kept only if the property had something to judge: a case that shows
/// nothing would keep its verdict for ever. Throws InputError when the scenario cannot be built or the property does not
/// apply to it.
CaseOutcome run_case(const CaseFile& value);

}  // namespace elvcheck
