// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/case_run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace elvcheck {

namespace {

std::vector<Verdict> judge(const CaseFile& value) {
  try {
    return judge_scenario(value.scenario, value.property, !value.property.empty());
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

std::string describe(const Violation& violation) { return fmt::format("{}: {}", violation.rule, violation.message); }

// No property is named: every one that applies must hold.
void judge_all(CaseOutcome& outcome) {
  const auto broken = std::find_if(outcome.verdicts.begin(), outcome.verdicts.end(),
                                   [](const Verdict& v) { return v.violation.has_value(); });
  outcome.kept = broken == outcome.verdicts.end();
  if (outcome.kept) {
    outcome.explanation = fmt::format("all {} properties held, as expected", outcome.verdicts.size());
  } else {
    outcome.deciding = *broken;
    outcome.explanation =
        fmt::format("{} was violated, expected to hold ({})", broken->property->name, describe(*broken->violation));
  }
}

void judge_one(const CaseFile& value, CaseOutcome& outcome) {
  const Verdict& verdict = outcome.verdicts.front();
  outcome.deciding = verdict;
  if (!value.expect_violated) {
    outcome.kept = !verdict.violation && verdict.judged > 0;
    if (verdict.violation)
      outcome.explanation = fmt::format("violated, expected to hold ({})", describe(*verdict.violation));
    else if (verdict.judged == 0)
      outcome.explanation = "held, but there was nothing to judge; let the case exercise the property";
    else
      outcome.explanation = fmt::format("held, as expected (judged {} times, worst {})", verdict.judged, verdict.worst);
    return;
  }
  if (!verdict.violation) {
    outcome.explanation =
        fmt::format("held, expected to be violated (judged {} times, worst {})", verdict.judged, verdict.worst);
  } else if (!value.rule.empty() && value.rule != verdict.violation->rule) {
    outcome.explanation = fmt::format("violated by another rule than '{}' ({})", value.rule, describe(*verdict.violation));
  } else {
    outcome.kept = true;
    outcome.explanation = fmt::format("violated, as expected ({})", describe(*verdict.violation));
  }
}

}  // namespace

CaseOutcome run_case(const CaseFile& value) {
  CaseOutcome outcome;
  outcome.verdicts = judge(value);
  if (value.property.empty()) {
    judge_all(outcome);
    return outcome;
  }
  if (is_kernel_property(value.property))
    throw InputError(fmt::format("property '{}' is about a kernel's own code; give its tree with --tree", value.property));
  if (outcome.verdicts.empty() || outcome.verdicts.front().property->name != value.property) {
    throw InputError(
        fmt::format("property '{}' says nothing about this scenario with {}; name another one or change its settings",
                    value.property, value.scenario.scheduler));
  }
  judge_one(value, outcome);
  return outcome;
}

}  // namespace elvcheck
