// SPDX-License-Identifier: GPL-2.0-or-later
// The case files of tests/cases keep their verdicts; each says in its note what it shows and where that was promised.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "properties/case_run.hpp"

namespace elvcheck {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> case_paths() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(ELVCHECK_TEST_CASES)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Cases, EachKeepsItsVerdict) {
  const std::vector<std::string> paths = case_paths();
  ASSERT_GE(paths.size(), 20U);
  for (const std::string& path : paths) {
    const CaseOutcome outcome = run_case(read_case(path));
    EXPECT_TRUE(outcome.kept) << path << ": " << outcome.explanation;
  }
}

TEST(Cases, EachSurvivesItsOwnRewriting) {
  for (const std::string& path : case_paths()) {
    const CaseFile value = read_case(path);
    EXPECT_EQ(parse_case(format_case(value), path), value) << path;
    EXPECT_FALSE(value.note.empty()) << path << " does not say what it shows";
  }
}

TEST(Cases, EveryClaimThatIsNotKeptHasACase) {
  for (const Property& property : properties()) {
    if (!property.refuted && property.kept == nullptr) continue;
    const auto paths = case_paths();
    EXPECT_TRUE(std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
      const CaseFile value = read_case(path);
      return value.property == property.name && value.expect_violated;
    })) << property.name;
  }
}

CaseFile idle_case() {
  return parse_case(
      "elvcheck_case = 1\nproperty = \"noop.fifo-order\"\nscheduler = \"noop-4.19\"\n[[process]]\nname = \"a\"\nops = "
      "[\"think 1ms\"]\n",
      "x");
}

TEST(RunCase, WrongExpectationsAreNotKept) {
  CaseFile value = idle_case();
  EXPECT_FALSE(run_case(value).kept);  // nothing to judge
  EXPECT_NE(run_case(value).explanation.find("nothing to judge"), std::string::npos);
  value.scenario.processes[0].ops = {parse_op("read 0 +8 x4 depth 4", {})};
  EXPECT_TRUE(run_case(value).kept);
  value.expect_violated = true;
  EXPECT_FALSE(run_case(value).kept);

  CaseFile violated = read_case(std::string(ELVCHECK_TEST_CASES) + "/mq-deadline-aging-zero.toml");
  violated.rule = "another-rule";
  EXPECT_FALSE(run_case(violated).kept);
  violated.rule.clear();
  EXPECT_TRUE(run_case(violated).kept);
  violated.expect_violated = false;
  EXPECT_FALSE(run_case(violated).kept);
}

TEST(RunCase, APropertyThatDoesNotApplyIsNamed) {
  CaseFile value = idle_case();
  value.property = "mq-deadline.priority";
  EXPECT_THROW(run_case(value), InputError);
}

}  // namespace
}  // namespace elvcheck
