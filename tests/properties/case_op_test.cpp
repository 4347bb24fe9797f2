// SPDX-License-Identifier: GPL-2.0-or-later
// The one-line operations of case files. Expected values come from the grammar at the head of properties/case_op.cpp.
#include <gtest/gtest.h>

#include <limits>

#include "properties/case_file.hpp"
#include "properties/case_time.hpp"

namespace elvcheck {
namespace {

const std::vector<std::string> names{"reader", "writer"};
const std::vector<ProcessSpec> specs{{"reader", {}, {}}, {"writer", {}, {}}};

std::string error_of(std::string_view text) {
  try {
    parse_op(text, names);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CaseOp, ReadWaitsAndCarriesNoFlags) {
  const ProcessOp op = parse_op("read 1000 +8", names);
  EXPECT_EQ(op.kind, ProcessOp::Kind::io);
  EXPECT_EQ(op.op, Op::read);
  EXPECT_EQ(op.sector, 1000U);
  EXPECT_EQ(op.sectors, 8U);
  EXPECT_EQ(op.flags, 0);
  EXPECT_FALSE(op.nowait);
  EXPECT_EQ(op.count, 1U);
}

TEST(CaseOp, WriteIsSyncAndWaitsUnlessAsync) {
  const ProcessOp sync = parse_op("write 5 +16", names);
  EXPECT_EQ(sync.flags, REQ_SYNC);
  EXPECT_FALSE(sync.nowait);
  const ProcessOp async = parse_op("write 5 +16 async", names);
  EXPECT_EQ(async.flags, 0);
  EXPECT_TRUE(async.nowait);
  const ProcessOp waited = parse_op("write 5 +16 async wait", names);
  EXPECT_EQ(waited.flags, 0);
  EXPECT_FALSE(waited.nowait);
  const ProcessOp unwaited = parse_op("write 5 +16 nowait", names);
  EXPECT_EQ(unwaited.flags, REQ_SYNC);
  EXPECT_TRUE(unwaited.nowait);
}

TEST(CaseOp, AllModifiers) {
  const ProcessOp op = parse_op("write 64 +8 x100 stride -16 depth 4 think 1500us fua meta preflush", names);
  EXPECT_EQ(op.count, 100U);
  EXPECT_EQ(op.stride, -16);
  EXPECT_EQ(op.depth, 4U);
  EXPECT_EQ(op.think, 1500us);
  EXPECT_EQ(op.flags, REQ_SYNC | REQ_FUA | REQ_META | REQ_PREFLUSH);
  const ProcessOp random = parse_op("read 0 +8 x3 random 4096 seed 7", names);
  EXPECT_EQ(random.span, 4096U);
  EXPECT_EQ(random.seed, 7U);
}

TEST(CaseOp, OtherVerbs) {
  EXPECT_EQ(parse_op("think 2ms", names).time, 2ms);
  EXPECT_EQ(parse_op("at 3s", names).time, 3s);
  EXPECT_EQ(parse_op("wait writer", names).target, 1U);
  EXPECT_EQ(parse_op("ioprio rt/2", names).ioprio, (IoPrio{IoClass::rt, 2}));
  EXPECT_EQ(parse_op("repeat 12", names).count, 12U);
  for (const char* verb : {"fsync", "plug", "unplug", "drain", "end", "exit"}) {
    EXPECT_EQ(format_op(parse_op(verb, names), specs), verb);
  }
}

TEST(CaseOp, CanonicalTextIsAFixedPoint) {
  for (const char* text :
       {"read 1000 +8", "read 0 +8 x4 stride 16 depth 2 think 1ms nowait", "write 8 +8 async", "write 8 +8 async wait fua",
        "discard 0 +1024 nowait", "read 0 +8 x9 random 800 seed 3", "wait writer", "ioprio idle", "think 10us", "at 0ns"}) {
    EXPECT_EQ(format_op(parse_op(text, names), specs), text);
  }
}

TEST(CaseOp, RefusalsSayWhatAndHow) {
  EXPECT_EQ(error_of("raed 0 +8"), "unknown operation 'raed'; did you mean 'read'?");
  EXPECT_EQ(error_of("read 0 8"), "'8' is not a length; write it as '+8' (sectors of 512 bytes)");
  EXPECT_EQ(error_of("read"), "the line ends where the first sector belongs");
  EXPECT_EQ(error_of("wait raeder"), "there is no process 'raeder'; did you mean 'reader'?");
  EXPECT_EQ(error_of("read 0 +8 strid 4"), "unknown word 'strid'; did you mean 'stride'?");
  EXPECT_EQ(error_of("think 2"), "'2' is not a time; write a whole number with ns, us, ms or s, such as '2ms'");
  EXPECT_EQ(error_of("fsync now"), "unexpected 'now' after 'fsync'; remove it");
  for (const char* text :
       {"", "   ", "read -1 +8", "read 0 +0", "read 0 +", "read 0 +8 x0", "read 0 +8 depth 0", "read 0 +8 async",
        "read 99999999999999999999 +8", "ioprio rt/8", "repeat 0", "think -1ms", "write 0 +8 wait nowait",
        "read 0 +8 stride 8 random 80", "read 0 +8 random 4", "read 0 +8 seed 3"}) {
    EXPECT_NE(error_of(text), "accepted") << text;
  }
}

TEST(CaseTime, UnitsAndLimits) {
  EXPECT_EQ(parse_time("250ns"), 250ns);
  EXPECT_EQ(parse_time("10s"), 10s);
  EXPECT_EQ(format_time(1'500'000ns), "1500us");
  EXPECT_EQ(format_time(0ns), "0ns");
  for (const char* text :
       {"", "ms", "1", "1.5ms", "-1ms", "1min", "1 ms", "9223372036854775807s", "99999999999999999999ns"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

}  // namespace
}  // namespace elvcheck
