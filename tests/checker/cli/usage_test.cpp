// SPDX-License-Identifier: GPL-2.0-or-later
// Wrong usage: exit code 2 and one line on standard error that says what to do; nothing on standard output, no file left
// behind.
#include <gtest/gtest.h>

#include "tests/checker/cli/program.hpp"

namespace elvcheck::test {
namespace {

struct Mistake {
  std::vector<std::string> arguments;
  std::string said;  ///< must be in the line
};

std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  for (const std::string& argument : mistake.arguments) out << argument << ' ';
  return out;
}

class Usage : public testing::TestWithParam<Mistake> {};

TEST_P(Usage, OneLineAndExitCodeTwo) {
  const TemporaryFolder folder;
  Setting setting;
  setting.directory = folder.path();
  const Outcome outcome = run_elvcheck(GetParam().arguments, setting);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(count_lines(outcome.err), 1U) << outcome.err;
  EXPECT_EQ(outcome.err.rfind("elvcheck: ", 0), 0U) << outcome.err;
  EXPECT_NE(outcome.err.find(GetParam().said), std::string::npos) << outcome.err;
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, Usage,
    testing::Values(
        Mistake{{}, "a command is missing"}, Mistake{{"rum"}, "did you mean 'run'?"},
        Mistake{{"frobnicate"}, "no command 'frobnicate'"}, Mistake{{"--nonsense"}, "unknown option '--nonsense'"},
        Mistake{{"run", "--sheduler", "none"}, "did you mean '--scheduler'?"},
        Mistake{{"run", "--sheduler=none"}, "did you mean '--scheduler'?"},
        Mistake{{"run", "a", "b"}, "unexpected argument 'b'"}, Mistake{{"run", "--cases", "0"}, "--cases"},
        Mistake{{"run", "--cases", "many"}, "--cases"}, Mistake{{"run", "--cases", "-3"}, "--cases"},
        Mistake{{"run", "--seed", "1.5"}, "--seed"},
        Mistake{{"run", "--seed", "-1"}, "'-1' is not a whole number"},
        Mistake{{"run", "--seed", "18446744073709551616"}, "is not a whole number"}, Mistake{{"run", "--time", "99999999"}, "--time"},
        Mistake{{"run", "--jobs", "1000000"}, "--jobs"}, Mistake{{"run", "--json"}, "--json"},
        Mistake{{"run", "--color", "blue"}, "auto, always, never"},
        Mistake{{"run", "--scheduler", "mq-deadlin"}, "did you mean 'mq-deadline"},
        Mistake{{"run", "--device", "flt"}, "did you mean 'flat'?"},
        Mistake{{"run", "--device", "flat:servce_ns=1"}, "did you mean 'service_ns'?"},
        Mistake{{"run", "--device", "flat:service_ns=fast"}, "'fast' is not an integer"},
        Mistake{{"run", "--device", "flat:service_ns"}, "PARAMETER=VALUE"},
        Mistake{{"run", "--device", "flat:service_ns=-1"}, "service_ns"},
        Mistake{{"run", "no.such.property"}, "no property or theorem matches"},
        Mistake{{"run", "--job", "missing.fio"}, "missing.fio"},
        Mistake{{"run", "--json", "-", "--ktap"}, "standard output"},
        Mistake{{"run", "--json", "missing/results.json"}, "missing/results.json: cannot write"},
        Mistake{{"run", "--junit", "/"}, "cannot write"}, Mistake{{"replay"}, "FILE"},
        Mistake{{"replay", "missing.toml"}, "missing.toml"}, Mistake{{"replay", "."}, "."}, Mistake{{"trace"}, "FILE"},
        Mistake{{"trace", "missing.blktrace.0"}, "missing.blktrace.0"}, Mistake{{"trace", "/dev/null"}, "/dev/null"},
        Mistake{{"trace", "/dev/null", "no.such.property"}, "no property matches 'no.such.property'"},
        Mistake{{"prove", "no.such.theorem"}, "no theorem matches"}, Mistake{{"prove", "--ktap"}, "unknown option '--ktap'"},
        Mistake{{"list", "shedulers"}, "schedulers, devices"}, Mistake{{"doctor", "please"}, "unexpected argument"}));

TEST(Usage, MalformedCaseNamesFileAndLine) {
  const TemporaryFolder folder;
  const std::string path = folder.file("bad.toml");
  write_file(path, "elvcheck_case = 1\nproperty = \n");
  const Outcome outcome = run_elvcheck({"replay", path});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(count_lines(outcome.err), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find(path + ":2"), std::string::npos) << outcome.err;
}

TEST(Usage, HelpAndVersion) {
  const Outcome help = run_elvcheck({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.err, "");
  for (const char* word : {"run", "replay", "trace", "prove", "list", "doctor", "Examples:", "Exit codes:"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
  const Outcome run_help = run_elvcheck({"run", "--help"});
  EXPECT_EQ(run_help.exit_code, 0);
  for (const char* word :
       {"--seed", "--cases", "--time", "--jobs", "--json", "--ktap", "--junit", "--quiet", "--color", "--job"}) {
    EXPECT_NE(run_help.out.find(word), std::string::npos) << word;
  }
  const Outcome version = run_elvcheck({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out.rfind("elvcheck 0.", 0), 0U) << version.out;
}

}  // namespace
}  // namespace elvcheck::test
