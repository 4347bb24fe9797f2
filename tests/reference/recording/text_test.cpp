// SPDX-License-Identifier: GPL-2.0-or-later
// What the text formats may hold beyond the shipped samples, how requests are followed, and what is said about bad lines.
// Expected values are worked out by hand from blkparse(1), include/trace/events/block.h and fio's HOWTO.
#include <gtest/gtest.h>

#include "tests/reference/recording/support.hpp"

namespace elvcheck {
namespace {

using test::error_of;
using test::short_form;

Recording parse(const std::string& text) { return parse_recording(text, "f"); }

/// Lines of blkparse, one microsecond apart, from "ACTION RWBS REST".
std::string blkparse(std::initializer_list<const char*> lines) {
  std::string text;
  int n = 0;
  for (const char* line : lines) {
    char head[64];
    std::snprintf(head, sizeof head, "  8,0    0 %8d     0.%06d000   697  ", n + 1, n);
    text += head + std::string(line) + "\n";
    ++n;
  }
  return text;
}

TEST(BlkparseText, TheManualsExampleLine) {
  const Recording r = parse(
      "  8,0     3         1      0.000000000   697  Q   W 223490 + 8 [kjournald]\n"
      "  8,0     3         2      0.000001829   697  G   W 223490 + 8 [kjournald]\n");
  EXPECT_EQ(short_form(r), "Q 223490+8 b1;G 223490+8 r1 b1;");
  EXPECT_EQ(r.events[0].op, Op::write);
  EXPECT_EQ(r.events[1].at, 1829ns);
  EXPECT_EQ(r.process_names.at(697), "kjournald");
}

TEST(BlkparseText, RwbsLetters) {
  const Recording r =
      parse(blkparse({"Q FWFSM 8 + 8 [a]", "Q RAM 16 + 8 [a]", "Q DS 24 + 8 [a]", "Q FWS 0 + 0 [a]", "Q WS 40 + 8 [a]"}));
  ASSERT_EQ(r.events.size(), 5U);
  EXPECT_EQ(r.events[0].flags, REQ_PREFLUSH | REQ_FUA | REQ_SYNC | REQ_META);
  EXPECT_EQ(r.events[0].op, Op::write);
  EXPECT_EQ(r.events[1].flags, REQ_RAHEAD | REQ_META);
  EXPECT_EQ(r.events[2].op, Op::discard);
  EXPECT_EQ(r.events[3].op, Op::flush);  // an empty write with PREFLUSH
  EXPECT_EQ(r.events[4].flags, REQ_SYNC);
}

TEST(Following, MergesGrowTheRequestThatTheyTouch) {
  const Recording r =
      parse(blkparse({"Q R 100 + 8 [a]", "G R 100 + 8 [a]", "Q R 108 + 8 [a]", "M R 108 + 8 [a]", "Q R 92 + 8 [a]",
                      "F R 92 + 8 [a]", "I R 92 + 24 [a]", "D R 92 + 24 [a]", "C R 92 + 24 [0]"}));
  EXPECT_EQ(short_form(r),
            "Q 100+8 b1;G 100+8 r1 b1;Q 108+8 b2;M 108+8 r1 b2;Q 92+8 b3;F 92+8 r1 b3;I 92+24 r1;D 92+24 r1;C 92+24 r1;");
  EXPECT_TRUE(r.warnings.empty());
}

TEST(Following, AMergeOfTwoRequestsIsToldFromABackMerge) {
  // Linux from 5.10 on records it as M of the second request.
  const Recording r = parse(blkparse(
      {"Q R 100 + 8 [a]", "G R 100 + 8 [a]", "Q R 108 + 8 [a]", "G R 108 + 8 [a]", "M R 108 + 8 [a]", "D R 100 + 16 [a]"}));
  EXPECT_EQ(short_form(r), "Q 100+8 b1;G 100+8 r1 b1;Q 108+8 b2;G 108+8 r2 b2;m 100+16 r1 o2;D 100+16 r1;");
  // Before, it was not recorded at all: the issue shows it.
  const Recording old =
      parse(blkparse({"Q R 100 + 8 [a]", "G R 100 + 8 [a]", "Q R 108 + 8 [a]", "G R 108 + 8 [a]", "D R 100 + 16 [a]"}));
  EXPECT_EQ(short_form(old), "Q 100+8 b1;G 100+8 r1 b1;Q 108+8 b2;G 108+8 r2 b2;m 100+16 r1 o2;D 100+16 r1;");
}

TEST(Following, SplitsPartialCompletionsAndRequeues) {
  const Recording r =
      parse(blkparse({"Q R 0 + 32 [a]", "X R 0 / 16 [a]", "G R 0 + 16 [a]", "G R 16 + 16 [a]", "D R 0 + 16 [a]",
                      "R R 0 + 16 [0]", "D R 0 + 16 [a]", "C R 0 + 8 [0]", "C R 8 + 8 [0]"}));
  // The partial completion alone is no event: the request completes with its last part. Its whole place is told.
  EXPECT_EQ(short_form(r), "Q 0+16 b1;Q 16+16 b2;G 0+16 r1 b1;G 16+16 r2 b2;D 0+16 r1;R 0+16 r1;D 0+16 r1;C 0+16 r1;");
}

TEST(Following, RequestsFromBeforeTheRecordingAreLeftOut) {
  const Recording r =
      parse(blkparse({"C R 500 + 8 [0]", "D R 600 + 8 [a]", "Q R 100 + 8 [a]", "G R 100 + 8 [a]", "D R 100 + 8 [a]"}));
  EXPECT_EQ(short_form(r), "Q 100+8 b1;G 100+8 r1 b1;D 100+8 r1;");
  ASSERT_EQ(r.warnings.size(), 1U);
  EXPECT_EQ(r.warnings[0], "2 event(s) of requests that were under way before the recording began were left out");
}

TEST(Following, IssuesAloneAreRequestsToo) {
  // blktrace -a issue -a complete
  const Recording r = parse(blkparse({"D R 100 + 8 [a]", "C R 100 + 8 [0]"}));
  EXPECT_EQ(short_form(r), "D 100+8 r1;C 100+8 r1;");
  EXPECT_EQ(r.warnings.back(), "the recording has no queue events: submissions are not known");
}

TEST(Devices, TheBusiestIsReadAndTheOthersAreNamed) {
  const std::string text =
      "  8,0    0        1     0.000000000   697  Q   R 1 + 8 [a]\n"
      "  8,16   0        2     0.000001000   697  Q   R 2 + 8 [a]\n"
      "  8,16   0        3     0.000002000   697  Q   R 3 + 8 [a]\n";
  const Recording busiest = parse(text);
  EXPECT_EQ(short_form(busiest), "Q 2+8 b1;Q 3+8 b2;");
  EXPECT_EQ(busiest.warnings.at(0), "read device 8,16; left out 8,0 (1 events)");
  EXPECT_EQ(busiest.events[0].at, 0ns);
  EXPECT_EQ(short_form(parse_recording(text, "f", {DeviceNumber{8, 0}})), "Q 1+8 b1;");
  EXPECT_NE(test::input_error([&] {
              parse_recording(text, "f", {DeviceNumber{9, 9}});
            }).find("no events of device 9,9"),
            std::string::npos);
}

TEST(BlkparseText, BadLinesAreNamed) {
  const std::string good = blkparse({"Q R 100 + 8 [a]"});
  EXPECT_EQ(error_of(good + "nonsense\n").substr(0, 5), "f:2: ");
  EXPECT_NE(error_of(good + "  8,0 0 1 0.0x0 1 Q R 1 + 8 [a]\n").find("f:2: expected a time"), std::string::npos);
  EXPECT_NE(error_of(good + "  8,0 0 1 0.000 1 V R 1 + 8 [a]\n").find("f:2: unknown action 'V'"), std::string::npos);
  EXPECT_NE(error_of(good + "  8,0 0 1 0.000 1 Q R -1 + 8 [a]\n").find("f:2: expected a sector, found '-1'"),
            std::string::npos);
  EXPECT_NE(error_of(good + "  8,0 0 1 0.000 1 Q R 1 + 99999999999 [a]\n").find("f:2: expected a number of sectors"),
            std::string::npos);
  EXPECT_NE(error_of(good + "  8,0 0 1 0.000 1 Q R 1 + 8\n").find("the line may have been cut"), std::string::npos);
  EXPECT_NE(error_of(good.substr(0, good.size() - 1)).find("f:1: the file ends in the middle of a line"), std::string::npos);
  EXPECT_NE(error_of("").find("the file is empty"), std::string::npos);
  EXPECT_NE(error_of("hello\n").find("f:1: not a recording"), std::string::npos);
}

TEST(FtraceText, FormsOfTheHead) {
  const Recording r = parse(
      "# tracer: nop\n"
      "my prog [x]-12 ( 10) [003] d..1.   5.000001: block_bio_queue: 8,0 R 100 + 8 [my prog [x]]\n"  // with record-tgid
      "   <idle>-0     [001] d.h.   5.000002: block_rq_insert: 8,0 R 4096 () 100 + 8 [a]\n"
      "        a-12    [003]   5.000003: block_rq_issue: 8,0 R 4096 () 100 + 8 be,4,0 [a]\n"  // trace-cmd; 6.10 and later
      "        a-12    [003] .....   5.000004: sched_switch: prev_comm=a\n"
      "   <idle>-0     [001] d.h1.   5.000005: block_rq_complete: 8,0 R () 100 + 8 be,4,0 [0]\n");
  EXPECT_EQ(short_form(r), "Q 100+8 b1;G 100+8 r1 b1;I 100+8 r1;D 100+8 r1;C 100+8 r1;");
  EXPECT_EQ(r.process_names.at(12), "my prog [x]");
  EXPECT_EQ(r.cpus, 2U);
  EXPECT_EQ(r.warnings.at(0), "left out: 1 'sched_switch' events");
}

TEST(FtraceText, MergeAndPlugEvents) {
  const Recording r = parse(
      "# tracer: nop\n"
      " a-12 [000] .....   5.000001: block_bio_queue: 8,0 R 100 + 8 [a]\n"
      " a-12 [000] .....   5.000002: block_getrq: 8,0 R 100 + 8 [a]\n"
      " a-12 [000] .....   5.000003: block_plug: [a]\n"
      " a-12 [000] .....   5.000004: block_bio_queue: 8,0 R 108 + 8 [a]\n"
      " a-12 [000] .....   5.000005: block_bio_backmerge: 8,0 R 108 + 8 [a]\n"
      " a-12 [000] .....   5.000006: block_unplug: [a] 1\n"
      " a-12 [000] .....   5.000007: block_rq_insert: 8,0 R 8192 () 100 + 16 [a]\n"
      " a-12 [000] .....   5.000008: block_rq_requeue: 8,0 R () 100 + 16 [0]\n");
  EXPECT_EQ(short_form(r), "Q 100+8 b1;G 100+8 r1 b1;P 0+0;Q 108+8 b2;M 108+8 r1 b2;U 0+0;I 100+16 r1;");
  EXPECT_TRUE(r.has_plugs);
}

TEST(FtraceText, ACoarseClockIsSaid) {
  const Recording r = read_recording(test::sample("uml-hdd1-a-none.ftrace.txt.gz"));
  EXPECT_EQ(r.warnings.at(0).substr(0, 38), "all times are multiples of 10000 us: t") << r.warnings.at(0);
  EXPECT_NE(error_of("# tracer: nop\n a-1 [000] ..... 12345: block_bio_queue: 8,0 R 1 + 8 [a]\n").find("has no unit"),
            std::string::npos);
}

TEST(FioIolog, Version3) {
  const Recording r = parse(
      "fio version 3 iolog\n0 /x add\n1 /y add\n2 /x open\n2 /y open\n10 /x read 0 65536\n20 /y write 4096 4096\n30 /y sync "
      "0 0\n"
      "40 /y trim 8192 4096\n50 /x close\n");
  // /x is 64 KiB long, so /y starts at 1 MiB: sector 2048.
  EXPECT_EQ(short_form(r), "Q 0+128 b1;Q 2056+8 b2;Q 0+0 b3;Q 2064+8 b4;");
  EXPECT_EQ(r.events[1].at, 10us);  // of the first submission
  EXPECT_EQ(r.events[2].op, Op::flush);
  EXPECT_EQ(r.events[3].op, Op::discard);
  EXPECT_EQ(r.warnings.at(0), "fio iolog version 3: timestamps taken as microseconds");
}

TEST(FioIolog, Version2) {
  const Recording r = parse(
      "fio version 2 iolog\n/x add\n/x open\n/x read 0 4096\n/x wait 1000 0\n/x read 4096 4096\n/x wait 99 0\n/x read 8192 "
      "1\n");
  EXPECT_EQ(short_form(r), "Q 0+8 b1;Q 8+8 b2;Q 16+1 b3;");
  EXPECT_EQ(r.events[1].at, 1ms);
  EXPECT_EQ(r.events[2].at, 1ms);  // waits below 100 us are discarded
}

TEST(FioIolog, TheRecordedJobSpansItsRuntime) {
  // fio's own report of this job: 384 reads of 64 KiB in 1178 ms.
  const Recording r = read_recording(test::sample("uml-hdd1-fio_a-bfq.iolog1.gz"));
  ASSERT_EQ(r.events.size(), 384U);
  EXPECT_NEAR(static_cast<double>(r.events.back().at.count()), 1178e6, 2e6);
}

TEST(FioIolog, BadLinesAreNamed) {
  const std::string head = "fio version 3 iolog\n0 /x add\n0 /x open\n";
  EXPECT_NE(error_of("fio version 4 iolog\n").find("f:1: expected 'fio version 2 iolog'"), std::string::npos);
  EXPECT_NE(error_of(head + "1 /x wait 100 0\n").find("f:4: 'wait' is not allowed"), std::string::npos);
  EXPECT_NE(error_of(head + "1 /y read 0 512\n").find("f:4: the file '/y' was not added"), std::string::npos);
  EXPECT_NE(error_of(head + "1 /x read 0\n").find("f:4: expected a length"), std::string::npos);
  EXPECT_NE(error_of(head + "1 /x jump 0 512\n").find("f:4: unknown action 'jump'"), std::string::npos);
  EXPECT_NE(error_of(head + "1 /x read 0 99999999999999999\n").find("f:4: offset or length beyond"), std::string::npos);
  EXPECT_NE(error_of(head).find("no block events"), std::string::npos);
}

}  // namespace
}  // namespace elvcheck
