// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck run` from outside: report formats as other programs read them, independence of --jobs, signals, terminals, full
// disks.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/checker/cli/program.hpp"

namespace elvcheck::test {
namespace {

using Json = nlohmann::json;

/// A run of well under a second.
const std::vector<std::string> small = {"run", "--scheduler", "mq-deadline", "--device", "flat", "--cases", "4"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// Seconds differ from run to run; nothing else may.
Json without_seconds(Json report) {
  report["summary"].erase("seconds");
  for (Json& result : report["results"]) result.erase("seconds");
  return report;
}

TEST(Run, LinesAreInTheHerdManner) {
  const Outcome outcome = run_elvcheck(small);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::regex line(R"(Property [a-z0-9.-]+ (Held|Violated|Skipped) \d+ \d+ \d+\.\d\ds)");
  std::istringstream lines(outcome.out);
  int found = 0;
  for (std::string text; std::getline(lines, text);) {
    if (text.rfind("Property ", 0) != 0 || text.find("  ") != std::string::npos) continue;
    EXPECT_TRUE(std::regex_match(text, line)) << text;
    ++found;
  }
  EXPECT_GE(found, 5);
}

TEST(Run, JsonIsAloneOnStandardOutputAndHasTheAgreedKeys) {
  const Outcome outcome = run_elvcheck(with(small, {"--json", "-", "--seed", "7"}));
  EXPECT_EQ(outcome.exit_code, 0);
  const Json report = Json::parse(outcome.out);
  EXPECT_TRUE(report["elvcheck"].is_string());
  EXPECT_EQ(report["command"], "run");
  EXPECT_EQ(report["seed"], 7);
  for (const char* key : {"held", "violated", "inconclusive", "skipped", "seconds"}) {
    EXPECT_TRUE(report["summary"][key].is_number()) << key;
  }
  ASSERT_FALSE(report["results"].empty());
  for (const Json& result : report["results"]) {
    EXPECT_TRUE(result["name"].is_string());
    const std::string verdict = result["verdict"];
    EXPECT_TRUE(verdict == "held" || verdict == "violated" || verdict == "inconclusive" || verdict == "skipped") << verdict;
  }
}

TEST(Run, ResultsDoNotDependOnTheNumberOfThreads) {
  const Json one = Json::parse(run_elvcheck(with(small, {"--json", "-", "--jobs", "1"})).out);
  const Json three = Json::parse(run_elvcheck(with(small, {"--json", "-", "--jobs", "3"})).out);
  EXPECT_EQ(without_seconds(one), without_seconds(three));
}

TEST(Run, KtapHasAVersionAPlanAndALineForEachResult) {
  const Outcome outcome = run_elvcheck(with(small, {"--ktap"}));
  std::istringstream lines(outcome.out);
  std::string text;
  std::getline(lines, text);
  EXPECT_EQ(text, "KTAP version 1");
  std::getline(lines, text);
  ASSERT_EQ(text.rfind("1..", 0), 0U) << text;
  const int planned = std::stoi(text.substr(3));
  const std::regex result(R"((ok|not ok) (\d+) [^ #]+( # SKIP .*)?)");
  int seen = 0;
  while (std::getline(lines, text)) {
    if (text.rfind('#', 0) == 0) continue;
    std::smatch match;
    ASSERT_TRUE(std::regex_match(text, match, result)) << text;
    EXPECT_EQ(std::stoi(match[2]), ++seen);
  }
  EXPECT_EQ(seen, planned);
}

TEST(Run, ReportsReplaceFilesWholeAndLeaveNoTemporary) {
  const TemporaryFolder folder;
  write_file(folder.file("r.json"), "old");
  const Outcome outcome = run_elvcheck(
      with(small, {"--json", folder.file("r.json"), "--junit", folder.file("r.xml"), "--out", folder.file("out")}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"r.json", "r.xml"}));
  EXPECT_EQ(Json::parse(read_file(folder.file("r.json")))["command"], "run");
  const std::string xml = read_file(folder.file("r.xml"));
  EXPECT_NE(xml.find("<testsuites "), std::string::npos);
  EXPECT_NE(xml.find("<testcase "), std::string::npos);
  const Outcome lint = run_program({"xmllint", "--noout", folder.file("r.xml")});
  if (lint.exit_code == 127) GTEST_SKIP() << "xmllint is not installed";
  EXPECT_EQ(lint.exit_code, 0) << lint.err;
}

TEST(Run, AFullDiskIsSaid) {
  Setting setting;
  setting.stdout_path = "/dev/full";
  const Outcome outcome = run_elvcheck(small, setting);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "elvcheck: standard output: cannot write: No space left on device\n");
  const Outcome file = run_elvcheck(with(small, {"--json", "/dev/full"}));
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_EQ(file.err, "elvcheck: /dev/full: cannot write: No space left on device\n");
}

TEST(Run, AClosedPipeEndsItWithoutAWord) {
  const Outcome outcome =
      run_program({"bash", "-c", "\"$0\" list | head -n1 >/dev/null; echo ${PIPESTATUS[0]}", ELVCHECK_PROGRAM});
  EXPECT_EQ(outcome.err, "");
  // 141 is what a shell shows for SIGPIPE; 0 if everything fitted into the pipe before head was done.
  EXPECT_TRUE(outcome.out == "141\n" || outcome.out == "0\n") << outcome.out;
}

TEST(Run, InterruptsGiveWhatWasFoundSoFar) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    Setting setting;
    setting.directory = folder.path();
    setting.signal = signal;
    setting.signal_after = std::chrono::milliseconds(700);
    const Outcome outcome = run_elvcheck(
        {"run", "--scheduler", "mq-deadline", "--device", "flat", "--cases", "1000000", "--time", "0", "--json", "r.json"},
        setting);
    EXPECT_EQ(outcome.exit_code, 130) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("Interrupted: results so far."), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("Property "), std::string::npos);
    const Json report = Json::parse(read_file(folder.file("r.json")));
    EXPECT_EQ(report["interrupted"], true);
    EXPECT_FALSE(report["results"].empty());
    EXPECT_EQ(folder.names(), std::vector<std::string>{"r.json"});
  }
}

