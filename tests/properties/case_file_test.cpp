// SPDX-License-Identifier: GPL-2.0-or-later
// Case files: what is accepted means what the text says, what is not is refused with its line; nothing is lost in a round
// trip.
#include "properties/case_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/device/preset.hpp"
#include "model/scheduler/registry.hpp"
#include "properties/property.hpp"
#include "tests/properties/case_generator.hpp"

namespace elvcheck {
namespace {

namespace fs = std::filesystem;

constexpr const char* example = R"(elvcheck_case = 1
note = "two lines\nand a \"quote\""
property = "conservation"
expect = "held"
scheduler = "mq-deadline-6.1"
limit = "20s"

[tunables]
writes_starved = 3
fifo_batch = 2

[device]
preset = "flat"

[block]
hz = 1000
nr_requests = 32

[[process]]
name = "reader"
ioprio = "rt/1"
ops = ["read 1000 +8", "think 2ms", "wait writer"]

[[process]]
name = "writer"
ops = ["repeat 2", "write 5000 +8 async", "end"]
)";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string error_of(const std::string& text) {
  try {
    parse_case(text, "a.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CaseFileTest, ReadsWhatIsWritten) {
  const CaseFile value = parse_case(example, "a.toml");
  EXPECT_EQ(value.note, "two lines\nand a \"quote\"");
  EXPECT_EQ(value.property, "conservation");
  EXPECT_FALSE(value.expect_violated);
  EXPECT_EQ(value.scenario.scheduler, "mq-deadline-6.1");
  EXPECT_EQ(value.scenario.limit, 20s);
  // The order of the file is kept: tunables are stored in it.
  EXPECT_EQ(value.scenario.tunables, (std::vector<NamedValue>{{"writes_starved", 3}, {"fifo_batch", 2}}));
  EXPECT_EQ(value.scenario.block.hz, 1000U);
  EXPECT_EQ(value.scenario.block.nr_requests, 32U);
  ASSERT_EQ(value.scenario.processes.size(), 2U);
  EXPECT_EQ(value.scenario.processes[0].ioprio, (IoPrio{IoClass::rt, 1}));
  EXPECT_EQ(value.scenario.processes[0].ops.at(2).target, 1U);
  EXPECT_EQ(value.scenario.processes[1].ops.size(), 3U);
}

TEST(CaseFileTest, AWorkloadIsReadWrittenAndChecked) {
  const std::string text = R"(elvcheck_case = 1
expect = "held"
scheduler = "cfq-4.19"

[device]
preset = "flat"

[workload]
name = "dump"
workers = 2
)";
  const CaseFile read = parse_case(text, "a.toml");
  EXPECT_EQ(read.scenario.workload, (WorkloadSpec{"dump", {{"workers", 2}}}));
  EXPECT_EQ(format_case(read), text);
  EXPECT_EQ(error_of(replaced(text, "workers", "worker")),
            "a.toml:10: unknown parameter of the workload 'worker'; did you mean 'workers'?");
  EXPECT_EQ(error_of(replaced(text, "\"dump\"", "\"dmup\"")), "a.toml:9: unknown workload 'dmup'; did you mean 'dump'?");
  EXPECT_EQ(error_of(replaced(text, "workers = 2", "workers = 0")),
            "a.toml:10: 'workers' must be a whole number from 1 to 64");
}

TEST(CaseFileTest, GroupsFeaturesAndYieldsAreReadAndWritten) {
  const char* const text = R"(elvcheck_case = 1
expect = "held"
scheduler = "cfq-2.6.35"

[tunables]
slice_idle = 4

[features]
journal-yield = 1

[device]
preset = "flat"

[block]
blk_cgroup = false

[[group]]
name = "slow"
weight = 100

[[group]]
name = "slower"
weight = 50
parent = "slow"

[[process]]
name = "writer"
group = "slower"
ops = ["write 0 +8", "yield journal", "wait journal"]

[[process]]
name = "journal"
ops = ["write 800 +8"]
)";
  const CaseFile value = parse_case(text, "a.toml");
  EXPECT_EQ(value.scenario.tunables, (std::vector<NamedValue>{{"slice_idle", 4}, {"journal-yield", 1}}));
  EXPECT_EQ(value.scenario.block.groups, (std::vector<IoGroup>{{100, 0, "slow"}, {50, 1, "slower"}}));
  EXPECT_FALSE(value.scenario.block.blk_cgroup);
  EXPECT_EQ(value.scenario.processes[0].group, 2U);
  EXPECT_EQ(value.scenario.processes[0].ops.at(1).kind, ProcessOp::Kind::yield);
  EXPECT_EQ(value.scenario.processes[0].ops.at(1).target, 1U);
  EXPECT_EQ(format_case(value), text);
  const auto error = [&](const char* what, const char* by) { return error_of(replaced(text, what, by)); };
  EXPECT_EQ(error("journal-yield = 1", "slice_idle = 1").substr(0, 46), "a.toml:9: unknown feature 'slice_idle' of cfq-");
  EXPECT_EQ(error("journal-yield = 1", "journal-yield = 2"), "a.toml:9: 'journal-yield' must be a whole number from 0 to 1");
  EXPECT_EQ(error("slice_idle = 4", "journal-yield = 1").substr(0, 45), "a.toml:6: unknown tunable 'journal-yield' of ");
  EXPECT_EQ(error("weight = 100", "weight = 0"), "a.toml:19: 'weight' must be a whole number from 1 to 10000");
  EXPECT_EQ(error("parent = \"slow\"", "parent = \"slower\"").substr(0, 53),
            "a.toml:24: there is no group 'slower' before this lin");
  EXPECT_EQ(error("name = \"slower\"", "name = \"slow\"").substr(0, 60),
            "a.toml:22: 'slow' is the name of another group too; rename o");
  EXPECT_EQ(error("yield journal", "yield writer"),
            "a.toml:29: 'yield writer': a process cannot yield to itself; name another one");
}

