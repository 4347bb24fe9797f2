// SPDX-License-Identifier: GPL-2.0-or-later
// The failure database as the first thing that a run or a campaign tries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/campaign/failure_database.hpp"
#include "checker/report/result.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck {

/// Judges the saved cases whose property matches the glob, whose scheduler is among `schedulers` and whose planted bug is
/// `mutant`: violated while the property is still broken, held once it is not.
std::vector<Result> judge_saved_cases(const FailureDatabase& database, std::string_view glob,
                                      const std::vector<const SchedulerInfo*>& schedulers, std::string_view mutant);

}  // namespace elvcheck