// A case of 10^8 rounds without any I/O: minutes in one event of the simulation.
TEST(Run, AnInterruptEndsALongReplayWithWhatWasFoundSoFar) {
  const TemporaryFolder folder;
  const auto program = [](const std::string& ops) {
    return "elvcheck_case = 1\nproperty = \"conservation\"\nscheduler = \"noop\"\n[[process]]\nname = \"a\"\nops = [" + ops +
           "]\n";
  };
  write_file(folder.file("short.toml"), program("\"read 0 +8\""));
  write_file(folder.file("long.toml"), program("\"repeat 300000000\", \"plug\", \"unplug\", \"end\", \"read 0 +8\""));
  Setting setting;
  setting.signal = SIGINT;
  setting.signal_after = std::chrono::milliseconds(700);
  const Outcome outcome =
      run_elvcheck({"replay", folder.file("short.toml"), folder.file("long.toml"), "--json", "-"}, setting);
  EXPECT_EQ(outcome.exit_code, 130) << outcome.out << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["interrupted"], true);
  ASSERT_EQ(report["results"].size(), 1U);
  EXPECT_EQ(report["results"][0]["verdict"], "held");
}

// timeout(1) sends its signal to the process and to the process group.
TEST(Run, ASignalThatComesTwiceAtOnceIsOneRequest) {
  const Outcome outcome =
      run_program({"bash", "-c",
                   "\"$0\" run --scheduler cfq --device sata-7200-2014 --cases 1000000 --time 0 -j1 --out /nonexistent & "
                   "sleep 0.7; kill -TERM $!; sleep 0.002; kill -TERM $!; wait $!; echo exit $?",
                   ELVCHECK_PROGRAM});
  EXPECT_NE(outcome.out.find("Interrupted: results so far."), std::string::npos) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("exit 130"), std::string::npos) << outcome.out;
}

TEST(Run, ColourIsForTerminalsThatWantIt) {
  const std::string green = "\x1b[32m";
  const auto is_colored = [&](const Outcome& outcome) { return outcome.out.find(green) != std::string::npos; };
  Setting terminal;
  terminal.terminal = true;
  terminal.environment = {{"TERM", "xterm"}, {"NO_COLOR", ""}};
  EXPECT_TRUE(is_colored(run_elvcheck(small, terminal)));
  EXPECT_FALSE(is_colored(run_elvcheck(with(small, {"--color=never"}), terminal)));
  terminal.environment["NO_COLOR"] = "1";
  EXPECT_FALSE(is_colored(run_elvcheck(small, terminal)));
  terminal.environment = {{"TERM", "dumb"}, {"NO_COLOR", ""}};
  EXPECT_FALSE(is_colored(run_elvcheck(small, terminal)));
  EXPECT_FALSE(is_colored(run_elvcheck(small)));
  EXPECT_TRUE(is_colored(run_elvcheck(with(small, {"--color=always"}))));
}

TEST(Run, ProgressIsForTerminals) {
  Setting terminal;
  terminal.terminal = true;
  EXPECT_NE(run_elvcheck(small, terminal).out.find("random streams 0/4"), std::string::npos);
  EXPECT_EQ(run_elvcheck(with(small, {"--quiet"}), terminal).out.find("random streams 0/4"), std::string::npos);
  EXPECT_EQ(run_elvcheck(small).err, "");
}

TEST(Run, QuietPrintsTheSummaryOnly) {
  const Outcome outcome = run_elvcheck(with(small, {"--quiet"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.find("Property conservation"), std::string::npos);
  EXPECT_NE(outcome.out.find("Everything held"), std::string::npos);
}

}  // namespace
}  // namespace elvcheck::test
