// SPDX-License-Identifier: GPL-2.0-or-later
// The minimiser: it keeps the verdict and its reason, ends 1-minimal or says that it does not, and gives the same result
// twice. 1-minimality is held against its definition: every single removal of a step of the result loses the violation.
#include "properties/minimize.hpp"

#include <gtest/gtest.h>

#include "properties/case_file.hpp"
#include "properties/case_identity.hpp"
#include "properties/property.hpp"

namespace elvcheck {
namespace {

/// A stream of reads with a batch that is one too long, among much that does not matter.
CaseFile planted_failure(std::size_t singles) {
  CaseFile value = parse_case(R"(elvcheck_case = 1
property = "deadline.fifo-batch"
expect = "violated"
scheduler = "deadline-4.19"
mutant = "deadline.batch-one-more"
[tunables]
fifo_batch = 2
read_expire = 137
[device]
preset = "sata-7200-2014"
[block]
hz = 1000
nr_requests = 64
[[process]]
name = "bystander"
ioprio = "be/3"
ops = ["think 3ms", "write 800000 +64 x10 random 65536 seed 7 async"]
[[process]]
name = "reader"
ops = []
)",
                              "planted");
  for (std::size_t i = 0; i < singles; ++i) {
    ProcessOp op;
    op.nowait = true;
    op.sectors = 16;
    op.sector = 1000 + 48 * ((i * 37) % singles);
    value.scenario.processes.back().ops.push_back(op);
  }
  return value;
}

bool violates(const Scenario& scenario, const CaseFile& value) {
  const auto verdict = judge_property(scenario, *find_property(value.property));
  return verdict && verdict->violation && verdict->violation->rule == value.rule;
}

TEST(Minimize, KeepsTheVerdictAndItsReason) {
  const CaseFile before = planted_failure(60);
  const Minimized result = minimize_case(before);
  EXPECT_TRUE(result.one_minimal);
  EXPECT_EQ(result.value.property, before.property);
  EXPECT_FALSE(result.value.rule.empty());
  EXPECT_TRUE(violates(result.value.scenario, result.value));
  EXPECT_EQ(parse_case(format_case(result.value), "again"), result.value);
  // A batch of three where two are allowed: no fewer than three requests can show it.
  EXPECT_GE(result.after.requests, 3U);
  EXPECT_LE(result.after.ops, 4U) << format_case(result.value);
  EXPECT_EQ(result.after.processes, 1U) << format_case(result.value);
  EXPECT_EQ(result.value.scenario.device.preset, "flat");
}

TEST(Minimize, NoSingleStepCanBeRemovedFromTheResult) {
  const Minimized result = minimize_case(planted_failure(40));
  ASSERT_TRUE(result.one_minimal);
  for (std::size_t p = 0; p < result.value.scenario.processes.size(); ++p) {
    for (std::size_t i = 0; i < result.value.scenario.processes[p].ops.size(); ++i) {
      Scenario smaller = result.value.scenario;
      auto& ops = smaller.processes[p].ops;
      ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_FALSE(violates(smaller, result.value)) << format_case(result.value);
    }
  }
}

TEST(Minimize, MinimisingTheResultChangesNothing) {
  const Minimized first = minimize_case(planted_failure(40));
  EXPECT_EQ(minimize_case(first.value).value, first.value);
}

TEST(Minimize, IsDeterministic) {
  const Minimized first = minimize_case(planted_failure(50));
  const Minimized second = minimize_case(planted_failure(50));
  EXPECT_EQ(first.value, second.value);
  EXPECT_EQ(first.runs, second.runs);
}

TEST(Minimize, FourHundredRequestsTakeFewRuns) {
  const Minimized result = minimize_case(planted_failure(400));
  EXPECT_TRUE(result.one_minimal);
  EXPECT_LT(result.runs, 2000U);  // the target of the project
  EXPECT_LE(result.after.ops, 4U) << format_case(result.value);
  RecordProperty("runs", static_cast<int>(result.runs));
}

TEST(Minimize, SaysThatTheBudgetEndedFirst) {
  MinimizeLimits limits;
  limits.runs = 20;
  const Minimized result = minimize_case(planted_failure(60), limits);
  EXPECT_FALSE(result.one_minimal);
  EXPECT_LE(result.runs, 20U);
  EXPECT_TRUE(violates(result.value.scenario, result.value));
}

TEST(Minimize, StopsWhenItIsCancelled) {
  MinimizeLimits limits;
  int left = 10;
  limits.cancelled = [&] { return left-- <= 0; };
  const Minimized result = minimize_case(planted_failure(60), limits);
  EXPECT_FALSE(result.one_minimal);
  EXPECT_LE(result.runs, 11U);
}

TEST(Minimize, RefusesACaseThatDoesNotHaveItsVerdict) {
  CaseFile value = planted_failure(60);
  value.scenario.mutant.clear();
  EXPECT_THROW(minimize_case(value), InputError);
  value = planted_failure(60);
  value.rule = "no-such-rule";
  EXPECT_THROW(minimize_case(value), InputError);
  value = planted_failure(60);
  value.property.clear();
  EXPECT_THROW(minimize_case(value), InputError);
}

TEST(Minimize, AHeldCaseStaysOneThatIsJudged) {
  CaseFile value = planted_failure(30);
  value.scenario.mutant.clear();
  value.expect_violated = false;
  const Minimized result = minimize_case(value);
  const auto verdict = judge_property(result.value.scenario, *find_property(value.property));
  ASSERT_TRUE(verdict);
  EXPECT_FALSE(verdict->violation);
  EXPECT_GT(verdict->judged, 0U);
  EXPECT_LT(result.after.ops, result.before.ops);
}

TEST(CaseIdentity, NamesAndNotesDoNotMatter) {
  CaseFile value = planted_failure(5);
  const std::string id = case_id(value);
  EXPECT_EQ(id.size(), 16U);
  value.note = "somewhere else";
  value.scenario.processes[0].name = "other";
  EXPECT_EQ(case_id(value), id);
  value.scenario.tunables.push_back({"writes_starved", 2});  // the default
  EXPECT_EQ(case_id(value), id);
  value.scenario.tunables.back().value = 3;
  EXPECT_NE(case_id(value), id);
}

TEST(ScenarioSize, CountsStepsAndWhatTheySubmit) {
  const CaseFile value = parse_case(R"(elvcheck_case = 1
expect = "held"
scheduler = "noop"
[[process]]
name = "a"
ops = ["repeat 3", "read 0 +8 x2", "think 1ms", "end", "write 8 +8"]
)",
                                    "size");
  const ScenarioSize size = size_of(value.scenario);
  EXPECT_EQ(size.ops, 5U);
  EXPECT_EQ(size.requests, 7U);  // 3 x 2 reads and a write
}

}  // namespace
}  // namespace elvcheck
