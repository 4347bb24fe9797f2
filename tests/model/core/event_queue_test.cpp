// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/core/event_queue.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <tuple>

namespace elvcheck {
namespace {

class Recorder : public Actor {
 public:
  explicit Recorder(EventQueue& events) : events_(events) {}
  void on_event(std::uint64_t what) override { seen.emplace_back(events_.now(), what); }
  std::vector<std::pair<Nanoseconds, std::uint64_t>> seen;

 private:
  EventQueue& events_;
};

// Expected order: a stable sort by time and rank, which is the rule that the header states.
RC_GTEST_PROP(EventQueueTest, RunsInOrderOfTimeRankAndScheduling, (const std::vector<std::pair<std::uint8_t, bool>>& plan)) {
  EventQueue events;
  Recorder recorder(events);
  std::vector<std::tuple<int, bool, std::uint64_t>> expected;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const int at = plan[i].first % 8;
    expected.emplace_back(at, plan[i].second, i);
    events.schedule(Nanoseconds(at), plan[i].second ? Rank::host : Rank::kernel, recorder, i);
  }
  std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  while (events.step()) {
  }
  RC_ASSERT(recorder.seen.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    RC_ASSERT(recorder.seen[i].first == Nanoseconds(std::get<0>(expected[i])));
    RC_ASSERT(recorder.seen[i].second == std::get<2>(expected[i]));
  }
}

TEST(EventQueueTest, StopsAtTheLimitAndKeepsTheRest) {
  EventQueue events;
  Recorder recorder(events);
  events.schedule(10ns, Rank::host, recorder, 1);
  events.schedule(30ns, Rank::host, recorder, 2);
  while (events.step(20ns)) {
  }
  EXPECT_EQ(recorder.seen.size(), 1U);
  EXPECT_EQ(events.now(), 20ns);
  EXPECT_FALSE(events.empty());
}

TEST(TimerTest, ALaterArmingReplacesAnEarlierOne) {
  EventQueue events;
  Recorder recorder(events);
  Timer timer(events, recorder, 7);
  timer.arm(10ns);
  timer.arm(25ns);
  while (events.step()) {
  }
  ASSERT_EQ(recorder.seen.size(), 1U);
  EXPECT_EQ(recorder.seen[0], (std::pair<Nanoseconds, std::uint64_t>(25ns, 7)));
}

TEST(TimerTest, CancelledAndQueuedTwice) {
  EventQueue events;
  Recorder recorder(events);
  Timer cancelled(events, recorder, 1);
  Timer work(events, recorder, 2);
  cancelled.arm(5ns);
  cancelled.cancel();
  work.arm_now();
  work.arm_now();
  while (events.step()) {
  }
  ASSERT_EQ(recorder.seen.size(), 1U);
  EXPECT_EQ(recorder.seen[0].second, 2U);
}

// By hand: the clock reads 100 s at virtual time 0.
TEST(KernelClockTest, Ticks) {
  const KernelClock hz1000(1000);
  EXPECT_EQ(hz1000.jiffies(0ns), 100'000U);
  EXPECT_EQ(hz1000.jiffies(999'999ns), 100'000U);
  EXPECT_EQ(hz1000.jiffies(1ms), 100'001U);
  EXPECT_EQ(hz1000.tick_start(100'003), 3ms);
  const KernelClock hz300(300);
  EXPECT_EQ(hz300.jiffies(0ns), 30'000U);
  EXPECT_EQ(hz300.tick_start(30'001), 3'333'334ns);  // the first nanosecond at which jiffies() is 30,001
  EXPECT_EQ(hz300.jiffies(3'333'333ns), 30'000U);
  EXPECT_EQ(hz300.jiffies(3'333'334ns), 30'001U);
}

// msecs_to_jiffies of kernel/time/time.c rounds up: 1 ms at HZ 100 is one tick, 125 ms at HZ 250 is 32.
TEST(KernelClockTest, MillisecondsToTicks) {
  EXPECT_EQ(KernelClock(100).msecs_to_jiffies(1), 1U);
  EXPECT_EQ(KernelClock(250).msecs_to_jiffies(125), 32U);
  EXPECT_EQ(KernelClock(1000).msecs_to_jiffies(500), 500U);
  EXPECT_EQ(KernelClock(250).msecs_to_jiffies(0), 0U);
}

}  // namespace
}  // namespace elvcheck
