// SPDX-License-Identifier: GPL-2.0-or-later
// The tests are tested: every planted bug is noticed, and what notices it says nothing about the models as they are.
#include "properties/mutation.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "properties/case_run.hpp"

namespace elvcheck {
namespace {

HuntPlan plan() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(ELVCHECK_TEST_CASES)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  HuntPlan plan;
  plan.cases = 12000;
  for (const std::string& path : paths) plan.given.push_back(read_case(path).scenario);
  return plan;
}

std::string name_of(const testing::TestParamInfo<MutantInfo>& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
}

class EveryMutant : public testing::TestWithParam<MutantInfo> {};

TEST_P(EveryMutant, IsKilledByAProperty) {
  const MutantOutcome outcome = hunt_mutant(GetParam(), plan());
  ASSERT_TRUE(outcome.kill) << GetParam().statement << "; reached in " << outcome.reached << " of " << outcome.cases
                            << " cases";
  const Minimized& smallest = outcome.kill->smallest;
  EXPECT_TRUE(smallest.one_minimal || !smallest.value.scenario.workload.name.empty());  // workloads may exceed the budget
  EXPECT_LE(smallest.after.requests, smallest.before.requests);
  // The smallest case shows the bug again when it is read from its file, and shows nothing without it.
  CaseFile value = parse_case(format_case(smallest.value), "case");
  EXPECT_EQ(value, smallest.value);
  EXPECT_TRUE(run_case(value).kept) << run_case(value).explanation;
  value.scenario.mutant.clear();
  EXPECT_FALSE(run_case(value).kept);
}

INSTANTIATE_TEST_SUITE_P(, EveryMutant, testing::ValuesIn(mutants().begin(), mutants().end()), name_of);

TEST(MutantTable, NamesAndStatementsAreWholeAndDifferent) {
  std::set<std::string> names;
  for (const MutantInfo& mutant : mutants()) {
    EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
    EXPECT_GT(std::string_view(mutant.statement).size(), 10U) << mutant.name;
    EXPECT_EQ(find_mutant(mutant.name), &mutant);
  }
  EXPECT_GE(names.size(), 24U);
}

TEST(MutantTable, ABugLivesOnlyWhileItIsPlanted) {
  EXPECT_FALSE(planted(Mutant::noop_last_first));
  forget_reached_mutant();
  {
    const PlantMutant plant(Mutant::noop_last_first);
    EXPECT_FALSE(planted(Mutant::seek_free_transfer));
    EXPECT_FALSE(mutant_reached());
    EXPECT_TRUE(planted(Mutant::noop_last_first));
    EXPECT_TRUE(mutant_reached());
  }
  EXPECT_FALSE(planted(Mutant::noop_last_first));
}

TEST(Hunt, IsAFunctionOfItsPlan) {
  const MutantInfo& mutant = *find_mutant("deadline.starved-never-reset");
  const MutantOutcome once = hunt_mutant(mutant, plan());
  const MutantOutcome again = hunt_mutant(mutant, plan());
  ASSERT_TRUE(once.kill && again.kill);
  EXPECT_EQ(once.cases, again.cases);
  EXPECT_EQ(once.kill->smallest.value, again.kill->smallest.value);
}

TEST(Hunt, EndsWhenItIsTold) {
  HuntPlan stopped = plan();
  int left = 10;
  stopped.stop = [&left] { return left-- == 0; };
  const MutantOutcome outcome = hunt_mutant(*find_mutant("mq-deadline.merged-stays-owned"), stopped);
  EXPECT_FALSE(outcome.kill);
  EXPECT_EQ(outcome.cases, 10U);
}

}  // namespace
}  // namespace elvcheck
