// SPDX-License-Identifier: GPL-2.0-or-later
// readahead.* and readdir.* hold on random access patterns, and notice the planted bugs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "model/core/mutant.hpp"
#include "properties/case_file.hpp"
#include "properties/property.hpp"

namespace elvcheck {
namespace {

constexpr std::array<const char*, 2> globs = {"read*", "inode.*"};

Scenario readers(std::int64_t kernel, std::int64_t seed) {
  Scenario scenario;
  scenario.scheduler = kernel == 2 ? "mq-deadline-6.1" : "cfq-2.6.34";
  scenario.workload = {"read-files",
                       {{"readers", 1 + seed % 4},
                        {"files", 1 + seed % 2},
                        {"pages", 300 + 17 * seed},
                        {"reads", 40},
                        {"most_pages", 1 + seed * 7 % 70},
                        {"sequential_permille", 400 + seed * 31 % 600},
                        {"mmap_permille", seed % 3 * 300},
                        {"read_ahead_kb", 32 << seed % 5},
                        {"largest_request_kb", seed % 2 * 512},
                        {"kernel", kernel},
                        {"seed", seed}}};
  return scenario;
}

TEST(Readahead, PromisesHoldOnRandomAccess) {
  std::uint64_t judged = 0;
  for (std::int64_t kernel = 0; kernel < 3; ++kernel) {
    for (std::int64_t seed = 1; seed <= 40; ++seed) {
      for (const Verdict& verdict : judge_scenario(readers(kernel, seed), "readahead.*")) {
        EXPECT_FALSE(verdict.violation) << verdict.property->name << ", kernel " << kernel << ", seed " << seed << ": "
                                        << verdict.violation->message;
        judged += verdict.judged;
      }
    }
  }
  EXPECT_GT(judged, 10'000U);
}

TEST(Readahead, EveryPlantedBugIsNoticed) {
  std::vector<CaseFile> cases;
  for (const auto& entry : std::filesystem::directory_iterator(ELVCHECK_TEST_CASES)) {
    const std::string name = entry.path().filename().string();
    const bool ours = name.starts_with("readahead-") || name.starts_with("readdir-") || name.starts_with("inode-");
    if (!ours) continue;
    CaseFile value = read_case(entry.path().string());
    if (!value.expect_violated) cases.push_back(std::move(value));
  }
  ASSERT_GE(cases.size(), 8U);
  int bugs = 0;
  for (const MutantInfo& mutant : mutants()) {
    const std::string_view name = mutant.name;
    if (!name.starts_with("readahead.") && !name.starts_with("readdir.") && !name.starts_with("page-cache.") &&
        !name.starts_with("inode."))
      continue;
    ++bugs;
    const bool noticed = std::any_of(cases.begin(), cases.end(), [&](const CaseFile& value) {
      Scenario scenario = value.scenario;
      scenario.mutant = mutant.name;
      for (const char* glob : globs) {
        for (const Verdict& verdict : judge_scenario(scenario, glob))
          if (verdict.violation) return true;
      }
      return false;
    });
    EXPECT_TRUE(noticed) << mutant.name;
  }
  EXPECT_GE(bugs, 8);
}

}  // namespace
}  // namespace elvcheck
