// SPDX-License-Identifier: GPL-2.0-or-later
// The report formats on results made by hand. Expected texts follow Documentation/dev-tools/ktap.rst, the XML 1.0 rules for
// characters, and the JSON keys that README documents.
#include "checker/report/result.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace elvcheck {
namespace {

Report sample() {
  Report report;
  report.command = "run";
  report.seed = 42;
  Result held;
  held.name = "conservation";
  held.judged = 19997;
  held.time = std::chrono::milliseconds(420);
  Result violated;
  violated.name = "bfq.share.two-weights";
  violated.outcome = Outcome::violated;
  violated.violations = 3;
  violated.judged = 19997;
  violated.detail = "<b> & \"quote\" \x01\xff";
  violated.replay = "elvcheck replay 'a b.toml'";
  violated.report = "  promise   x < y\n\n  violated  z\n";
  Result skipped;
  skipped.name = "odd#name";
  skipped.outcome = Outcome::skipped;
  skipped.detail = "nothing to judge";
  Result open;
  open.kind = "Theorem";
  open.name = "t";
  open.outcome = Outcome::inconclusive;
  open.detail = "gave up";
  report.results = {held, violated, skipped, open};
  return report;
}

TEST(Report, SummaryLine) {
  const Report report = sample();
  EXPECT_EQ(summary_line(report.results[0]), "Property conservation Held 0 19997 0.42s");
  EXPECT_EQ(summary_line(report.results[1]), "Property bfq.share.two-weights Violated 3 19997 0.00s");
}

TEST(Report, ExitCodes) {
  Report report = sample();
  EXPECT_EQ(report.exit_code(), 1);
  report.interrupted = true;
  EXPECT_EQ(report.exit_code(), 1);  // what was found counts
  report.results.erase(report.results.begin() + 1);
  EXPECT_EQ(report.exit_code(), 130);
  report.interrupted = false;
  EXPECT_EQ(report.exit_code(), 3);
  report.results.pop_back();
  EXPECT_EQ(report.exit_code(), 0);
  report.results.erase(report.results.begin());
  EXPECT_EQ(report.exit_code(), 4);
  report.results.clear();
  EXPECT_EQ(report.exit_code(), 0);
}

TEST(Report, Ktap) {
  EXPECT_EQ(to_ktap(sample()),
            "KTAP version 1\n1..4\n"
            "ok 1 conservation\n"
            "#   promise   x < y\n#\n#   violated  z\n"
            "not ok 2 bfq.share.two-weights\n"
            "# nothing to judge\n"
            "ok 3 odd_name # SKIP nothing to judge\n"
            "# gave up\n"
            "not ok 4 t # TIMEOUT gave up\n");
}

TEST(Report, JunitEscapesAndCounts) {
  const std::string xml = to_junit(sample());
  EXPECT_NE(xml.find(R"(<testsuites name="elvcheck run" tests="4" failures="1" errors="1" skipped="1" time="0.420">)"),
            std::string::npos)
      << xml;
  EXPECT_NE(xml.find("&lt;b&gt; &amp; &quot;quote&quot; ??"), std::string::npos) << xml;
  EXPECT_NE(xml.find(">replay: elvcheck replay 'a b.toml'"), std::string::npos) << xml;
  EXPECT_NE(xml.find(R"(<testsuite name="Theorem" tests="1")"), std::string::npos) << xml;
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
}

TEST(Report, JsonKeysAndBrokenText) {
  const auto json = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(json["command"], "run");
  EXPECT_EQ(json["seed"], 42);
  EXPECT_EQ(json["results"][0]["verdict"], "held");
  EXPECT_FALSE(json["results"][0].contains("replay"));
  EXPECT_EQ(json["results"][1]["replay"], "elvcheck replay 'a b.toml'");
  EXPECT_FALSE(json.contains("interrupted"));
}

}  // namespace
}  // namespace elvcheck
