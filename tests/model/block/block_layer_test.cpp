// SPDX-License-Identifier: GPL-2.0-or-later
// Both block layers on scenarios worked out by hand from block/blk-core.c (2.6.34, 4.19) and block/blk-mq.c (6.1).
#include <gtest/gtest.h>

#include "tests/model/run_helper.hpp"

namespace elvcheck {
namespace {

using namespace testing_support;
using Sectors = std::vector<Sector>;

std::vector<Nanoseconds> times(const std::vector<TraceEvent>& events) {
  std::vector<Nanoseconds> result;
  for (const TraceEvent& event : events) result.push_back(event.at);
  return result;
}

class EveryQueue : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, EveryQueue,
                         testing::Values("noop-2.6.35", "noop-4.19", "deadline-2.6.35", "deadline-4.19", "none-6.1",
                                         "mq-deadline-6.1"));

TEST_P(EveryQueue, AClosedLoopOfReadsTakesOneServiceTimeEach) {
  ProcessOp reads = io(Op::read, 1000, 8, 0, false);
  reads.count = 5;
  reads.stride = 80;
  const Ran ran = run(one_process(GetParam(), {reads}));
  EXPECT_EQ(times(ran.of(EventKind::issue)), (std::vector<Nanoseconds>{0ms, 1ms, 2ms, 3ms, 4ms}));
  EXPECT_EQ(ran.result.end, 5ms);
  EXPECT_EQ(ran.result.requests_left, 0U);
  EXPECT_EQ(ran.result.stuck_process, "");
}

TEST_P(EveryQueue, ThinkTimeComesAfterEachAnswer) {
  ProcessOp reads = io(Op::read, 1000, 8, 0, false);
  reads.count = 3;
  reads.stride = 80;
  reads.think = 500us;
  const Ran ran = run(one_process(GetParam(), {reads}));
  EXPECT_EQ(times(ran.of(EventKind::issue)), (std::vector<Nanoseconds>{0us, 1500us, 3000us}));
}

TEST_P(EveryQueue, NomergesTwoKeepsEveryBioApart) {
  std::vector<ProcessOp> ops{io(Op::read, 900'000, 8), io(Op::read, 950'000, 8)};
  for (Sector sector = 0; sector < 64; sector += 8) ops.push_back(io(Op::read, sector, 8));
  Scenario scenario = one_process(GetParam(), plugged(ops));
  scenario.block.nomerges = 2;
  EXPECT_EQ(run(scenario).of(EventKind::complete).size(), 10U);
  scenario.block.nomerges = 0;
  if (std::string(GetParam()) != "none-6.1") {  // none has one tag here, so nothing ever waits in its plug
    EXPECT_LT(run(scenario).of(EventKind::complete).size(), 10U);
  }
}

TEST_P(EveryQueue, MergedRequestsStayWithinTheLimits) {
  std::vector<ProcessOp> ops{io(Op::read, 900'000, 8), io(Op::read, 950'000, 8)};
  for (Sector sector = 0; sector < 800; sector += 8) ops.push_back(io(Op::read, sector, 8));
  Scenario scenario = one_process(GetParam(), ops);
  scenario.block.max_sectors = 64;
  SectorCount longest = 0;
  std::uint64_t total = 0;
  for (const TraceEvent& event : run(scenario).of(EventKind::issue)) {
    longest = std::max(longest, event.sectors);
    total += event.sectors;
  }
  EXPECT_LE(longest, 64U);
  EXPECT_EQ(total, 816U);
}

TEST_P(EveryQueue, ALargeOperationIsSplitAndDoneWhenAllItsPiecesAre) {
  ProcessOp large = io(Op::read, 0, 5000, 0, false);
  Scenario scenario = one_process(GetParam(), {large, step(ProcessOp::Kind::exit)});
  scenario.block.max_sectors = 2048;
  const Ran ran = run(scenario);
  std::vector<SectorCount> pieces;
  for (const TraceEvent& event : ran.of(EventKind::queue)) pieces.push_back(event.sectors);
  EXPECT_EQ(pieces, (std::vector<SectorCount>{2048, 2048, 904}));
  EXPECT_EQ(ran.result.requests_left, 0U);
}

TEST_P(EveryQueue, EveryRefusedRequestIsServedInTheEnd) {
  ProcessOp reads = io(Op::read, 1000, 8, 0, false);
  reads.count = 20;
  reads.stride = 80;
  Scenario scenario = one_process(GetParam(), {reads});
  scenario.block.refuse_every = 3;
  const Ran ran = run(scenario);
  EXPECT_GT(ran.of(EventKind::requeue).size(), 5U);
  EXPECT_EQ(ran.of(EventKind::complete).size(), 20U);
  EXPECT_EQ(ran.result.requests_left, 0U);
  EXPECT_EQ(ran.result.stuck_process, "");
}

// A write, then fsync: on a device with a volatile cache one flush command follows; without one, none.
TEST_P(EveryQueue, FsyncFlushesAVolatileCacheOnly) {
  for (const bool cache : {false, true}) {
    Scenario scenario = one_process(GetParam(), {io(Op::write, 0, 8, REQ_SYNC, false), step(ProcessOp::Kind::fsync)});
    if (cache) scenario.device.parameters.push_back({"volatile_cache", 1});
    const Ran ran = run(scenario);
    std::size_t flushes = 0;
    for (const TraceEvent& event : ran.of(EventKind::issue)) flushes += event.op == Op::flush;
    EXPECT_EQ(flushes, cache ? 1U : 0U);
    EXPECT_EQ(ran.result.stuck_process, "");
    EXPECT_EQ(ran.result.requests_left, 0U);
  }
}

// A FUA write with a preflush on a device that knows no FUA: flush, data, flush.
TEST_P(EveryQueue, PreflushAndFuaBecomeThreeCommands) {
  Scenario scenario = one_process(GetParam(), {io(Op::write, 64, 8, REQ_SYNC | REQ_PREFLUSH | REQ_FUA, false)});
  scenario.device.parameters.push_back({"volatile_cache", 1});
  std::vector<Op> commands;
  for (const TraceEvent& event : run(scenario).of(EventKind::issue)) commands.push_back(event.op);
  EXPECT_EQ(commands, (std::vector<Op>{Op::flush, Op::write, Op::flush}));
}

// 2.6.35: async writes plug the idle queue; the fourth waiting request unplugs it, or the 3 ms timer, on its tick.
TEST(SingleQueueOf2635, PluggedUntilTheTimerOrTheFourthRequest) {
  const auto writes = [](std::uint32_t count) {
    ProcessOp op = io(Op::write, 1000, 8);
    op.count = count;
    op.stride = 800;
    return one_process("noop-2.6.35", {op, timed(ProcessOp::Kind::think, 20ms)});
  };
  EXPECT_EQ(run(writes(3)).of(EventKind::issue).front().at, 3ms);
  EXPECT_EQ(run(writes(4)).of(EventKind::issue).front().at, 0ms);
}

// 4.19: the plug is sorted by sector, and equal sectors come out in reverse order of submission.
TEST(SingleQueueOf419, ThePlugIsSortedAndEqualSectorsAreReversed) {
  std::vector<ProcessOp> ops{io(Op::read, 300, 8), io(Op::read, 100, 8), io(Op::read, 100, 16), io(Op::read, 200, 8)};
  const Ran ran = run(one_process("noop-4.19", plugged(ops)));
  std::vector<std::pair<Sector, SectorCount>> inserted;
  for (const TraceEvent& event : ran.of(EventKind::insert)) inserted.emplace_back(event.sector, event.sectors);
  EXPECT_EQ(inserted, (std::vector<std::pair<Sector, SectorCount>>{{100, 16}, {100, 8}, {200, 8}, {300, 8}}));
}

// 6.1: with all driver tags in use one request is taken ahead; what arrives later with a better place does not pass it.
TEST(MultiQueue, OneRequestIsTakenAheadOfItsDriverTag) {
  const Ran ran = run(one_process("mq-deadline-6.1", {io(Op::read, 5000, 8), io(Op::read, 9000, 8),
                                                      timed(ProcessOp::Kind::at, 100us), io(Op::read, 6000, 8)}));
  EXPECT_EQ(ran.issued(), (Sectors{5000, 9000, 6000}));
}

// 6.1: a bio is offered to the newest plugged request only, so 0 and 16 do not take 8 once another request is in between.
TEST(MultiQueue, OnlyTheNewestPluggedRequestTakesABio) {
  const Ran ran = run(one_process("mq-deadline-6.1", plugged({io(Op::read, 0, 8), io(Op::read, 800, 8), io(Op::read, 808, 8)})));
  EXPECT_EQ(ran.of(EventKind::get_request).size(), 2U);
  EXPECT_EQ(ran.of(EventKind::back_merge).size(), 1U);
}

// nr_requests 4 in a map of four words: the fifth submission sleeps and goes on when a request is freed.
TEST(MultiQueue, ASubmitterSleepsForASchedulerTag) {
  ProcessOp reads = io(Op::read, 0, 8);
  reads.count = 6;
  reads.stride = 800;
  Scenario scenario = one_process("mq-deadline-6.1", {reads});
  scenario.block.nr_requests = 4;
  const Ran ran = run(scenario);
  const auto sleeps = ran.of(EventKind::sleep_request);
  ASSERT_EQ(sleeps.size(), 2U);
  EXPECT_EQ(sleeps[0].sector, 3200U);
  EXPECT_EQ(times(ran.of(EventKind::get_request))[4], 1ms);
  EXPECT_EQ(ran.result.end, 6ms);
}

// Single-queue: 4 requests for each sync class; the process that fills the pool may take a batch on top, up to half as many again.
TEST(SingleQueueOf419, ASubmitterSleepsWhenThePoolIsFull) {
  ProcessOp reads = io(Op::read, 0, 8);
  reads.count = 10;
  reads.stride = 800;
  Scenario scenario = one_process("noop-4.19", {reads});
  scenario.block.nr_requests = 4;
  const Ran ran = run(scenario);
  const auto sleeps = ran.of(EventKind::sleep_request);
  ASSERT_FALSE(sleeps.empty());
  EXPECT_EQ(sleeps[0].sector, 4800U);  // the seventh: 3 * 4 / 2 = 6 are out
  EXPECT_EQ(ran.of(EventKind::complete).size(), 10U);
  EXPECT_EQ(ran.result.stuck_process, "");
}

}  // namespace
}  // namespace elvcheck
