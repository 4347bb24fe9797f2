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

nlohmann::ordered_json task_as_json(const TaskReport& task) {
  nlohmann::ordered_json json = {{"name", task.name},
                                 {"statement", task.statement},
                                 {"answer", to_string(task.result.answer)},
                                 {"seconds", task.result.seconds},
                                 {"rlimit", task.result.rlimit}};
  if (!task.result.reason.empty()) json["reason"] = task.result.reason;
  if (!task.result.needed.empty()) json["needs"] = task.result.needed;
  if (task.result.second_answer) json["cvc5"] = to_string(*task.result.second_answer);
  return json;
}

/// What the JSON report says of a theorem beside its verdict.
nlohmann::ordered_json details(const TheoremReport& report) {
  const Theorem& theorem = *report.theorem;
  nlohmann::ordered_json json = {{"theorem", to_string(report.verdict)},
                                 {"statement", theorem.statement},
                                 {"core", theorem.core},
                                 {"flows", theorem.flows},
                                 {"symbolic", theorem.symbolic},
                                 {"method", to_string(theorem.method)},
                                 {"assumes", theorem.abstraction},
                                 {"rlimit", report.rlimit}};
  if (!report.needed.empty()) json["needs"] = report.needed;
  for (const TaskReport& task : report.conditions) json["conditions"].push_back(task_as_json(task));
  for (const TaskReport& task : report.vacuity) json["vacuity"].push_back(task_as_json(task));
  for (const PlantedBugReport& bug : report.planted_bugs) {
    json["planted_bugs"].push_back({{"name", bug.name}, {"statement", bug.statement}, {"verdict", to_string(bug.verdict)}});
  }
  return json;
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
    result.violations += bug.verdict == BugVerdict::missed;
  }
  if (report.verdict != TheoremVerdict::failed) result.violations = 0;
  result.time = std::chrono::nanoseconds(static_cast<std::int64_t>(report.seconds * 1e9));
  result.case_path = report.case_path;
  if (!report.case_path.empty()) result.replay = "elvcheck replay " + shell_word(report.case_path);
  result.detail = report.detail.empty() ? report.theorem->statement : report.detail;
  result.extra = details(report);
  if (result.outcome == Outcome::violated) result.report = scope(report);
  return result;
}

std::string one_line(const TheoremReport& report) {
  const Theorem& theorem = *report.theorem;
  return fmt::format("; {}, rlimit {}; {}; for all {}: {}", to_string(theorem.method), report.rlimit, theorem.flows,
                     theorem.symbolic, theorem.statement);
}

std::string scope(const TheoremReport& report) {
  const Theorem& theorem = *report.theorem;
  std::string out = fmt::format("  claim     {}\n", theorem.statement);
  if (!report.detail.empty()) out += fmt::format("  outcome   {}\n", report.detail);
  out += fmt::format("  scope     {}; for all {}; by {}\n", theorem.flows, theorem.symbolic, to_string(theorem.method));
  out += fmt::format("  assumes   {}\n", theorem.abstraction);
  std::string bugs;
  for (const PlantedBugReport& bug : report.planted_bugs) {
    bugs += fmt::format("{}{} {}", bugs.empty() ? "" : ", ", bug.name, to_string(bug.verdict));
  }
  out += fmt::format("  checked   {} conditions, {} vacuity checks; planted bugs: {}; rlimit {}\n", report.conditions.size(),
                     report.vacuity.size(), bugs.empty() ? "not tried" : bugs, report.rlimit);
  if (!report.needed.empty()) out += fmt::format("  needs     {}\n", fmt::join(report.needed, "; "));
  if (report.second_asked > 0) {
    out += fmt::format("  cvc5      answers {} of {} tasks, disagrees about {}\n", report.second_answered,
                       report.second_asked, report.second_disagreed);
  }
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
