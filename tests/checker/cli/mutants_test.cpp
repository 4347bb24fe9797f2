// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck mutants`: exit codes, JSON, case files.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/checker/cli/program.hpp"

namespace elvcheck::test {
namespace {

using Json = nlohmann::json;

TEST(Mutants, AKilledOneIsShownAndKept) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_elvcheck({"mutants", "noop.*", "--json", folder.file("report.json"), "--out", folder.file("out")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("killed"), std::string::npos) << outcome.out;
  const Json report = Json::parse(read_file(folder.file("report.json")));
  EXPECT_EQ(report["command"], "mutants");
  EXPECT_EQ(report["summary"]["mutants"], 1);
  EXPECT_EQ(report["summary"]["killed"], 1);
  const Json& result = report["results"][0];
  EXPECT_EQ(result["name"], "noop.last-first");
  // Three requests that wait together, one of which is at the device, is the least that can show a wrong order.
  EXPECT_GE(result["ops"], 3);
  EXPECT_EQ(result["ops"], report["summary"]["median_ops"]);
  const std::string path = result["case"];
  EXPECT_NE(read_file(path).find("mutant = \"noop.last-first\""), std::string::npos);
  EXPECT_EQ(run_elvcheck({"replay", path}).exit_code, 0);
}

TEST(Mutants, OneThatIsAliveIsAViolation) {
  // The first case is a shipped one for a disk, where nothing of an SSD is run.
  const Outcome outcome = run_elvcheck({"mutants", "ssd.flush-early", "--cases", "1", "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["summary"]["killed"], 0);
  EXPECT_EQ(report["results"][0]["verdict"], "violated");
  EXPECT_EQ(report["results"][0]["cases"], 1);
}

TEST(Mutants, WrongUse) {
  const Outcome nobody = run_elvcheck({"mutants", "no.such"});
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_EQ(count_lines(nobody.err), 1U);
  EXPECT_EQ(run_elvcheck({"mutants", "--cases", "0"}).exit_code, 2);
}

TEST(Mutants, AreListed) {
  const Json report = Json::parse(run_elvcheck({"list", "mutants", "--json", "-"}).out);
  EXPECT_GE(report["results"].size(), 24U);
}

TEST(Mutants, TheNameInACaseFileIsChecked) {
  const TemporaryFolder folder;
  write_file(folder.file("a.toml"),
             "elvcheck_case = 1\nscheduler = \"noop-4.19\"\nmutant = \"noop.last-frist\"\n[[process]]\nname = \"a\"\nops = "
             "[\"read 0 +8\"]\n");
  const Outcome outcome = run_elvcheck({"replay", folder.file("a.toml")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find(":3: unknown planted bug 'noop.last-frist'"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("noop.last-first"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace elvcheck::test
