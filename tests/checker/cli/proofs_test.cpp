// SPDX-License-Identifier: GPL-2.0-or-later
// prove, explore and explain from outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/checker/cli/program.hpp"

namespace elvcheck::test {
namespace {

using Json = nlohmann::json;

TEST(Prove, OneLineSaysWhatWasProvedAndAtWhatCost) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_elvcheck({"prove", "deadline.invariant", "--out", folder.file("out"), "--json", folder.file("r.json")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(count_lines(outcome.out), 2U) << outcome.out;  // the theorem and the summary
  for (const char* part : {"Theorem deadline.invariant Proved 0 ", "; induction, rlimit ", "any number of reads and writes",
                           "for all fifo_batch >= 0", ": At rest the batch has counted"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  }
  const Json result = Json::parse(read_file(folder.file("r.json")))["results"][0];
  EXPECT_EQ(result["method"], "induction");
  EXPECT_EQ(result["conditions"].size(), 2U);
  EXPECT_EQ(result["vacuity"].size(), 2U);
  for (const Json& bug : result["planted_bugs"]) EXPECT_EQ(bug["verdict"], "caught") << bug;
  // The step starts from the invariant itself: without it there is no proof.
  const Json needs = result["needs"];
  EXPECT_NE(std::find(needs.begin(), needs.end(), "deadline.invariant"), needs.end()) << needs;
}

TEST(Prove, ABudgetThatIsTooSmallLeavesItOpen) {
  const TemporaryFolder folder;
  const Outcome outcome = run_elvcheck({"prove", "deadline.read-latency", "--rlimit", "1000", "--out", folder.file("out")});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("Theorem deadline.read-latency Open"), std::string::npos) << outcome.out;
}

TEST(Prove, WhatAnInterruptPreventedIsNotCalledMissed) {
  const TemporaryFolder folder;
  Setting setting;
  setting.signal = SIGINT;
  setting.signal_after = std::chrono::milliseconds(700);
  const Outcome outcome = run_elvcheck({"prove", "bfq.*", "-v", "-j1", "--out", folder.file("out")}, setting);
  EXPECT_EQ(outcome.exit_code, 130) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out.find("NOT CAUGHT"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("not decided"), std::string::npos) << outcome.out;
}

TEST(Prove, TheSecondSolverAgrees) {
  if (run_program({"cvc5", "--version"}).exit_code != 0) GTEST_SKIP() << "no cvc5 on this machine";
  const TemporaryFolder folder;
  const Outcome outcome =
      run_elvcheck({"prove", "mq-deadline.*", "--cross-check", "--out", folder.file("out"), "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const Json check = Json::parse(outcome.out)["summary"]["cross_check"];
  EXPECT_EQ(check["disagreed"], 0);
  EXPECT_EQ(check["answered"], check["asked"]);
}

TEST(Explore, CountsScenariosAndHoldsOnACorrectScheduler) {
  const TemporaryFolder folder;
  const Outcome outcome = run_elvcheck({"explore", "--scheduler", "noop-4.19", "--processes", "2", "--requests", "1",
                                        "--out", folder.file("out"), "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["summary"]["scenarios"], 14);  // 4 programs of one letter; 4, and 10 pairs of them
  EXPECT_GT(report["summary"]["behaviours"], 4);
}

TEST(Explore, TheShortestCaseOfAPlantedBugReplays) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_elvcheck({"explore", "noop.fifo-order", "--scheduler", "noop-4.19", "--mutant", "noop.last-first", "--processes",
                    "3", "--requests", "2", "--out", folder.file("out"), "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  const Json result = Json::parse(outcome.out)["results"][0];
  EXPECT_EQ(result["name"], "noop.fifo-order");
  // One request is at the device, one is held by the driver, and the third is passed by the fourth.
  EXPECT_EQ(result["steps"], 4);
  EXPECT_EQ(run_elvcheck({"replay", result["case"].get<std::string>()}).exit_code, 0);
}

TEST(Explore, FindsTheStarvationOfCfqAndNoOther) {
  const TemporaryFolder folder;
  const Outcome outcome = run_elvcheck({"explore", "--scheduler", "cfq-4.19", "--processes", "2", "--requests", "1", "--out",
                                        folder.file("out"), "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  std::size_t seen = 0;
  const Json report = Json::parse(outcome.out);
  for (const Json& result : report["results"]) {
    if (!result.contains("states")) continue;  // a property
    ++seen;
    EXPECT_EQ(result.contains("cycle"), result["name"] == "real-time-beside") << result;
  }
  EXPECT_EQ(seen, 2U);
}

TEST(Explain, ThePiecesSumToTheLatency) {
  const std::string path = std::string(ELVCHECK_TEST_CASES) + "/deadline-one-batch.toml";
  const Outcome outcome = run_elvcheck({"explain", path, "--scheduler", "noop-4.19", "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const Json report = Json::parse(outcome.out);
  const Json result = report["results"][0];
  std::int64_t sum = 0;
  for (const Json& wait : result["waits"]) sum += wait["ns"].get<std::int64_t>();
  EXPECT_GT(sum, 0);
  EXPECT_EQ(sum, result["latency_ns"].get<std::int64_t>());
  EXPECT_GT(report["summary"]["issued_alike"], 0);
}

TEST(Explain, NamesARequestThatIsNotThere) {
  const std::string path = std::string(ELVCHECK_TEST_CASES) + "/deadline-one-batch.toml";
  const Outcome outcome = run_elvcheck({"explain", path, "--request", "99999"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("no request 99999 is completed"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace elvcheck::test
