// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/judge_case.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "checker/cli/console.hpp"
#include "checker/cli/worker_pool.hpp"
#include "checker/report/failure.hpp"
#include "properties/nearest_name.hpp"

namespace elvcheck {
namespace {

void require_property(const std::string& name, const std::string& path) {
  if (name.empty() || find_property(name) != nullptr) return;
  std::vector<std::string_view> names;
  for (const Property& property : properties()) names.emplace_back(property.name);
  throw InputError(fmt::format("{}: no property '{}'{}", path, name, suggest_name(name, names)));
}

/// A case that is expected to violate its property.
void judge_expected_violation(const CaseFile& value, const Verdict& verdict, Result& result) {
  const bool same = verdict.violation && (value.rule.empty() || verdict.violation->rule == value.rule);
  if (same) {
    result.detail = fmt::format("violated as expected: {}", verdict.violation->message);
    return;
  }
  result.outcome = Outcome::violated;
  result.violations = 1;
  result.detail = verdict.violation ? fmt::format("expected a violation of rule {}, but rule {} was broken: {}", value.rule,
                                                  verdict.violation->rule, verdict.violation->message)
                                    : fmt::format("expected a violation of {}, but it held", value.property);
  result.report = fmt::format("  {}\n  promise   {}\n  replay    {}\n", result.detail, verdict.property->statement, result.replay);
}

}  // namespace

Result judge_case(const CaseFile& value, const std::string& name, const std::string& path) {
  require_property(value.property, path);
  Result result;
  result.kind = "Case";
  result.name = name;
  result.scheduler = value.scenario.scheduler;
  result.device = value.scenario.device.preset;
  result.case_path = path;
  result.replay = "elvcheck replay " + shell_word(path);
  const auto start = thread_time();
  std::vector<Verdict> verdicts;
  try {
    verdicts = judge_scenario(value.scenario, value.property, value.expect_violated || !value.property.empty());
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  result.time = thread_time() - start;
  for (const Verdict& verdict : verdicts) {
    if (verdict.judged > 0 || verdict.violation) ++result.judged;
  }
  if (verdicts.empty()) {
    result.outcome = Outcome::skipped;
    result.detail = fmt::format("{} says nothing about {} on {}", value.property.empty() ? "no property" : value.property,
                                result.scheduler, result.device);
    return result;
  }
  if (value.expect_violated) {
    judge_expected_violation(value, verdicts.front(), result);
    return result;
  }
  for (const Verdict& verdict : verdicts) {
    if (!verdict.violation) continue;
    if (result.violations == 0) {
      result.detail = fmt::format("{}: {}", verdict.property->name, verdict.violation->message);
      result.report = failure_report(*verdict.property, *verdict.violation, value.scenario, result.replay, "");
    }
    ++result.violations;
    result.outcome = Outcome::violated;
  }
  if (result.judged == 0) {
    result.outcome = Outcome::skipped;
    result.detail = "the run gave the property nothing to judge";
  }
  return result;
}

}  // namespace elvcheck
