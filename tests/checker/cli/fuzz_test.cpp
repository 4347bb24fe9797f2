// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck fuzz`, `merge`, `minimize` and `db` from outside. A shard is compared with itself under other conditions: other
// numbers of threads, interrupted by SIGKILL at whatever moment, with a torn record. A planted bug gives failures.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/checker/cli/program.hpp"

namespace elvcheck::test {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> small = {"fuzz", "--scheduler", "deadline", "--device", "flat", "--requests", "12"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<Json> records(const std::string& path) {
  std::vector<Json> result;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) result.push_back(Json::parse(line));
  return result;
}

/// What a shard has counted, whatever its records are cut into.
Json sums(const std::string& path) {
  Json total = {{"cases", 0}, {"requests", 0}, {"failures", Json::array()}};
  for (const Json& record : records(path)) {
    if (!record.contains("first")) continue;
    EXPECT_EQ(record["first"], total["cases"]) << "a gap or a range counted twice";
    total["cases"] = total["cases"].get<int>() + record["cases"].get<int>();
    total["requests"] = total["requests"].get<int>() + record["requests"].get<int>();
    for (const Json& failure : record["failures"]) total["failures"].push_back(failure);
  }
  return total;
}

std::string shard(const TemporaryFolder& folder, const std::string& out, const std::string& name = "shard-1-of-1.jsonl") {
  return folder.file(out) + "/" + name;
}

Outcome fuzz(const TemporaryFolder& folder, const std::string& out, const std::vector<std::string>& more) {
  Setting setting;
  setting.directory = folder.path();
  return run_elvcheck(with(small, with({"--out", out}, more)), setting);
}

TEST(Fuzz, PrintsVerdictsCoverageAndRate) {
  const TemporaryFolder folder;
  const Outcome outcome = fuzz(folder, "out", {"--cases", "300", "--stats", "conservation"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  for (const char* text : {"Property conservation Held 0 300 ", "deadline.start-batch", "expiry-exact", "never reached:",
                           "300 cases of shard 1/1 (seed 1)", "a second", "recipe"}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file(".elvcheck")));  // nothing failed
}

TEST(Fuzz, JsonHasTheAgreedKeys) {
  const TemporaryFolder folder;
  const Outcome outcome = fuzz(folder, "out", {"--cases", "200", "--json", "-"});
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["command"], "fuzz");
  for (const char* key : {"held", "violated", "skipped", "cases", "cases_per_second", "failures", "seconds"}) {
    EXPECT_TRUE(report["summary"][key].is_number()) << key;
  }
  EXPECT_EQ(report["summary"]["cases"], 200);
  EXPECT_TRUE(report["summary"]["coverage"]["rules"]["deadline-4.19"]["deadline.start-batch"].is_number());
  EXPECT_TRUE(report["summary"]["coverage"]["corners"]["equal"].is_number());
}

TEST(Fuzz, ThreadsDoNotMatterAndSeedsDo) {
  const TemporaryFolder folder;
  fuzz(folder, "one", {"--cases", "3000", "--jobs", "1", "conservation"});
  fuzz(folder, "three", {"--cases", "3000", "--jobs", "3", "conservation"});
  fuzz(folder, "seed", {"--cases", "3000", "--seed", "2", "conservation"});
  EXPECT_EQ(sums(shard(folder, "one")), sums(shard(folder, "three")));
  EXPECT_NE(sums(shard(folder, "one")), sums(shard(folder, "seed")));
}

TEST(Fuzz, ACampaignGoesOnWhereItEnded) {
  const TemporaryFolder folder;
  fuzz(folder, "whole", {"--cases", "5000", "conservation"});
  fuzz(folder, "parts", {"--cases", "1000", "conservation"});
  fuzz(folder, "parts", {"--cases", "2500", "conservation"});
  const Outcome last = fuzz(folder, "parts", {"--cases", "5000", "conservation", "--json", "-"});
  EXPECT_EQ(Json::parse(last.out)["summary"]["cases_before"], 2500);
  EXPECT_EQ(sums(shard(folder, "parts")), sums(shard(folder, "whole")));
}

TEST(Fuzz, NothingIsLostOrCountedTwiceAfterKill) {
  const TemporaryFolder folder;
  const std::vector<std::string> plan = {"--cases", "5000", "--mutant", "deadline.batch-one-more", "deadline.fifo-batch"};
  fuzz(folder, "whole", plan);
  Setting killed;
  killed.directory = folder.path();
  killed.signal = SIGKILL;
  int kills = 0;
  for (int attempt = 1; attempt <= 6; ++attempt) {
    killed.signal_after = std::chrono::milliseconds(150 * attempt);
    kills += run_elvcheck(with(small, with({"--out", "killed"}, plan)), killed).exit_code == 128 + SIGKILL;
  }
  EXPECT_GT(kills, 0) << "the campaign was too short to be killed";
  const Outcome last = fuzz(folder, "killed", plan);
  EXPECT_EQ(last.exit_code, 1) << last.err;
  EXPECT_EQ(sums(shard(folder, "killed"))["cases"], 5000);
  EXPECT_EQ(sums(shard(folder, "killed")), sums(shard(folder, "whole")));
}

TEST(Fuzz, ATornRecordIsDoneAgain) {
  const TemporaryFolder folder;
  fuzz(folder, "out", {"--cases", "4500", "conservation"});
  const Json whole = sums(shard(folder, "out"));
  const std::string text = read_file(shard(folder, "out"));
  write_file(shard(folder, "out"), text.substr(0, text.size() - 100));
  const Outcome outcome = fuzz(folder, "out", {"--cases", "4500", "conservation"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("torn"), std::string::npos) << outcome.err;
  EXPECT_EQ(sums(shard(folder, "out")), whole);
}

TEST(Fuzz, DamageAndOtherOptionsAreRefusedInOneLine) {
  const TemporaryFolder folder;
  fuzz(folder, "out", {"--cases", "300"});
  const Outcome other = fuzz(folder, "out", {"--cases", "300", "--seed", "9"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("'seed'"), std::string::npos) << other.err;
  EXPECT_EQ(count_lines(other.err), 1U);
  const std::string text = read_file(shard(folder, "out"));
  write_file(shard(folder, "out"), text.substr(0, text.find('\n') + 1) + "{broken\n" + text.substr(text.find('\n') + 1));
  const Outcome damaged = fuzz(folder, "out", {"--cases", "300"});
  EXPECT_EQ(damaged.exit_code, 2);
  EXPECT_NE(damaged.err.find("shard-1-of-1.jsonl:2:"), std::string::npos) << damaged.err;
  for (const char* wrong : {"0/3", "4/3", "1", "1/x", "-1/3", "1/0"}) {
    const Outcome bad = fuzz(folder, "new", {"--shard", wrong});
    EXPECT_EQ(bad.exit_code, 2) << wrong;
    EXPECT_EQ(count_lines(bad.err), 1U) << bad.err;
  }
  EXPECT_EQ(fuzz(folder, "new", {"--mutant", "no-such-bug"}).exit_code, 2);
  EXPECT_EQ(fuzz(folder, "new", {"no-such-property"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.file("new")));
}

/// A campaign with a planted bug, in the folder's `out`.
Outcome failing_campaign(const TemporaryFolder& folder, const std::vector<std::string>& more = {}) {
  return fuzz(folder, "out", with({"--cases", "600", "--mutant", "deadline.batch-one-more", "deadline.fifo-batch"}, more));
}

std::vector<std::string> case_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  }
  return files;
}

TEST(Fuzz, EveryFailureLeavesAMinimisedCaseThatReplays) {
  const TemporaryFolder folder;
  const Outcome outcome = failing_campaign(folder, {"--json", "-"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  const Json failures = sums(shard(folder, "out"))["failures"];
  ASSERT_FALSE(failures.empty());
  for (const Json& failure : failures) {
    EXPECT_TRUE(failure["one_minimal"].get<bool>());
    EXPECT_LE(failure["ops_after"], failure["ops_before"]);
    EXPECT_TRUE(std::filesystem::exists(folder.file("out") + "/deadline.fifo-batch-" + failure["id"].get<std::string>() + ".toml"));
  }
  const auto files = case_files(folder.file("out"));
  const Outcome replayed = run_elvcheck(with({"replay"}, files));
  EXPECT_EQ(replayed.exit_code, 0) << replayed.out << replayed.err;
}

TEST(Fuzz, SavedFailuresAreTriedFirst) {
  const TemporaryFolder folder;
  failing_campaign(folder);
  // Another campaign, too short to find anything by itself: what was saved shows the bug at once.
  const Outcome next = fuzz(folder, "next", {"--cases", "1", "--mutant", "deadline.batch-one-more", "deadline.fifo-batch"});
  EXPECT_EQ(next.exit_code, 1) << next.out;
  EXPECT_EQ(next.out.rfind("Saved ", 0), 0U) << next.out;
  // Without the planted bug they say nothing about this model.
  EXPECT_EQ(fuzz(folder, "healthy", {"--cases", "1", "deadline.fifo-batch"}).exit_code, 0);
}

TEST(Db, ListsShowsExportsAndDrops) {
  const TemporaryFolder folder;
  Setting here;
  here.directory = folder.path();
  EXPECT_EQ(run_elvcheck({"db", "list"}, here).exit_code, 0);
  failing_campaign(folder);
  const Json list = Json::parse(run_elvcheck({"db", "list", "--json", "-"}, here).out);
  ASSERT_FALSE(list["results"].empty());
  const std::string id = list["results"][0]["name"];
  const Outcome shown = run_elvcheck({"db", "show", id}, here);
  EXPECT_NE(shown.out.find("property = \"deadline.fifo-batch\""), std::string::npos) << shown.out;
  EXPECT_EQ(run_elvcheck({"db", "export", "exported"}, here).exit_code, 0);
  EXPECT_EQ(case_files(folder.file("exported")).size(), list["results"].size());
  EXPECT_EQ(run_elvcheck({"db", "drop", id}, here).exit_code, 0);
  EXPECT_EQ(run_elvcheck({"db", "show", id}, here).exit_code, 2);
  const Json after = Json::parse(run_elvcheck({"db", "list", "--json", "-"}, here).out);
  EXPECT_EQ(after["results"].size() + 1, list["results"].size());
  EXPECT_EQ(run_elvcheck({"db", "drop"}, here).exit_code, 2);
  EXPECT_EQ(run_elvcheck({"db", "lose"}, here).exit_code, 2);
}

TEST(Merge, JoinsShardsAndRemovesDuplicates) {
  const TemporaryFolder folder;
  Setting here;
  here.directory = folder.path();
  const std::vector<std::string> plan = {"--cases", "900", "--mutant", "deadline.batch-one-more", "deadline.fifo-batch"};
  for (const char* part : {"1", "2", "3"}) fuzz(folder, std::string("part-") + part, with(plan, {"--shard", part + std::string("/3")}));
  const Outcome merged = run_elvcheck({"merge", "part-1", "part-2", "part-3", "--out", "all", "--json", "-"}, here);
  EXPECT_EQ(merged.exit_code, 1) << merged.err;
  const Json summary = Json::parse(merged.out)["summary"];
  EXPECT_EQ(summary["cases"], 900);
  EXPECT_EQ(summary["shards"], 3);
  std::set<std::string> ids;
  std::size_t all = 0;
  for (const std::string part : {"1", "2", "3"}) {
    const Json failures = sums(shard(folder, "part-" + part, "shard-" + part + "-of-3.jsonl"))["failures"];
    all += failures.size();
    for (const Json& failure : failures) ids.insert(failure["id"]);
  }
  EXPECT_EQ(summary["failures_before"], all);
  EXPECT_EQ(summary["failures"], ids.size());
  EXPECT_LT(ids.size(), all) << "no duplicates to remove: the test is too small";
  EXPECT_EQ(case_files(folder.file("all")).size(), ids.size());
  // The same shard from two places counts once.
  const Outcome twice = run_elvcheck({"merge", "part-1", "part-1", "--json", "-"}, here);
  EXPECT_EQ(Json::parse(twice.out)["summary"]["cases"], 300);
  const Outcome nothing = run_elvcheck({"merge", folder.path()}, here);
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_EQ(count_lines(nothing.err), 1U);
}

TEST(MinimizeCommand, WritesTheCaseAndItsFigures) {
  const TemporaryFolder folder;
  Setting here;
  here.directory = folder.path();
  std::string ops;
  for (int i = 0; i < 30; ++i) ops += "\"read " + std::to_string(64 * i) + " +8 nowait\", ";
  write_file(folder.file("large.toml"),
             "elvcheck_case = 1\nproperty = \"deadline.fifo-batch\"\nexpect = \"violated\"\nscheduler = \"deadline-4.19\"\n"
             "mutant = \"deadline.batch-one-more\"\n[tunables]\nfifo_batch = 2\n[[process]]\nname = \"reader\"\nops = [" +
                 ops + "]\n");
  const Outcome outcome = run_elvcheck({"minimize", "large.toml", "-o", "small.toml", "--json", "report.json"}, here);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const Json summary = Json::parse(read_file(folder.file("report.json")))["summary"];
  EXPECT_EQ(summary["ops_before"], 30);
  // By hand: the first read goes to the idle device at once; three more make the batch of three.
  EXPECT_LE(summary["ops_after"], 4);
  EXPECT_TRUE(summary["one_minimal"].get<bool>());
  EXPECT_EQ(run_elvcheck({"replay", folder.file("small.toml")}).exit_code, 0);
  const Outcome printed = run_elvcheck({"minimize", "large.toml"}, here);
  EXPECT_EQ(printed.out, read_file(folder.file("small.toml")));
  const Outcome short_budget = run_elvcheck({"minimize", "large.toml", "--budget", "5"}, here);
  EXPECT_EQ(short_budget.exit_code, 3);
  EXPECT_NE(short_budget.err.find("budget"), std::string::npos);
}

TEST(MinimizeCommand, ACaseWithoutItsVerdictIsRefused) {
  const TemporaryFolder folder;
  write_file(folder.file("held.toml"),
             "elvcheck_case = 1\nproperty = \"noop.fifo-order\"\nexpect = \"violated\"\nscheduler = \"noop-4.19\"\n"
             "[[process]]\nname = \"reader\"\nops = [\"read 0 +8\"]\n");
  const Outcome outcome = run_elvcheck({"minimize", folder.file("held.toml")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(count_lines(outcome.err), 1U) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace elvcheck::test
