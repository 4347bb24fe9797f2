// SPDX-License-Identifier: GPL-2.0-or-later
// deadline and mq-deadline on scenarios small enough to be worked out by hand from block/deadline-iosched.c (4.19) and
// block/mq-deadline.c (6.1). Order-exactness on random streams is tests/reference/stream.
#include <gtest/gtest.h>

#include "tests/model/run_helper.hpp"

namespace elvcheck {
namespace {

using namespace testing_support;
using Sectors = std::vector<Sector>;

ProcessOp read(Sector sector) { return io(Op::read, sector, 8); }
ProcessOp write(Sector sector) { return io(Op::write, sector, 8); }

class BothDeadlines : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, BothDeadlines, testing::Values("deadline-2.6.35", "deadline-4.19", "mq-deadline-6.1"));

/// A first read keeps the device busy, so that everything after it is queued when the first choice is made. With blk-mq the
/// next request is taken ahead of its driver tag; a second read takes that place.
std::vector<ProcessOp> behind_busy_device(std::vector<ProcessOp> ops) {
  std::vector<ProcessOp> all{read(1'500'000), read(1'800'000), timed(ProcessOp::Kind::at, 100us)};
  for (const ProcessOp& op : plugged(std::move(ops))) all.push_back(op);
  return all;
}

Sectors after_first_two(const Ran& ran) {
  Sectors issued = ran.issued();
  issued.erase(issued.begin(), issued.begin() + 2);
  return issued;
}

// Batches of two, one read batch may pass waiting writes. Single-queue: the second of the two first reads is still queued; its
// batch (nothing follows it by sector) is the one that may pass, so writes come next. blk-mq took it ahead before there were writes,
// so a whole read batch goes first.
TEST_P(BothDeadlines, BatchesAlternate) {
  Scenario scenario = one_process(GetParam(), behind_busy_device({read(100), read(200), read(300), read(400), write(1000),
                                                                  write(1100), write(1200)}));
  scenario.tunables = {{"fifo_batch", 2}, {"writes_starved", 1}};
  const Sectors expected = std::string(GetParam()) == "mq-deadline-6.1" ? Sectors{100, 200, 1000, 1100, 300, 400, 1200}
                                                                        : Sectors{1000, 1100, 100, 200, 1200, 300, 400};
  EXPECT_EQ(after_first_two(run(scenario)), expected);
}

// fifo_batch 1: every request is chosen anew; a start without an expired head goes on at the next sector if there is one.
TEST_P(BothDeadlines, FifoBatchOneWithoutExpiryFollowsTheSectors) {
  Scenario scenario = one_process(GetParam(), behind_busy_device({read(400), read(300), read(200), read(100)}));
  scenario.tunables = {{"fifo_batch", 1}};
  // The plug of 4.19 sorts by sector, so its fifo is 100..400. The others keep the order of submission: head 400 first; nothing
  // follows 400, so the head 300 again, then its successor by sector is none, and so on.
  const Sectors expected = std::string(GetParam()) == "deadline-4.19" ? Sectors{100, 200, 300, 400} : Sectors{400, 300, 200, 100};
  EXPECT_EQ(after_first_two(run(scenario)), expected);
}

// read_expire 0: every head is expired at once, so each batch of one starts at the head of the fifo: order of arrival.
TEST_P(BothDeadlines, ExpiredHeadsGoInOrderOfArrival) {
  Scenario scenario = one_process(GetParam(), behind_busy_device({read(300), read(100), read(400), read(200)}));
  scenario.tunables = {{"fifo_batch", 1}, {"read_expire", 0}};
  const Sectors expected = std::string(GetParam()) == "deadline-4.19" ? Sectors{100, 200, 300, 400} : Sectors{300, 100, 400, 200};
  EXPECT_EQ(after_first_two(run(scenario)), expected);
}

TEST_P(BothDeadlines, FrontMergesCanBeSwitchedOff) {
  // The first request queued at 100 us keeps the one-hit cache, which would merge without asking the scheduler.
  for (const std::int64_t front_merges : {1, 0}) {
    Scenario scenario = one_process(GetParam(), {read(1'500'000), read(1'800'000), timed(ProcessOp::Kind::at, 100us), read(1'900'000),
                                                 read(1008), read(2000), read(1000)});
    scenario.tunables = {{"front_merges", front_merges}};
    EXPECT_EQ(run(scenario).of(EventKind::front_merge).size(), static_cast<std::size_t>(front_merges)) << front_merges;
  }
}

class MqDeadlinePriorities : public testing::Test {
 protected:
  /// One request of each class in plugs at 100 us, idle first; two earlier real-time reads keep the device and its next place.
  static Scenario three_classes() {
    Scenario scenario = one_process("mq-deadline-6.1", {read(1'500'000), read(1'800'000)});
    scenario.processes[0].ioprio = {IoClass::rt, 0};
    const IoPrio classes[] = {{IoClass::idle, 7}, {IoClass::be, 4}, {IoClass::rt, 0}};
    for (int i = 0; i < 3; ++i) {
      ProcessSpec spec{"c" + std::to_string(i), classes[i], {timed(ProcessOp::Kind::at, 100us)}};
      spec.ops.push_back(read(static_cast<Sector>(1000 * (i + 1))));
      scenario.processes.push_back(spec);
    }
    return scenario;
  }
};

TEST_F(MqDeadlinePriorities, HigherClassesGoFirst) {
  EXPECT_EQ(after_first_two(run(three_classes())), (Sectors{3000, 2000, 1000}));
}

// With prio_aging_expire 0 every request is old enough: best-effort is asked first, then idle, and only then real-time.
TEST_F(MqDeadlinePriorities, AgedRequestsGoBeforeHigherClasses) {
  Scenario scenario = three_classes();
  scenario.tunables = {{"prio_aging_expire", 0}};
  EXPECT_EQ(after_first_two(run(scenario)), (Sectors{2000, 1000, 3000}));
}

// async_depth 1 of 64 tags in words of 16: one write in each of four words (lib/sbitmap.c), so the fifth write sleeps.
TEST(MqDeadline, AsyncDepthIsRoundedUpToOneTagInEachWord) {
  ProcessOp writes = write(0);
  writes.count = 10;
  writes.stride = 1000;
  Scenario scenario = one_process("mq-deadline-6.1", {writes});
  scenario.block.nr_requests = 64;
  scenario.tunables = {{"async_depth", 1}};
  const Ran ran = run(scenario);
  const auto sleeps = ran.of(EventKind::sleep_request);
  ASSERT_FALSE(sleeps.empty());
  EXPECT_EQ(sleeps.front().sector, 4000U);
  EXPECT_EQ(sleeps.front().at, 0ns);
  EXPECT_EQ(ran.of(EventKind::complete).size(), 10U);
}

}  // namespace
}  // namespace elvcheck
