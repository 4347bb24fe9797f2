// SPDX-License-Identifier: GPL-2.0-or-later
// The decision cores of CFQ against values computed by hand from block/cfq-iosched.c (2.6.34 to 4.19), HZ = 1000 unless
// said.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <vector>

#include "model/scheduler/cfq/average_core.hpp"
#include "model/scheduler/cfq/choose_core.hpp"
#include "model/scheduler/cfq/dispatch_core.hpp"
#include "model/scheduler/cfq/queue.hpp"
#include "model/scheduler/cfq/slice_core.hpp"

namespace elvcheck::cfq {
namespace {

using Numbers = std::vector<std::int64_t>;

// Choice of a request.

constexpr std::int64_t default_back = 2 * 16384;

std::int64_t winner(std::int64_t head, RequestView<Concrete> a, RequestView<Concrete> b) {
  return ChooseCore<Concrete>{default_back, 2}.first_wins(a, b, head) ? a.sector : b.sector;
}
std::int64_t winner(std::int64_t head, std::int64_t a, std::int64_t b) {
  return winner(head, {a, true, false}, {b, true, false});
}

TEST(CfqChoose, TheShorterWayWinsAndBackCountsTwice) {
  EXPECT_EQ(winner(1000, 1100, 960), 960);   // 100 against 2 x 40
  EXPECT_EQ(winner(1000, 1100, 950), 1100);  // 100 against 2 x 50: the higher one
  EXPECT_EQ(winner(1000, 950, 1100), 1100);
  EXPECT_EQ(winner(1000, 1100, 949), 1100);
}

TEST(CfqChoose, SyncBeforePlace) { EXPECT_EQ(winner(1000, {900000, true, false}, {1000, false, false}), 900000); }

TEST(CfqChoose, UrgentBeforePlaceAndAfterSync) {
  EXPECT_EQ(winner(1000, {900000, true, true}, {1000, true, false}), 900000);
  EXPECT_EQ(winner(1000, {900000, true, false}, {1000, false, true}), 900000);
}

TEST(CfqChoose, WrappedLosesAndOfTwoWrappedTheLowerWins) {
  const ChooseCore<Concrete> core{default_back, 2};
  EXPECT_TRUE(core.wrapped(0, 40000));  // 0 + 32768 < 40000
  EXPECT_FALSE(core.wrapped(7232, 40000));
  EXPECT_EQ(winner(40000, 0, 7232), 7232);
  EXPECT_EQ(winner(40000, 5000, 0), 0);
}

// The kernel's switch over which of the two are wrapped, written down a second time with branches.
std::int64_t winner_by_cases(std::int64_t head, std::int64_t a, std::int64_t b, std::int64_t back, std::int64_t penalty) {
  const auto way = [&](std::int64_t at) -> std::optional<std::int64_t> {
    if (at >= head) return at - head;
    if (at + back >= head) return (head - at) * penalty;
    return std::nullopt;
  };
  const auto way_a = way(a);
  const auto way_b = way(b);
  if (way_a && way_b) return *way_a < *way_b ? a : *way_b < *way_a ? b : std::max(a, b);
  if (way_a) return a;
  if (way_b) return b;
  return std::min(a, b);
}

RC_GTEST_PROP(CfqChoose, EqualsTheCasesInBothOrders, ()) {
  const auto head = *rc::gen::inRange<std::int64_t>(0, 300);
  const auto a = *rc::gen::inRange<std::int64_t>(0, 300);
  const auto b = *rc::gen::inRange<std::int64_t>(0, 300);
  const auto back = *rc::gen::inRange<std::int64_t>(0, 200);
  const auto penalty = *rc::gen::inRange<std::int64_t>(1, 5);
  const ChooseCore<Concrete> core{back, penalty};
  const std::int64_t expected = winner_by_cases(head, a, b, back, penalty);
  RC_ASSERT((core.first_wins({a, true, false}, {b, true, false}, head) ? a : b) == expected);
  RC_ASSERT((core.first_wins({b, true, false}, {a, true, false}, head) ? b : a) == expected);
}

// Slices and keys.

const SliceCore<Concrete> hz1000{100, 40, 2, 8, 300, 2};
const SliceCore<Concrete> hz100{10, 4, 2, 1, 30, 2};

Numbers for_levels(auto of) {
  Numbers values;
  for (std::int64_t level = 0; level < 8; ++level) values.push_back(of(level));
  return values;
}

TEST(CfqSlice, ByLevel) {
  EXPECT_EQ(for_levels([](auto p) { return hz1000.slice(true, p); }), (Numbers{180, 160, 140, 120, 100, 80, 60, 40}));
  EXPECT_EQ(for_levels([](auto p) { return hz1000.slice(false, p); }), (Numbers{72, 64, 56, 48, 40, 32, 24, 16}));
  EXPECT_EQ(for_levels([](auto p) { return hz100.slice(true, p); }), (Numbers{18, 16, 14, 12, 10, 8, 6, 4}));
  // 4 ticks / 5 is nothing: async slices do not know levels at HZ = 100.
  EXPECT_EQ(for_levels([](auto p) { return hz100.slice(false, p); }), (Numbers(8, 4)));
}

TEST(CfqSlice, MostAsyncRequests) {
  EXPECT_EQ(for_levels([](auto p) { return hz1000.most_async_requests(p); }), (Numbers{32, 28, 24, 20, 16, 12, 8, 4}));
}

TEST(CfqSlice, KeysByNumberOfQueues) {
  struct Case {
    bool sync;
    std::int64_t level;
    std::int64_t first, second, third;  // offset with none, one and two queues counted
  };
  constexpr std::int64_t now = 100'000;
  for (const Case& c : {Case{true, 4, -80, 0, 80},
                        {true, 0, 0, 0, 0},
                        {true, 7, -140, 0, 140},
                        {false, 4, -140, 0, 140},
                        {false, 0, -108, 0, 108},
                        {false, 7, -164, 0, 164}}) {
    EXPECT_EQ(hz1000.service_key(now, c.sync, c.level, 0, 0), now + c.first) << c.sync << ' ' << c.level;
    EXPECT_EQ(hz1000.service_key(now, c.sync, c.level, 1, 0), now + c.second) << c.sync << ' ' << c.level;
    EXPECT_EQ(hz1000.service_key(now, c.sync, c.level, 2, 0), now + c.third) << c.sync << ' ' << c.level;
  }
  EXPECT_EQ(hz1000.service_key(now, true, 4, 1, 30), now - 30);   // time left moves forward
  EXPECT_EQ(hz1000.service_key(now, true, 4, 1, -30), now + 30);  // an overrun is paid
}

TEST(CfqSlice, ScaledUnderLowLatency) {
  const auto scaled = [](bool sync, std::int64_t busy) {
    Numbers values;
    for (const std::int64_t level : {0, 4, 7}) values.push_back(hz1000.scaled_slice(sync, level, busy, 300));
    return values;
  };
  EXPECT_EQ(scaled(true, 3), (Numbers{180, 100, 40}));
  EXPECT_EQ(scaled(true, 4), (Numbers{135, 75, 30}));
  EXPECT_EQ(scaled(false, 4), (Numbers{54, 30, 12}));
  EXPECT_EQ(scaled(true, 6), (Numbers{90, 50, 20}));
  EXPECT_EQ(scaled(true, 10), (Numbers{54, 30, 12}));
  EXPECT_EQ(scaled(true, 20), (Numbers{28, 16, 6}));  // the floor: twice slice_idle, scaled
  EXPECT_EQ(scaled(true, 200), (Numbers{28, 16, 6}));
}

TEST(CfqSlice, WorkloadByNumberOfQueues) {
  EXPECT_EQ(hz1000.workload_slice(false, 300, 1, 1, 0, 1), 300);  // the only sync queue
  EXPECT_EQ(hz1000.workload_slice(false, 300, 2, 5, 1, 5), 120);  // two noidle of five
  EXPECT_EQ(hz1000.workload_slice(true, 300, 1, 5, 1, 5), 24);    // one async of five: 60, of which 40 to 100
  EXPECT_EQ(hz1000.workload_slice(true, 300, 1, 1, 1, 1), 120);   // async alone
}

TEST(CfqSlice, GroupShareOfTheLatency) {
  EXPECT_EQ(hz1000.group_slice(500, 1500), 100);
  EXPECT_EQ(hz1000.group_slice(2048, 4096), 150);
}

RC_GTEST_PROP(CfqSlice, ABetterLevelHasALongerSliceAndASmallerOffset, ()) {
  const SliceCore<Concrete> core{
      *rc::gen::inRange<std::int64_t>(1, 1000), *rc::gen::inRange<std::int64_t>(1, 1000), 2, 8, 300, 2};
  const bool sync = *rc::gen::arbitrary<bool>();
  const auto level = *rc::gen::inRange<std::int64_t>(0, 7);
  const auto others = *rc::gen::inRange<std::int64_t>(1, 50);
  RC_ASSERT(core.slice(sync, level) >= core.slice(sync, level + 1));
  RC_ASSERT(core.key_offset(sync, level, others) <= core.key_offset(sync, level + 1, others));
  RC_ASSERT(core.scaled_slice(sync, level, others, 300) <= core.slice(sync, level));
}

// Averages.

Numbers means(const Numbers& samples, std::int64_t cap) {
  ThinkTimeCore<Concrete> think;
  Numbers result;
  std::int64_t now = 1000;
  think.last_end = now;
  for (const std::int64_t sample : samples) {
    now += sample;
    think.update(now, cap);
    think.last_end = now;
    result.push_back(think.mean);
  }
  return result;
}

TEST(CfqThinkTime, TicksAreBiasedUpwardsAtFirst) {
  EXPECT_EQ(means(Numbers(8, 9), 8), (Numbers{13, 11, 10, 10, 10, 10, 9, 9}));
  EXPECT_EQ(means(Numbers(8, 8), 8), (Numbers{12, 10, 9, 9, 9, 9, 8, 8}));
  EXPECT_EQ(means(Numbers(7, 7), 8), (Numbers{11, 9, 8, 8, 8, 8, 7}));
}

TEST(CfqThinkTime, ForgetsSlowly) {
  EXPECT_EQ(means({16, 16, 16, 2, 2, 2, 2, 2, 2, 2, 2}, 8), (Numbers{20, 18, 17, 13, 10, 8, 7, 6, 5, 5, 4}));
}

// The weight settles at 249, the largest n with (7 n + 256) / 8 = n in whole numbers, and the sum at 256 samples of 8 ms
// less 7: the mean is (2'048'000'000 - 7 + 128) / 249. A process that thinks slice_idle exactly is taken to think longer.
TEST(CfqThinkTime, InNanosecondsTheTruncatedWeightRemains) {
  EXPECT_EQ(means(Numbers(200, 8'000'000), 8'000'000).back(), 8'224'900);
}

TEST(CfqThinkTime, ValidFromTheThirdSample) {
  ThinkTimeCore<Concrete> think;
  Numbers weights;
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(think.valid(), i >= 3);
    think.update(9, 8);
    weights.push_back(think.samples);
  }
  EXPECT_EQ(weights, (Numbers{32, 60, 84, 105, 123, 139}));
}

RC_GTEST_PROP(CfqThinkTime, KeepsItsInvariant, (const std::vector<std::uint16_t>& samples)) {
  constexpr std::int64_t cap = 1000;
  ThinkTimeCore<Concrete> think;
  std::int64_t now = 0;
  for (const std::uint16_t sample : samples) {
    now += sample;
    think.update(now, sample % (cap + 1));
    think.last_end = now;
    RC_ASSERT(think.invariant(cap));
    RC_ASSERT(think.mean >= 0);
  }
}

TEST(CfqBusyAverage, RisesAtOnceAndSticks) {
  BusyAverageCore<Concrete> average;
  Numbers values;
  for (const std::int64_t busy : {1, 4, 4, 4, 1, 1, 1}) values.push_back(average.update(busy));
  EXPECT_EQ(values, (Numbers{1, 3, 4, 4, 3, 3, 3}));
}

TEST(CfqBusyAverage, NeverComesBackToOne) {
  BusyAverageCore<Concrete> average{2};
  for (int i = 0; i < 100; ++i) average.update(1);
  EXPECT_EQ(average.average, 2);
}

RC_GTEST_PROP(CfqBusyAverage, StaysBelowTheMostBusy, (const std::vector<std::uint8_t>& samples)) {
  BusyAverageCore<Concrete> average;
  for (const std::uint8_t busy : samples) {
    average.update(busy);
    RC_ASSERT(average.invariant(255));
  }
}

TEST(CfqSeekHistory, SeekyFromTheFifthFarRequestOfThirtyTwo) {
  SeekHistory seeks;
  Sector at = 1'000'000;
  const auto go = [&](Sector distance) {
    at += distance;
    seeks.update(at, 8, true);
    seeks.last_end = at;
  };
  go(0);
  for (int i = 0; i < 4; ++i) go(801);
  EXPECT_FALSE(seeks.seeky());
  go(800);  // not far yet
  EXPECT_FALSE(seeks.seeky());
  go(801);
  EXPECT_TRUE(seeks.seeky());
  for (int i = 0; i < 26; ++i) go(1);
  EXPECT_TRUE(seeks.seeky());
  go(1);  // the oldest far one is forgotten
  EXPECT_FALSE(seeks.seeky());
}

TEST(CfqSeekHistory, OnFastDevicesTheSizeCounts) {
  SeekHistory seeks;
  for (int i = 0; i < 5; ++i) seeks.update(0, 64, false);
  EXPECT_FALSE(seeks.seeky());
  for (int i = 0; i < 5; ++i) seeks.update(0, 63, false);
  EXPECT_TRUE(seeks.seeky());
}

// How much may be inside.

const DispatchCore<Concrete> limits{8, 8, 100, true};

DispatchView<Concrete> sync_queue(std::int64_t inside) {
  DispatchView<Concrete> view{};
  view.sync = true;
  view.inside = inside;
  view.slice_left = 1000;
  return view;
}

TEST(CfqMayDispatch, HalfTheQuantumAlwaysTheWholeWhileTheSliceIsYoung) {
  EXPECT_TRUE(limits.may_dispatch(sync_queue(7)));
  EXPECT_FALSE(limits.may_dispatch(sync_queue(8)));
  auto late = sync_queue(4);
  late.slice_left = 31;  // four requests of 8 ms each will take it all
  EXPECT_FALSE(limits.may_dispatch(late));
  late.slice_left = 32;
  EXPECT_TRUE(limits.may_dispatch(late));
  late.slice_new = true;
  EXPECT_FALSE(limits.may_dispatch(late));
  late.inside = 3;
  EXPECT_TRUE(limits.may_dispatch(late));
}

TEST(CfqMayDispatch, AloneThereIsNoLimit) {
  auto view = sync_queue(1000);
  EXPECT_FALSE(limits.may_dispatch(view));
  view.sole_sync = true;
  EXPECT_TRUE(limits.may_dispatch(view));
  view.sole_sync = false;
  view.alone = true;
  EXPECT_TRUE(limits.may_dispatch(view));
}

TEST(CfqMayDispatch, SyncAndAsyncDoNotMix) {
  auto view = sync_queue(0);
  view.async_inside = 1;
  EXPECT_TRUE(limits.may_dispatch(view));
  view.idled_on = true;
  EXPECT_FALSE(limits.may_dispatch(view));
  auto async = sync_queue(0);
  async.sync = false;
  async.since_delayed = 1000;
  EXPECT_TRUE(limits.may_dispatch(async));
  async.sync_inside = 1;
  EXPECT_FALSE(limits.may_dispatch(async));
  async.must_dispatch = true;
  EXPECT_TRUE(limits.may_dispatch(async));
}

TEST(CfqMayDispatch, TheIdleClassHasOneInside) {
  auto view = sync_queue(0);
  view.idle_class = view.alone = true;
  EXPECT_TRUE(limits.may_dispatch(view));
  view.inside = 1;
  EXPECT_FALSE(limits.may_dispatch(view));
}

TEST(CfqMayDispatch, AsyncRamp) {
  EXPECT_EQ(limits.async_depth(250, 0), 2);
  EXPECT_EQ(limits.async_depth(99, 0), 1);
  EXPECT_EQ(limits.async_depth(99, 1), 0);
  EXPECT_EQ(limits.async_depth(1000, 5), 10);  // as at the start of the world
  auto view = sync_queue(1);
  view.sync = false;
  view.since_delayed = 250;
  EXPECT_TRUE(limits.may_dispatch(view));
  view.inside = 2;
  EXPECT_FALSE(limits.may_dispatch(view));
}

}  // namespace
}  // namespace elvcheck::cfq
