// SPDX-License-Identifier: GPL-2.0-or-later
// The tests are tested: every planted bug is noticed, and what notices it says nothing about the models as they are.
#include "properties/mutation.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "properties/case_run.hpp"

namespace elvcheck {
namespace {

MutationCampaign campaign() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(ELVCHECK_TEST_CASES)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Scenario> given;
  for (const std::string& path : paths) given.push_back(read_case(path).scenario);
  return MutationCampaign(1, given);
}

std::string name_of(const testing::TestParamInfo<MutantInfo>& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
}

class EveryMutant : public testing::TestWithParam<MutantInfo> {};

TEST_P(EveryMutant, IsKilledByAProperty) {
  const MutantOutcome outcome = hunt_mutant(GetParam(), campaign(), 6000);
  ASSERT_TRUE(outcome.kill) << GetParam().statement << "; reached in " << outcome.reached << " of " << outcome.cases
                            << " cases";
  // The smallest case shows it again, and shows nothing without the bug.
  CaseFile value;
  value.property = outcome.kill->property->name;
  value.expect_violated = true;
  value.rule = outcome.kill->violation.rule;
  value.scenario = outcome.kill->smallest;
  const CaseFile again = parse_case(format_case(value), "case");
  EXPECT_EQ(again, value);
  EXPECT_TRUE(run_case(again).kept) << run_case(again).explanation;
  EXPECT_LE(count_operations(outcome.kill->smallest), count_operations(outcome.kill->found));
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

TEST(Campaign, CasesHoldWithoutABug) {
  const MutationCampaign cases = campaign();
  for (std::uint64_t index = 0; index < 150; ++index) {
    for (const Verdict& verdict : judge_scenario(cases.scenario(index), "")) {
      EXPECT_FALSE(verdict.violation) << "case " << index << ": " << verdict.property->name << ": "
                                      << verdict.violation->message;
    }
  }
}

TEST(Campaign, OperationsAreCountedWithTheirRepeats) {
  Scenario scenario;
  ProcessSpec process;
  for (const char* op : {"read 0 +8 x3", "repeat 2", "write 0 +8 x5", "repeat 4", "fsync", "end", "end", "think 1ms"})
    process.ops.push_back(parse_op(op, {}));
  scenario.processes = {process, process};
  EXPECT_EQ(count_operations(scenario), 2U * (3 + 2 * 5 + 2 * 4));
}

}  // namespace
}  // namespace elvcheck
