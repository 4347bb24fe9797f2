// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/judge_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/cli/console.hpp"
#include "checker/cli/worker_pool.hpp"
#include "checker/report/failure.hpp"
#include "properties/case_run.hpp"

namespace elvcheck {

Result judge_case(const CaseFile& value, const std::string& name, const std::string& path) {
  Result result;
  result.kind = "Case";
  result.name = name;
  result.scheduler = value.scenario.scheduler;
  result.device = value.scenario.device.preset;
  result.case_path = path;
  result.replay = "elvcheck replay " + shell_word(path);
  const auto start = thread_time();
  CaseOutcome outcome;
  try {
    outcome = run_case(value);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  result.time = thread_time() - start;
  result.detail = outcome.explanation;
  result.judged = static_cast<std::uint64_t>(std::count_if(outcome.verdicts.begin(), outcome.verdicts.end(),
                                                           [](const Verdict& v) { return v.judged > 0 || v.violation; }));
  if (outcome.kept) return result;
  result.outcome = Outcome::violated;
  result.violations = 1;
  if (outcome.deciding && outcome.deciding->violation) {
    result.report =
        fmt::format("  {}\n", outcome.explanation) +
        failure_report(*outcome.deciding->property, *outcome.deciding->violation, value.scenario, result.replay, "");
  } else {
    result.report = fmt::format("  {}\n  replay    {}\n", outcome.explanation, result.replay);
    if (outcome.deciding) result.report += fmt::format("  promise   {}\n", outcome.deciding->property->statement);
  }
  return result;
}

}  // namespace elvcheck
