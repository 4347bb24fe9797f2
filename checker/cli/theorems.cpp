// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/theorems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "checker/cli/interrupt.hpp"
#include "checker/cli/progress.hpp"

namespace elvcheck {
namespace {

std::size_t unexpected(const std::vector<TaskReport>& tasks) {
  return static_cast<std::size_t>(
      std::count_if(tasks.begin(), tasks.end(), [](const TaskReport& task) { return !task.as_expected; }));
}

}  // namespace

Result to_result(const TheoremReport& report) {
  Result result;
  result.kind = "Theorem";
  result.name = report.theorem->name;
  switch (report.verdict) {
    case TheoremVerdict::proved:
      result.title = "Proved";
      break;
    case TheoremVerdict::refuted_as_expected:
      result.title = "Refuted";
      break;
    case TheoremVerdict::open:
      result.title = "Open";
      result.outcome = Outcome::inconclusive;
      break;
    case TheoremVerdict::failed:
      result.title = "Failed";
      result.outcome = Outcome::violated;
      break;
  }
  result.judged = report.conditions.size() + report.vacuity.size();
  result.violations = unexpected(report.conditions) + unexpected(report.vacuity);
  for (const PlantedBugReport& bug : report.planted_bugs) {
    ++result.judged;
    result.violations += !bug.caught;
  }
  if (report.verdict != TheoremVerdict::failed) result.violations = 0;
  result.time = std::chrono::nanoseconds(static_cast<std::int64_t>(report.seconds * 1e9));
  result.case_path = report.case_path;
  if (!report.case_path.empty()) result.replay = "elvcheck replay " + shell_word(report.case_path);
  result.detail = report.detail.empty() ? report.theorem->statement : report.detail;
  result.extra = {{"theorem", to_string(report.verdict)}, {"rlimit", report.rlimit}};
  if (result.outcome == Outcome::violated) result.report = scope(report);
  return result;
}

std::string scope(const TheoremReport& report) {
  const Theorem& theorem = *report.theorem;
  std::string out = fmt::format("  claim     {}\n", theorem.statement);
  if (!report.detail.empty()) out += fmt::format("  outcome   {}\n", report.detail);
  out += fmt::format("  scope     {}; for all {}; by {}\n", theorem.flows, theorem.symbolic, to_string(theorem.method));
  out += fmt::format("  assumes   {}\n", theorem.abstraction);
  std::string bugs;
  for (const PlantedBugReport& bug : report.planted_bugs) {
    bugs += fmt::format("{}{} {}", bugs.empty() ? "" : ", ", bug.name, bug.caught ? "caught" : "NOT CAUGHT");
  }
  out += fmt::format("  checked   {} conditions, {} vacuity checks; planted bugs: {}; rlimit {}\n", report.conditions.size(),
                     report.vacuity.size(), bugs.empty() ? "none" : bugs, report.rlimit);
  if (!report.case_path.empty()) out += fmt::format("  replay    elvcheck replay {}\n", shell_word(report.case_path));
  return out;
}

std::vector<TheoremReport> prove_with_progress(std::string_view glob, ProveOptions options, bool progress_wanted) {
  std::optional<Progress> progress;
  options.progress = [&](const ProveProgress& now) {
    if (!progress) progress.emplace("proof tasks", now.total, std::chrono::seconds(0), progress_wanted);
    progress->update(now.done);
  };
  options.cancelled = interrupted;
  return prove_theorems(glob, options);
}

}  // namespace elvcheck
