// SPDX-License-Identifier: GPL-2.0-or-later
// Every theorem of the catalogue comes out as the catalogue says, and prove_theorems() claims nothing that was not shown.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "checker/theorem/prove.hpp"
#include "properties/property.hpp"

namespace elvcheck {
namespace {

using Num = Symbolic::Num;

/// A directory of this process that goes away.
class ScratchDirectory {
 public:
  ScratchDirectory() : path_(::testing::TempDir() + "elvcheck-theorem-" + std::to_string(::getpid())) {
    std::filesystem::create_directory(path_);
  }
  ~ScratchDirectory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string content_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string describe(const TheoremReport& report) {
  std::string text = std::string(to_string(report.verdict)) + ": " + report.detail + "\n";
  for (const auto* tasks : {&report.conditions, &report.vacuity}) {
    for (const TaskReport& task : *tasks) {
      text += task.name + " " + std::string(to_string(task.result.answer)) + " " + task.result.reason + "\n";
    }
  }
  for (const PlantedBugReport& bug : report.planted_bugs) text += bug.name + " " + std::string(to_string(bug.verdict)) + "\n";
  return text;
}

std::vector<std::string> names_of_theorems() {
  std::vector<std::string> names;
  for (const Theorem& theorem : theorems()) names.push_back(theorem.name);
  return names;
}

class Catalogue : public ::testing::TestWithParam<std::string> {};

TEST_P(Catalogue, ComesOutAsExpected) {
  const Theorem& theorem = *find_theorem(GetParam());
  ScratchDirectory directory;
  ProveOptions options;
  options.jobs = 2;
  options.case_dir = directory.path();
  const std::vector<TheoremReport> reports = prove_theorems(theorem.name, options);
  ASSERT_EQ(reports.size(), 1U);
  const TheoremReport& report = reports.front();
  const bool refuted = theorem.expectation == Expectation::refuted;
  EXPECT_EQ(report.verdict, refuted ? TheoremVerdict::refuted_as_expected : TheoremVerdict::proved) << describe(report);
  ASSERT_FALSE(report.conditions.empty());
  for (const TaskReport& task : report.conditions) EXPECT_TRUE(task.as_expected) << task.name;
  for (const TaskReport& task : report.vacuity) EXPECT_EQ(task.result.answer, Answer::proved) << task.name;
  ASSERT_FALSE(report.planted_bugs.empty());
  for (const PlantedBugReport& bug : report.planted_bugs) EXPECT_EQ(bug.verdict, BugVerdict::caught) << bug.name;
  EXPECT_GT(report.rlimit, 0U);
  // A refuted claim leaves a case that a stranger can replay.
  EXPECT_EQ(report.case_path.empty(), !theorem.counterexample);
  if (theorem.counterexample) {
    const CaseFile value = read_case(report.case_path);
    EXPECT_TRUE(value.expect_violated);
    const std::vector<Verdict> verdicts = judge_scenario(value.scenario, value.property, true);
    ASSERT_EQ(verdicts.size(), 1U);
    EXPECT_TRUE(verdicts.front().violation.has_value());
  }
}

TEST_P(Catalogue, SaysInWordsWhatItIs) {
  const Theorem& theorem = *find_theorem(GetParam());
  for (const std::string* text :
       {&theorem.statement, &theorem.core, &theorem.abstraction, &theorem.flows, &theorem.symbolic}) {
    EXPECT_FALSE(text->empty());
  }
  EXPECT_EQ(theorem.expectation == Expectation::refuted, theorem.counterexample || theorem.demonstration);
  std::set<std::string> conditions, bugs;
  for (const Condition& condition : theorem.conditions) {
    EXPECT_TRUE(conditions.insert(condition.name).second) << condition.name;
    EXPECT_FALSE(condition.statement.empty());
  }
  for (const PlantedBug& bug : theorem.planted_bugs) EXPECT_TRUE(bugs.insert(bug.name).second) << bug.name;
}

INSTANTIATE_TEST_SUITE_P(All, Catalogue, ::testing::ValuesIn(names_of_theorems()),
                         [](const ::testing::TestParamInfo<std::string>& test) {
                           std::string name = test.param;
                           std::replace_if(
                               name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

TEST(CatalogueTable, NamesAreUniqueAndFindTheirTheorem) {
  const std::vector<std::string> names = names_of_theorems();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const std::string& name : names) EXPECT_EQ(find_theorem(name)->name, name);
  EXPECT_EQ(find_theorem("deadline.no-such"), nullptr);
}

TEST(CatalogueTable, ExpiredReadsHaveAtLeastThreePlantedBugs) {
  EXPECT_GE(find_theorem("deadline.expired-rank")->planted_bugs.size(), 3U);
}

/// x < limit: true exactly if limit > 4.
Condition below(std::int64_t limit, const char* name = "below") {
  return {name, "A number below 5 is below the limit.", [limit](Obligation& obligation) {
            const Num x = Symbolic::variable("x");
            obligation.assume(x < Num(5));
            obligation.conclude(x < Num(limit));
          }};
}

Theorem small_theorem(std::vector<Condition> conditions) {
  Theorem theorem;
  theorem.name = "test.small";
  theorem.statement = "A statement.";
  theorem.conditions = std::move(conditions);
  theorem.planted_bugs = {{"off", "The limit is too small.", {below(3)}}};
  return theorem;
}

TheoremReport prove_one(const Theorem& theorem, const ProveOptions& options = {}) {
  const std::array<const Theorem*, 1> one{&theorem};
  return prove_theorems(one, options).front();
}

TEST(ProveTheorems, AFalseConditionFails) {
  EXPECT_EQ(prove_one(small_theorem({below(6)})).verdict, TheoremVerdict::proved);
  const TheoremReport report = prove_one(small_theorem({below(6), below(4, "too-low")}));
  EXPECT_EQ(report.verdict, TheoremVerdict::failed);
  EXPECT_EQ(report.detail, "test.small.too-low: the condition was refuted");
}

TEST(ProveTheorems, AVacuousConditionFails) {
  const Condition vacuous{"vacuous", "Nothing.", [](Obligation& obligation) {
                            const Num x = Symbolic::variable("x");
                            obligation.assume(x < Num(5));
                            obligation.assume(Num(6) < x);
                            obligation.conclude(x == Num(77));
                          }};
  const TheoremReport report = prove_one(small_theorem({below(6), vacuous}));
  EXPECT_EQ(report.verdict, TheoremVerdict::failed);
  EXPECT_EQ(report.detail, "test.small.vacuous.vacuity: the hypotheses contradict each other, so the proof says nothing");
}

TEST(ProveTheorems, ASurvivingBugFails) {
  Theorem theorem = small_theorem({below(6)});
  theorem.planted_bugs.push_back({"harmless", "It changes nothing.", {below(7)}});
  const TheoremReport report = prove_one(theorem);
  EXPECT_EQ(report.verdict, TheoremVerdict::failed);
  EXPECT_EQ(report.detail, "planted bug harmless went unnoticed: It changes nothing.");
}

TEST(ProveTheorems, ACrashIsOpenAndNeverProved) {
  const Condition crashes{"crashes", "Nothing.", [](Obligation&) { std::raise(SIGKILL); }};
  EXPECT_EQ(prove_one(small_theorem({below(6), crashes})).verdict, TheoremVerdict::open);
  // What failed is not hidden by what is open.
  EXPECT_EQ(prove_one(small_theorem({crashes, below(4, "false")})).verdict, TheoremVerdict::failed);
}

TEST(ProveTheorems, CancelledIsOpen) {
  ProveOptions options;
  options.cancelled = [] { return true; };
  const TheoremReport report = prove_one(small_theorem({below(6)}), options);
  EXPECT_EQ(report.verdict, TheoremVerdict::open);
  EXPECT_NE(report.detail.find("interrupted"), std::string::npos);
  EXPECT_EQ(report.planted_bugs.front().verdict, BugVerdict::not_decided);
}

TEST(ProveTheorems, AClaimThatHoldsIsNotRefuted) {
  Theorem theorem = small_theorem({below(6)});
  theorem.expectation = Expectation::refuted;
  theorem.planted_bugs.clear();
  EXPECT_EQ(prove_one(theorem).verdict, TheoremVerdict::failed);
}

TEST(ProveTheorems, ACounterexampleThatDoesNotReplayIsReportedAsADefectOfTheChecker) {
  Theorem theorem = small_theorem({below(4)});
  theorem.expectation = Expectation::refuted;
  theorem.planted_bugs.clear();
  theorem.counterexample = [] {
    CaseFile harmless;
    harmless.property = "deadline.one-batch";
    harmless.expect_violated = true;
    harmless.scenario.scheduler = "deadline-4.19";
    ProcessOp read;
    harmless.scenario.processes = {{"reader", {}, {read}}};
    return harmless;
  };
  const TheoremReport report = prove_one(theorem);
  EXPECT_EQ(report.verdict, TheoremVerdict::failed);
  EXPECT_NE(report.detail.find("a defect of the checker"), std::string::npos) << report.detail;
}

TEST(ProveTheorems, EachConditionIsWrittenAsSmtLib) {
  ScratchDirectory directory;
  ProveOptions options;
  options.smt2_dir = directory.path();
  std::size_t calls = 0, total = 0;
  options.progress = [&](const ProveProgress& progress) {
    EXPECT_EQ(progress.done, ++calls);
    total = progress.total;
  };
  ASSERT_EQ(prove_theorems("deadline.invariant", options).front().verdict, TheoremVerdict::proved);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    ++files;
    const std::string text = content_of(entry.path());
    EXPECT_EQ(text.rfind("; " + entry.path().stem().string() + "\n", 0), 0U) << entry.path();
    EXPECT_NE(text.find("(set-logic ALL)"), std::string::npos);
  }
  EXPECT_EQ(files, total);  // no counterexample search among the tasks of this theorem
  EXPECT_EQ(calls, total);
  EXPECT_NE(content_of(directory.path() + "/deadline.invariant.step.smt2").find("expected answer: unsat"),
            std::string::npos);
}

TEST(ProveTheorems, ADirectoryThatIsNoneIsNamed) {
  ProveOptions options;
  options.smt2_dir = "/no/such/directory";
  try {
    prove_theorems("", options);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("/no/such/directory: not a directory", 0), 0U) << error.what();
  }
}

TEST(ProveTheorems, TheResourceCountIsTheSameEachTime) {
  const auto count = [](unsigned jobs) {
    ProveOptions options;
    options.jobs = jobs;
    return prove_theorems("deadline.expired-rank", options).front().rlimit;
  };
  EXPECT_EQ(count(1), count(2));
}

}  // namespace
}  // namespace elvcheck