// The reference page shows every key; its example is a case.
TEST(CaseFileTest, TheExampleOfTheReferencePageIsRead) {
  std::ifstream page(std::string(ELVCHECK_TEST_CASES) + "/../../docs/case-files.md");
  std::stringstream text;
  text << page.rdbuf();
  const std::string all = text.str();
  const auto begin = all.find("```toml\n");
  ASSERT_NE(begin, std::string::npos);
  const CaseFile value = parse_case(all.substr(begin + 8, all.find("```", begin + 8) - begin - 8), "case-files.md");
  EXPECT_EQ(parse_case(format_case(value), "again"), value);
  EXPECT_EQ(value.scenario.block.groups.size(), 1U);
}

struct Refusal {
  const char* what;
  const char* by;
  const char* error;  // how the message begins
};

TEST(CaseFileTest, EachMistakeIsNamedWithItsLine) {
  const Refusal refusals[] = {
      {"elvcheck_case = 1", "elvcheck_case = 2",
       "a.toml:1: case format 2 is not known here; this elvcheck reads elvcheck_case = 1"},
      {"elvcheck_case = 1", "", "a.toml:1: not a case file; its first line must be elvcheck_case = 1"},
      {"property = \"conservation\"", "property = \"conservatoin\"",
       "a.toml:3: unknown property 'conservatoin'; did you mean 'conservation'?"},
      {"property = \"conservation\"", "property = 3", "a.toml:3: 'property' must be a text"},
      {"expect = \"held\"", "expect = \"hold\"", "a.toml:4: expect is 'hold'; write \"held\" or \"violated\""},
      {"expect = \"held\"", "expct = \"held\"", "a.toml:4: unknown key 'expct'; did you mean 'expect'?"},
      {"expect = \"held\"", "rule = \"x\"", "a.toml:4: a rule belongs to expect = \"violated\""},
      {"\"mq-deadline-6.1\"", "\"mq-deadlin-6.1\"",
       "a.toml:5: unknown scheduler 'mq-deadlin-6.1'; did you mean 'mq-deadline-6.1'?"},
      {"limit = \"20s\"", "limit = \"20\"", "a.toml:6: 'limit' is not a time"},
      {"limit = \"20s\"", "limit = \"0s\"", "a.toml:6: 'limit' is not a time above 0"},
      {"writes_starved = 3", "write_starved = 3",
       "a.toml:9: unknown tunable 'write_starved' of mq-deadline-6.1; did you mean 'writes_starved'?"},
      {"fifo_batch = 2", "fifo_batch = -1", "a.toml:10: 'fifo_batch' must be a whole number from 0 to 2147483647"},
      {"fifo_batch = 2", "fifo_batch = \"2\"", "a.toml:10: 'fifo_batch' must be a whole number"},
      {"preset = \"flat\"", "preset = \"flta\"", "a.toml:13: unknown device preset 'flta'; did you mean 'flat'?"},
      {"preset = \"flat\"", "preset = \"flat\"\nwarp = 9", "a.toml:14: unknown device parameter 'warp'"},
      {"preset = \"flat\"", "preset = \"seek\"\nseek_min_ns = 50000000", "a.toml:12: device seek: seek_max_ns"},
      {"hz = 1000", "hz = 999", "a.toml:16: 'hz' is 999"},
      {"nr_requests", "nr_request", "a.toml:17: unknown key of [block] 'nr_request'; did you mean 'nr_requests'?"},
      {"ioprio = \"rt/1\"", "ioprio = \"rt/9\"", "a.toml:21: 'rt/9' is not an I/O priority"},
      {"wait writer", "wait writre", "a.toml:22: 'wait writre': there is no process 'writre'; did you mean 'writer'?"},
      {"wait writer", "wait reader", "a.toml:22: 'wait reader': a process cannot wait for itself"},
      {"\"repeat 2\"", "\"wait reader\", \"repeat 2\"",
       "a.toml:19: process 'reader' waits for 'writer', which waits for 'reader'"},
      {"read 1000 +8", "read 99999999999999 +8", "a.toml:22: 'read 99999999999999 +8': it reaches beyond the device"},
      {"name = \"writer\"", "name = \"reader\"", "a.toml:25: 'reader' is the name of another process too; rename one"},
      {"name = \"writer\"", "name = \"a b\"", "a.toml:25: 'a b' is no name for a process"},
      {", \"end\"", "", "a.toml:26: 'repeat' without 'end'"},
      {"\"repeat 2\", ", "", "a.toml:26: 'end': 'end' without 'repeat'"},
      {"\"repeat 2\"", "7", "a.toml:26: an operation must be a text"},
      {"repeat 2", "repeat 4000000000",
       "a.toml:26: 'write 5000 +8 async': the program runs more than 1000000000 operations"},
      {"limit = ", "limit == ", "a.toml:6: not TOML: "},
  };
  for (const Refusal& refusal : refusals) {
    const std::string error = error_of(replaced(example, refusal.what, refusal.by));
    EXPECT_EQ(error.substr(0, std::string(refusal.error).size()), refusal.error);
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(CaseFileTest, AnEmptyTextAndOtherFilesAreNoCases) {
  EXPECT_EQ(error_of(""), "a.toml:1: not a case file; its first line must be elvcheck_case = 1");
  EXPECT_EQ(error_of("[package]\nname = \"x\"\n"), "a.toml:1: not a case file; its first line must be elvcheck_case = 1");
  EXPECT_EQ(error_of("elvcheck_case = 1\n").substr(0, 23), "a.toml:1: no scheduler;");
}

TEST(CaseFileTest, PlacesAreCheckedToTheLastSector) {
  const std::string capacity = std::to_string(make_device(DeviceSpec{})->info().capacity);
  const Sector end = std::stoull(capacity);
  const auto with = [&](const std::string& op) { return error_of(replaced(example, "read 1000 +8", op)); };
  EXPECT_EQ(with("read " + std::to_string(end - 8) + " +8"), "accepted");
  EXPECT_NE(with("read " + std::to_string(end - 7) + " +8"), "accepted");
  EXPECT_EQ(with("read " + std::to_string(end - 16) + " +8 x2"), "accepted");
  EXPECT_NE(with("read " + std::to_string(end - 16) + " +8 x3"), "accepted");
  EXPECT_EQ(with("read 16 +8 x3 stride -8"), "accepted");
  EXPECT_NE(with("read 16 +8 x4 stride -8"), "accepted");
  EXPECT_EQ(with("read 8 +8 random " + std::to_string(end - 8)), "accepted");
  EXPECT_NE(with("read 9 +8 random " + std::to_string(end - 8)), "accepted");
}

RC_GTEST_PROP(CaseFileProperty, RoundTrip, ()) {
  const CaseFile value = *generate_case();
  const std::string text = format_case(value);
  RC_LOG() << text;
  RC_ASSERT(parse_case(text, "generated") == value);
}

class CaseFileOnDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "elvcheck-case-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }
  static std::string content(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fs::path directory_;
};

TEST_F(CaseFileOnDisk, WriteReplacesWholeAndLeavesNoTemporary) {
  const fs::path path = directory_ / "c.toml";
  std::ofstream(path) << "old";
  const CaseFile value = parse_case(example, "a.toml");
  write_case(value, path.string());
  EXPECT_EQ(read_case(path.string()), value);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()), 1);
}

TEST_F(CaseFileOnDisk, FailureLeavesTheOldFile) {
  const CaseFile value = parse_case(example, "a.toml");
  EXPECT_THROW(write_case(value, (directory_ / "missing" / "c.toml").string()), InputError);
  EXPECT_THROW(write_case(value, directory_.string()), InputError);
  if (::access("/dev/full", W_OK) == 0) {
    EXPECT_THROW(write_case(value, "/dev/full"), InputError);
  }
  // A temporary that cannot be created: its name is taken by a directory.
  const fs::path path = directory_ / "c.toml";
  std::ofstream(path) << "old";
  fs::create_directory(path.string() + ".tmp." + std::to_string(::getpid()));
  EXPECT_THROW(write_case(value, path.string()), InputError);
  EXPECT_EQ(content(path), "old");
}

TEST_F(CaseFileOnDisk, MissingFileAndDirectoryAreNamed) {
  for (const fs::path& path : {directory_ / "none.toml", directory_}) {
    try {
      read_case(path.string());
      ADD_FAILURE() << "accepted " << path;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, path.string().size() + 1), path.string() + ":");
    }
  }
}

}  // namespace
}  // namespace elvcheck
