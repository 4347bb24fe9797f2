// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/saved_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/cli/console.hpp"
#include "checker/cli/interrupt.hpp"
#include "checker/cli/worker_pool.hpp"
#include "checker/report/failure.hpp"
#include "properties/property.hpp"

namespace elvcheck {

std::vector<Result> judge_saved_cases(const FailureDatabase& database, std::string_view glob,
                                      const std::vector<const SchedulerInfo*>& schedulers, std::string_view mutant) {
  std::vector<Result> results;
  for (const FailureDatabase::Entry& entry : database.entries()) {
    const CaseFile& value = entry.value;
    const Property* const property = find_property(value.property);
    const auto chosen = std::find(schedulers.begin(), schedulers.end(), find_scheduler(value.scenario.scheduler));
    if (interrupted()) break;
    if (property == nullptr || chosen == schedulers.end() || value.scenario.mutant != mutant) continue;
    if (!glob_match(glob, value.property)) continue;
    Result result;
    result.kind = "Saved";
    result.name = entry.id;
    result.scheduler = value.scenario.scheduler;
    result.device = value.scenario.device.preset;
    result.case_path = entry.path;
    result.replay = "elvcheck replay " + shell_word(entry.path);
    const auto start = thread_time();
    const auto verdict = judge_property(value.scenario, *property);
    result.time = thread_time() - start;
    if (!verdict) {
      result.outcome = Outcome::skipped;
      result.detail = fmt::format("{} says nothing about it any more", value.property);
    } else if (verdict->violation) {
      result.judged = result.violations = 1;
      result.outcome = Outcome::violated;
      result.detail = fmt::format("{} is still violated: {}", value.property, verdict->violation->message);
      result.report = failure_report(*property, *verdict->violation, value.scenario, result.replay, format_case(value));
    } else {
      result.judged = 1;
      result.detail = fmt::format("{} holds now; elvcheck db drop {} forgets it", value.property, entry.id);
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace elvcheck
