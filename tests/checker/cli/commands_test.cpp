// SPDX-License-Identifier: GPL-2.0-or-later
// replay, trace, prove, list, doctor and run --job from outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/checker/cli/program.hpp"

namespace elvcheck::test {
namespace {

using Json = nlohmann::json;

const std::string recordings = std::string(ELVCHECK_TEST_DATA) + "/recordings/";

/// A case that can be checked on paper: one read on a disk of 1 ms a command, so nothing can be lost.
constexpr const char* one_read = R"(elvcheck_case = 1
property = "conservation"
expect = "held"
scheduler = "noop"

[device]
preset = "flat"

[[process]]
name = "reader"
ops = ["read 1000 +8"]
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Replay, EveryShippedCaseKeepsItsVerdict) {
  std::vector<std::string> arguments = {"replay", "--json", "-"};
  for (const auto& entry : std::filesystem::directory_iterator(ELVCHECK_TEST_CASES))
    arguments.push_back(entry.path().string());
  const Outcome outcome = run_elvcheck(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["results"].size(), arguments.size() - 3);
  EXPECT_EQ(report["summary"]["held"], arguments.size() - 3);
}

TEST(Replay, ALostVerdictIsExitCodeOneAndCarriesTheCommand) {
  const TemporaryFolder folder;
  const std::string path = folder.file("wrong.toml");
  write_file(path, replaced(one_read, "\"held\"", "\"violated\""));
  const std::string command = "elvcheck replay '" + path + "'";  // the folder's name has blanks
  const Outcome outcome = run_elvcheck({"replay", path, "--json", folder.file("r.json"), "--junit", folder.file("r.xml")});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("Violated 1"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(command), std::string::npos) << outcome.out;
  const Json result = Json::parse(read_file(folder.file("r.json")))["results"][0];
  EXPECT_EQ(result["verdict"], "violated");
  EXPECT_EQ(result["replay"], command);
  EXPECT_EQ(result["case"], path);
  EXPECT_NE(read_file(folder.file("r.xml")).find("replay: " + command), std::string::npos);
  const Outcome ktap = run_elvcheck({"replay", path, "--ktap"});
  EXPECT_EQ(ktap.exit_code, 1);
  EXPECT_NE(ktap.out.find("\nnot ok 1 "), std::string::npos) << ktap.out;
}

TEST(Replay, TraceShowsTheLifeOfTheRequest) {
  const TemporaryFolder folder;
  write_file(folder.file("one.toml"), one_read);
  const Outcome outcome = run_elvcheck({"replay", "--trace", folder.file("one.toml")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  // Submitted at 0, done after the 1 ms that preset flat takes for each command.
  std::size_t at = 0;
  for (const char* part : {" Q ", " G ", " I ", " D ", "1.000000 ms"}) {
    at = outcome.out.find(part, at);
    EXPECT_NE(at, std::string::npos) << part << " in\n" << outcome.out;
  }
}

TEST(Trace, ComparesTheRecordedIssues) {
  const Outcome outcome = run_elvcheck({"trace", recordings + "uml-hdd1-b-mq-deadline.blkparse.txt.gz", "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["command"], "trace");
  EXPECT_EQ(report["summary"]["issues"], 560);  // zcat FILE | awk '$6 == "D"' | wc -l
  EXPECT_GE(report["summary"]["in_order"], 555);
  EXPECT_GE(report["summary"]["within_2us"], 555);
  const auto& results = report["results"];
  EXPECT_TRUE(std::any_of(results.begin(), results.end(), [](const Json& result) {
    return result["name"] == "stream.mq-deadline-6.1" && result["mean_latency_ns"] > 0;
  }));
}

TEST(Trace, PrintsTheFirstDivergenceOnAnotherDevice) {
  const Outcome outcome =
      run_elvcheck({"trace", recordings + "uml-hdd1-b-mq-deadline.blkparse.txt.gz", "--device", "seek:fixed_ns=900000"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("they first part here:"), std::string::npos) << outcome.out;
}

// A fio iolog has submissions only: nothing that a replay could be compared with.
TEST(Trace, ComparesNothingWithoutIssues) {
  const Outcome outcome = run_elvcheck({"trace", recordings + "uml-hdd1-fio_a-bfq.iolog1.gz"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("no comparison: the recording shows no issue"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("they first part here:"), std::string::npos) << outcome.out;
}

TEST(Prove, ARefutedClaimGivesACaseThatReplays) {
  const TemporaryFolder folder;
  const Outcome outcome = run_elvcheck(
      {"prove", "deadline.one-batch", "--out", folder.file("out"), "--smt2", folder.file("smt2"), "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["summary"]["refuted_as_expected"], 1);
  for (const char* key : {"proved", "open", "failed"}) EXPECT_EQ(report["summary"][key], 0) << key;
  const std::string path = report["results"][0]["case"];
  EXPECT_EQ(run_elvcheck({"replay", path}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::is_empty(folder.file("smt2")));
}

TEST(Job, FigureOfAJobThatCanBeDoneOnPaper) {
  const TemporaryFolder folder;
  // 100 random reads, one at a time, 1 ms each: 1000 IOPS, and every latency is 1 ms.
  write_file(folder.file("job.fio"), "[reader]\nrw=randread\nbs=4k\nsize=400k\nioengine=psync\ndirect=1\n");
  const Outcome outcome =
      run_elvcheck({"run", "--job", folder.file("job.fio"), "--device", "flat", "--scheduler", "noop-4.19", "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const Json read = Json::parse(outcome.out)["results"][0]["read"];
  EXPECT_EQ(read["total_ios"], 100);
  EXPECT_EQ(read["io_bytes"], 409600);
  EXPECT_DOUBLE_EQ(read["iops"], 1000.0);
  EXPECT_EQ(read["clat_ns"]["mean"], 1000000);
  EXPECT_EQ(read["clat_ns"]["percentile"]["99.000000"], 1000000);
}

TEST(Job, AnOptionOutsideTheSubsetIsNamedWithItsLine) {
  const TemporaryFolder folder;
  const std::string path = folder.file("job.fio");
  write_file(path, "[reader]\nrw=randread\ndirect=1\nverify=crc32c\nsize=4k\n");
  const Outcome outcome = run_elvcheck({"run", "--job", path});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(count_lines(outcome.err), 1U);
  EXPECT_NE(outcome.err.find(path + ":4"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("verify"), std::string::npos) << outcome.err;
}

TEST(List, NamesEverything) {
  const Json tables = Json::parse(run_elvcheck({"list", "--json", "-"}).out);
  for (const char* key : {"schedulers", "devices", "properties", "theorems", "workloads"}) {
    EXPECT_GT(tables["summary"][key], 0) << key;
  }
  // Names, units and defaults of mq-deadline's sysfs files (block/mq-deadline.c of Linux 6.1).
  const Json tunables = Json::parse(run_elvcheck({"list", "tunables", "--json", "-"}).out);
  bool seen = false;
  for (const Json& scheduler : tunables["results"]) {
    if (scheduler["name"] != "mq-deadline-6.1") continue;
    seen = true;
    std::map<std::string, int> defaults;
    for (const Json& tunable : scheduler["tunables"]) defaults[tunable["name"]] = tunable["default"];
    EXPECT_EQ(defaults["read_expire"], 500);
    EXPECT_EQ(defaults["write_expire"], 5000);
    EXPECT_EQ(defaults["writes_starved"], 2);
    EXPECT_EQ(defaults["fifo_batch"], 16);
    EXPECT_EQ(defaults["front_merges"], 1);
    EXPECT_EQ(defaults["prio_aging_expire"], 10000);
  }
  EXPECT_TRUE(seen);
  const Outcome text = run_elvcheck({"list", "properties"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find("conservation\n"), std::string::npos);
}

TEST(Doctor, SaysWhatIsThere) {
  const Outcome outcome = run_elvcheck({"doctor", "--json", "-"}, {{{"PATH", "/nonexistent"}}, "", "", false, 0, {}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json report = Json::parse(outcome.out);
  for (const Json& check : report["results"]) {
    if (check["name"] == "z3") {
      EXPECT_EQ(check["verdict"], "held");
    }
    if (check["name"] == "cvc5") {
      EXPECT_EQ(check["verdict"], "skipped");
      EXPECT_EQ(check["package"], "cvc5");
    }
  }
}

}  // namespace
}  // namespace elvcheck::test
