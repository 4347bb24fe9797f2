// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/reproduce/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checker/cli/console.hpp"

namespace elvcheck {

namespace {

std::string_view to_string(Role role) { return role == Role::fitted ? "fitted" : "predicted"; }

std::string runs(const std::vector<double>& values) {
  if (values.empty()) return "not published";
  return fmt::format("{:.2f}", fmt::join(values, " "));
}

std::string verdict(const Row& row) {
  if (row.measured.empty() || row.tolerance == 0) return "";
  if (row.agrees()) return fmt::format("within {:.0f} %", row.tolerance * 100);
  return fmt::format("differs by {:+.0f} %", (row.ratio() - 1) * 100);
}

}  // namespace

std::string experiment_text(const Experiment& experiment, const ExperimentOutcome& outcome) {
  std::string text = fmt::format("{}: {}\n\n", experiment.name, experiment.summary);
  std::vector<std::vector<std::string>> rows = {
      {"row", "metric", "measured runs", "median", "simulated (range)", "ratio", "role", "verdict"}};
  for (const Row& row : outcome.rows) {
    rows.push_back(
        {row.name, row.metric, runs(row.measured), row.measured.empty() ? "" : fmt::format("{:.2f}", row.measured_median()),
         row.simulated.empty() ? "" : median_and_range(row.simulated),
         row.measured.empty() ? "" : fmt::format("{:.2f}", row.ratio()), std::string(to_string(row.role)), verdict(row)});
  }
  text += format_table(rows) + "\n";
  std::vector<std::vector<std::string>> parameters = {{"parameter", "value", "fitted to, or from"}};
  for (const Parameter& parameter : outcome.parameters) {
    parameters.push_back({parameter.name, parameter.value,
                          parameter.fitted_to.empty() ? parameter.source : "fitted to " + parameter.fitted_to});
  }
  if (parameters.size() > 1) text += format_table(parameters) + "\n";
  for (const Row& row : outcome.rows) {
    if (!row.agrees() && !row.remark.empty()) text += fmt::format("{}: {}\n", row.name, row.remark);
  }
  for (const std::string& remark : outcome.remarks) text += remark + "\n";
  return text;
}

std::vector<Result> experiment_results(const Experiment& experiment, const ExperimentOutcome& outcome) {
  std::vector<Result> results;
  for (const Row& row : outcome.rows) {
    Result result;
    result.kind = "Row";
    result.name = fmt::format("{}.{}", experiment.name, row.name);
    if (!row.agrees()) result.title = "Differs";
    result.judged = row.simulated.size();
    result.scheduler = row.scheduler;
    result.device = row.device;
    result.workload = experiment.name;
    result.detail = row.remark;
    result.extra = {{"experiment", experiment.name},
                    {"row", row.name},
                    {"metric", row.metric},
                    {"measured", row.measured_median()},
                    {"simulated", row.simulated_median()},
                    {"ratio", row.ratio()},
                    {"role", to_string(row.role)},
                    {"agrees", row.agrees()},
                    {"measured_runs", row.measured},
                    {"simulated_runs", row.simulated}};
    if (row.measured.empty()) {
      result.extra.erase("measured");
      result.extra.erase("ratio");
    }
    results.push_back(std::move(result));
  }
  for (const Claim& claim : outcome.claims) {
    Result result;
    result.kind = "Claim";
    result.name = fmt::format("reproduce.{}.{}", experiment.name, claim.name);
    result.outcome = claim.held ? Outcome::held : Outcome::violated;
    result.violations = claim.held ? 0 : 1;
    result.judged = 1;
    result.workload = experiment.name;
    result.detail = fmt::format("{} {}", claim.statement, claim.detail);
    result.remark = result.detail;
    if (!claim.held) result.report = fmt::format("  {}\n", result.detail);
    result.replay = fmt::format("elvcheck reproduce {}", experiment.name);
    result.extra = {{"experiment", experiment.name}};
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace elvcheck
