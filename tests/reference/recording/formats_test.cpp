// SPDX-License-Identifier: GPL-2.0-or-later
// The same run recorded by three tools must read as the same run. The expected values come from the tools: blkparse's own
// text and summary of a binary file, and ftrace's text, were made by blkparse 1.2 and Linux 6.1, not by this program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "tests/reference/recording/support.hpp"

namespace elvcheck {
namespace {

using test::sample;

const char* const runs[] = {"uml-hdd1-a-mq-deadline", "uml-hdd1-b-mq-deadline",  "uml-hdd1-d4-mq-deadline",
                            "uml-hdd1-a-none",        "uml-hdd1c-c-mq-deadline", "qemu-sdebug-b-bfq",
                            "uml-hdd1-d4-bfq"};

class EachRun : public testing::TestWithParam<const char*> {
 protected:
  Recording read(const char* kind) const { return read_recording(sample(std::string(GetParam()) + kind)); }
};
INSTANTIATE_TEST_SUITE_P(Recordings, EachRun, testing::ValuesIn(runs), [](const auto& parameter) {
  std::string name = parameter.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

void expect_same_events(const Recording& a, const Recording& b) {
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    const TraceEvent& left = a.events[i];
    const TraceEvent& right = b.events[i];
    SCOPED_TRACE("event " + std::to_string(i) + ": " + to_line(left) + " / " + to_line(right));
    ASSERT_EQ(left.at, right.at);
    ASSERT_EQ(left.kind, right.kind);
    ASSERT_EQ(left.op, right.op);
    ASSERT_EQ(left.flags, right.flags);
    ASSERT_EQ(left.process, right.process);
    ASSERT_EQ(left.bio, right.bio);
    ASSERT_EQ(left.request, right.request);
    ASSERT_EQ(left.other, right.other);
    ASSERT_EQ(left.sector, right.sector);
    ASSERT_EQ(left.sectors, right.sectors);
    ASSERT_EQ(a.running[i], b.running[i]);
  }
}

TEST_P(EachRun, BinaryAndBlkparseTextAreEqualEventByEvent) {
  const Recording text = read(".blkparse.txt.gz");
  const Recording binary = read(".blktrace.0.gz");
  EXPECT_EQ(text.format, RecordingFormat::blkparse_text);
  EXPECT_EQ(binary.format, RecordingFormat::blktrace_binary);
  expect_same_events(text, binary);
  EXPECT_TRUE(text.warnings.empty()) << text.warnings.front();
  EXPECT_TRUE(binary.warnings.empty()) << binary.warnings.front();
}

TEST_P(EachRun, FtraceHasTheSameQueueIssueAndCompletion) {
  const auto steps = [](const Recording& recording) {
    std::vector<std::string> out;
    for (const TraceEvent& event : recording.events)
      if (event.kind == EventKind::queue || event.kind == EventKind::issue || event.kind == EventKind::complete)
        out.push_back(std::string(letter(event.kind)) + " " + std::to_string(static_cast<int>(event.op)) + " " +
                      std::to_string(event.flags) + " " + std::to_string(event.sector) + "+" +
                      std::to_string(event.sectors) + " of " + std::to_string(event.process));
    return out;
  };
  EXPECT_EQ(steps(read(".blkparse.txt.gz")), steps(read(".ftrace.txt.gz")));
}

TEST_P(EachRun, CountsAreThoseOfBlkparsesSummary) {
  const std::string text = test::sample_bytes(std::string(GetParam()) + ".blkparse.txt.gz");
  const auto summary = [&](const std::string& label) {
    const std::size_t at = text.find(label);
    return at == std::string::npos ? -1 : std::atoi(text.c_str() + at + label.size());
  };
  std::map<EventKind, int> count;
  for (const TraceEvent& event : read(".blktrace.0.gz").events) ++count[event.kind];
  // blkparse counts flushes as neither read nor write dispatches, so issues are compared where there are none.
  EXPECT_EQ(count[EventKind::queue], summary("Reads Queued:") + summary("Writes Queued:"));
  EXPECT_EQ(count[EventKind::back_merge] + count[EventKind::front_merge] + count[EventKind::request_merge],
            summary("Read Merges:") + summary("Write Merges:"));
  EXPECT_EQ(count[EventKind::unplug], summary("IO unplugs:"));
  EXPECT_EQ(count[EventKind::timer_unplug], summary("Timer unplugs:"));
  if (std::string(GetParam()) != "uml-hdd1c-c-mq-deadline") {
    EXPECT_EQ(count[EventKind::issue], summary("Read Dispatches:") + summary("Write Dispatches:"));
    EXPECT_EQ(count[EventKind::complete], summary("Reads Completed:") + summary("Writes Completed:"));
  }
}

/// Every request is issued with exactly the sectors of the bios that were put into it.
TEST_P(EachRun, RequestsHoldTheirBios) {
  for (const char* kind : {".blkparse.txt.gz", ".ftrace.txt.gz"}) {
    const Recording recording = read(kind);
    std::map<RequestId, std::uint64_t> sectors;
    std::size_t issues = 0;
    for (const TraceEvent& event : recording.events) switch (event.kind) {
        case EventKind::get_request:
        case EventKind::back_merge:
        case EventKind::front_merge:
          sectors[event.request] += event.sectors;
          break;
        case EventKind::request_merge:
          sectors[event.request] += sectors[event.other];
          sectors.erase(event.other);
          break;
        case EventKind::issue:
          ++issues;
          if (event.op != Op::flush) {
            ASSERT_EQ(sectors[event.request], event.sectors) << to_line(event);
          }
          break;
        default:
          break;
      }
    EXPECT_GT(issues, 100U);
  }
}

/// With blkparse on the machine: its text of the shipped binary file, and its -d dump, made now.
TEST(Blkparse, InstalledToolAgrees) {
  if (std::system("command -v blkparse > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "blkparse is not installed (Debian package blktrace)";
  const test::Scratch scratch;
  for (const char* run : runs) {
    SCOPED_TRACE(run);
    const std::string name = run;
    scratch.write(name + ".blktrace.0", test::sample_bytes(name + ".blktrace.0.gz"));
    const std::string command =
        "cd '" + scratch.directory() + "' && blkparse -i " + name + " -d " + name + ".dump > " + name + ".txt 2> /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const Recording binary = read_recording(scratch.path(name + ".blktrace.0"));
    expect_same_events(binary, read_recording(scratch.path(name + ".txt")));
    expect_same_events(binary, read_recording(scratch.path(name + ".dump")));
    expect_same_events(binary, read_recording(scratch.path(name)));  // by prefix
  }
}

// Binary files in other shapes, made from a shipped one by the rules of blktrace_api.h.

constexpr std::size_t header = 48;

template <class Visit>
void each_record(const std::string& bytes, Visit visit) {
  for (std::size_t at = 0; at + header <= bytes.size();) {
    const std::size_t payload = static_cast<unsigned char>(bytes[at + 46]) | static_cast<unsigned char>(bytes[at + 47]) << 8;
    visit(bytes.substr(at, header), bytes.substr(at + header, payload));
    at += header + payload;
  }
}

bool is_notify(const std::string& head) { return (static_cast<unsigned char>(head[31]) & 0x04) != 0; }  // BLK_TC_NOTIFY

TEST(BlktraceBinary, BothByteOrders) {
  const std::string little = test::sample_bytes("uml-hdd1-d4-bfq.blktrace.0.gz");
  std::string big;
  each_record(little, [&](std::string head, const std::string& payload) {
    constexpr std::size_t fields[][2] = {{0, 4},  {4, 4},  {8, 8},  {16, 8}, {24, 4}, {28, 4},
                                         {32, 4}, {36, 4}, {40, 4}, {44, 2}, {46, 2}};
    for (const auto& [at, size] : fields)
      std::reverse(head.begin() + static_cast<long>(at), head.begin() + static_cast<long>(at + size));
    big += head + payload;
  });
  expect_same_events(parse_recording(little, "little"), parse_recording(big, "big"));
}

TEST(BlktraceBinary, CgroupIdsArePassedOver) {
  const std::string plain = test::sample_bytes("uml-hdd1-d4-bfq.blktrace.0.gz");
  std::string with_ids;
  each_record(plain, [&](std::string head, const std::string& payload) {
    head[29] = static_cast<char>(head[29] | 1);  // __BLK_TA_CGROUP, bit 8 of the action
    const std::size_t size = payload.size() + 8;
    head[46] = static_cast<char>(size & 0xFF);
    head[47] = static_cast<char>(size >> 8);
    with_ids += head + std::string("\x2a\0\0\0\0\0\0\0", 8) + payload;
  });
  const Recording a = parse_recording(plain, "a");
  const Recording b = parse_recording(with_ids, "b");
  expect_same_events(a, b);
  EXPECT_EQ(a.process_names, b.process_names);
  EXPECT_EQ(a.process_names.at(99), "git");
}

TEST(BlktraceBinary, PerCpuFilesAreMergedByTime) {
  const std::string one = test::sample_bytes("uml-hdd1-b-mq-deadline.blktrace.0.gz");
  std::string cpu[3];
  std::uint64_t last_time = ~std::uint64_t{0};
  std::size_t to = 0;
  each_record(one, [&](std::string head, const std::string& payload) {
    std::uint64_t time = 0;
    for (int i = 7; i >= 0; --i) time = time << 8 | static_cast<unsigned char>(head[8 + static_cast<std::size_t>(i)]);
    if (!is_notify(head) &&
        time != last_time) {  // records of one instant stay on one CPU: between CPUs their order is not said
      last_time = time;
      to = (to + 1) % 3;
    }
    head[40] = static_cast<char>(to);
    cpu[to] += head + payload;
  });
  const test::Scratch scratch;
  for (std::size_t i = 0; i < 3; ++i) scratch.write("disk.blktrace." + std::to_string(i), cpu[i]);
  scratch.write("disk.blktrace.3", "");  // a CPU without events
  const Recording whole = parse_recording(one, "one");
  const Recording by_prefix = read_recording(scratch.path("disk"));
  expect_same_events(whole, by_prefix);
  EXPECT_EQ(by_prefix.cpus, 3U);
  expect_same_events(whole, read_recording(scratch.directory()));
  const Recording single = read_recording(scratch.path("disk.blktrace.1"));
  EXPECT_LT(single.events.size(), whole.events.size());
  EXPECT_NE(single.warnings.back().find("give the prefix disk"), std::string::npos);
}

TEST(BlktraceBinary, OtherVersionsAreRefusedByName) {
  std::string bytes = test::sample_bytes("uml-hdd1-d4-bfq.blktrace.0.gz");
  bytes[0] = 8;
  EXPECT_NE(test::error_of(bytes).find("f: byte 0: blktrace version 8"), std::string::npos) << test::error_of(bytes);
  bytes[0] = 6;
  EXPECT_NE(test::error_of(bytes).find("blktrace version 6"), std::string::npos);
}

TEST(BlktraceBinary, ACutNamesTheOffsetOfTheCutRecord) {
  const std::string bytes = test::sample_bytes("uml-hdd1-d4-bfq.blktrace.0.gz");
  // The first record is the time of day: 48 + 8 bytes.
  EXPECT_NE(test::error_of(bytes.substr(0, 56 + 20)).find("f: byte 56: the file ends in the middle of a record (20 of 48"),
            std::string::npos)
      << test::error_of(bytes.substr(0, 56 + 20));
  EXPECT_NE(test::error_of(bytes.substr(0, 50)).find("f: byte 0: the file ends in the middle of a record's payload"),
            std::string::npos);
  std::string damaged = bytes;
  damaged[57] = 'x';
  EXPECT_NE(test::error_of(damaged).find("f: byte 56: no blktrace record starts here"), std::string::npos);
}

TEST(Gzip, ACutStreamIsAnError) {
  const test::Scratch scratch;
  std::ifstream file(sample("uml-hdd1-d4-bfq.blktrace.0.gz"), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string path = scratch.write("cut.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(test::input_error([&] { read_recording(path); }).find("cut.gz: cannot be read to its end"), std::string::npos);
  EXPECT_NE(test::input_error([&] { read_recording(scratch.path("absent")); }).find("there is no such file"),
            std::string::npos);
}

}  // namespace
}  // namespace elvcheck
