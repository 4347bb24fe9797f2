// SPDX-License-Identifier: GPL-2.0-or-later
// BFQ's decision cores. Expected values: computed by hand from the kernel's formulas (block/bfq-iosched.c and
// bfq-wf2q.c, 6.1); the invariants hold for whatever values RapidCheck draws.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/scheduler/bfq/budget_core.hpp"
#include "model/scheduler/bfq/peak_rate.hpp"
#include "model/scheduler/bfq/think_time_core.hpp"
#include "model/scheduler/bfq/weight_core.hpp"
#include "model/scheduler/bfq/wf2q_core.hpp"

namespace elvcheck::bfq {
namespace {

using Stamp = Wf2qCore<FixedPoint>;
using Budget = BudgetCore<Concrete>;
using Rate = PeakRateCore<Concrete>;
using Weight = WeightCore<Concrete>;

TEST(Wf2qCore, DeltaIsInUnitsOf2To22PerWeight) {
  EXPECT_EQ(FixedPoint::delta(1024, 1200), 3579139);    // 1024 * 4194304 / 1200
  EXPECT_EQ(FixedPoint::delta(10922, 40), 1145254707);  // 10922 * 4194304 / 40
  EXPECT_EQ(FixedPoint::delta(8, 40), 838860);
  EXPECT_EQ(Stamp::advance(0, 8, 2400), 13981);  // two raised queues share
  EXPECT_EQ(Stamp::advance(0, 8, 80), 419430);   // two plain ones
}

TEST(Wf2qCore, AForgottenEntityStartsAtVirtualTime) {
  EXPECT_EQ(Stamp::activation_start(1000, 500, false, false), 1000);
  EXPECT_EQ(Stamp::activation_start(1000, 1500, false, false), 1000);
}

TEST(Wf2qCore, ARememberedEntityDoesNotStartBeforeItsFinish) {
  EXPECT_EQ(Stamp::activation_start(1000, 1500, true, false), 1500);
  EXPECT_EQ(Stamp::activation_start(1000, 500, true, false), 1000);
}

TEST(Wf2qCore, BackshiftOnlyWhenVirtualTimeHasPassedTheFinish) {
  EXPECT_TRUE(Stamp::backshifts(true, 1000, 500));
  EXPECT_FALSE(Stamp::backshifts(true, 1000, 1000));
  EXPECT_FALSE(Stamp::backshifts(false, 1000, 500));
  EXPECT_EQ(Stamp::activation_start(1000, 500, true, true), 500);
}

TEST(Wf2qCore, APlainBackshiftedQueueFinishesAtVirtualTime) {
  // Budget 8 at weight 40: 838860. Start 0, so the finish lies 161140 behind 1000000 and is pushed onto it.
  const auto stamps = Stamp::enqueue(0, 8, 40, 1'000'000, true, 1);
  EXPECT_EQ(stamps.finish, 1'000'000);
  EXPECT_EQ(stamps.start, 161'140);
}

TEST(Wf2qCore, ARaisedBackshiftedQueueIsPushedByAThirtiethOnly) {
  const auto stamps = Stamp::enqueue(0, 8, 40, 1'000'000, true, 30);
  EXPECT_EQ(stamps.start, 161'140 / 30);
  EXPECT_EQ(stamps.finish, 838'860 + 161'140 / 30);
}

TEST(Wf2qCore, JumpOnlyForward) {
  EXPECT_EQ(Stamp::jump(100, 150), 150);
  EXPECT_EQ(Stamp::jump(100, 50), 100);
}

RC_GTEST_PROP(Wf2qCore, EnqueueKeepsStartBeforeFinish, ()) {
  const auto start = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 50);
  const auto vtime = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 50);
  const auto stamps = Stamp::enqueue(start, *rc::gen::inRange(0, 1 << 20), *rc::gen::inRange(1, 120'000), vtime,
                                     *rc::gen::arbitrary<bool>(), *rc::gen::element(1, 30, 3000));
  RC_ASSERT(Stamp::stamps_ordered(stamps));
  RC_ASSERT(stamps.start >= start);
}

TEST(WrappingOrder, HoldsAcrossTheWrap) {
  const auto top = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(Concrete::after(std::numeric_limits<std::int64_t>::min(), top));  // one step on
  EXPECT_FALSE(Concrete::after(top, std::numeric_limits<std::int64_t>::min()));
  EXPECT_FALSE(Concrete::after(5, 5));
}

TEST(BudgetCore, TheEleventhSlotTrustsTheDevice) {
  // x := (7x + 256) / 8 from 0: 32 60 84 105 123 139 153 165 176 186 194
  std::int64_t assigned = 0;
  for (const std::int64_t expected : {32, 60, 84, 105, 123, 139, 153, 165, 176, 186}) {
    assigned = Budget::assigned_next(assigned);
    EXPECT_EQ(assigned, expected);
    EXPECT_FALSE(Budget::trusted(assigned));
  }
  assigned = Budget::assigned_next(assigned);
  EXPECT_EQ(assigned, 194);
  EXPECT_TRUE(Budget::trusted(assigned));
  EXPECT_EQ(Budget::max_in_use(193, 512), 16384);
  EXPECT_EQ(Budget::max_in_use(194, 512), 512);
  EXPECT_EQ(Budget::min_in_use(0, 512), 512);  // 16384 / 32
  EXPECT_EQ(Budget::initial(16384), 10922);
}

TEST(BudgetCore, TooIdleShrinksStepByStep) {
  std::int64_t budget = 10922;
  for (const std::int64_t expected : {8874, 6826, 4778, 2730, 682, 512, 512}) {
    budget = Budget::feedback(Expiration::too_idle, budget, 0, false, 512, 16384);
    EXPECT_EQ(budget, expected);
  }
}

TEST(BudgetCore, ExhaustionQuadruples) {
  std::int64_t budget = 512;
  for (const std::int64_t expected : {2048, 8192, 16384, 16384}) {
    budget = Budget::feedback(Expiration::budget_exhausted, budget, 0, false, 512, 16384);
    EXPECT_EQ(budget, expected);
  }
}

TEST(BudgetCore, OtherReasons) {
  EXPECT_EQ(Budget::feedback(Expiration::too_idle, 1000, 0, true, 512, 16384), 2000);  // requests at the device
  EXPECT_EQ(Budget::feedback(Expiration::budget_timeout, 9000, 0, false, 512, 16384), 16384);
  EXPECT_EQ(Budget::feedback(Expiration::no_more_requests, 9000, 700, false, 512, 16384), 700);
  EXPECT_EQ(Budget::feedback(Expiration::no_more_requests, 9000, 100, false, 512, 16384), 512);
}

TEST(BudgetCore, AutotunedMaximumAndTimeCharge) {
  EXPECT_EQ(Budget::autotuned(9333, 124), 17658);   // rotational, HZ=250
  EXPECT_EQ(Budget::autotuned(22000, 124), 41625);  // flash
  EXPECT_EQ(Budget::time_charge(16384, 30, 124), 3963);
  EXPECT_EQ(Budget::time_charge(16384, 500, 124), 16384);
}

RC_GTEST_PROP(BudgetCore, FeedbackStaysWithinItsBounds, ()) {
  const auto least = *rc::gen::inRange<std::int64_t>(1, 2000);
  const auto limit = least + *rc::gen::inRange<std::int64_t>(0, 100'000);
  const auto budget = *rc::gen::inRange(least, limit + 1);
  const auto service = *rc::gen::inRange<std::int64_t>(0, limit + 1);
  const auto reason = static_cast<Expiration>(*rc::gen::inRange(0, 5));
  RC_ASSERT(
      Budget::within(Budget::feedback(reason, budget, service, *rc::gen::arbitrary<bool>(), least, limit), least, limit));
}

TEST(PeakRateCore, FilterByHand) {
  // 60000 sectors in 1 s: 60000 * 65536 / 1000000 = 3932. All sequential of 100: 9 * 100 / 100 = 9, capped to 8, divisor 2.
  EXPECT_EQ(Rate::rate(60'000, 1'000'000'000), 3932);
  EXPECT_EQ(Rate::filtered(3932, 9333, 100, 100, 1'000'000'000), 9333 / 2 + 3932 / 2);
  // Half an interval, 75 of 100 sequential: 9 * 75 / 100 = 6, times one half = 3, divisor 7.
  EXPECT_EQ(Rate::filtered(10'000, 9333, 100, 75, 500'000'000), 9333 * 6 / 7 + 10'000 / 7);
}

TEST(PeakRateCore, WhatIsLetThrough) {
  EXPECT_FALSE(Rate::usable(31, 1'000'000'000));
  EXPECT_FALSE(Rate::usable(32, 299'999'999));
  EXPECT_TRUE(Rate::usable(32, 300'000'000));
  EXPECT_FALSE(Rate::credible(9000, 9333, 100, 74));  // too random and no faster
  EXPECT_TRUE(Rate::credible(9400, 9333, 100, 74));   // faster counts anyway
  EXPECT_TRUE(Rate::credible(9000, 9333, 100, 75));
  EXPECT_FALSE(Rate::credible((20 << 16) + 1, 9333, 100, 100));
}

RC_GTEST_PROP(PeakRateCore, TheEstimateStaysBetweenOneAndTheLarger, ()) {
  const auto rate = *rc::gen::inRange<std::int64_t>(0, 20 << 16);
  const auto peak = *rc::gen::inRange<std::int64_t>(1, 20 << 16);
  const auto samples = *rc::gen::inRange<std::int64_t>(32, 10'000);
  const auto sequential = *rc::gen::inRange<std::int64_t>(0, samples);
  const auto result =
      Rate::filtered(rate, peak, samples, sequential, *rc::gen::inRange<std::int64_t>(300'000'000, 2'000'000'000));
  RC_ASSERT(result >= 1);
  RC_ASSERT(result <= std::max(rate, peak));
}

TEST(PeakRate, ASecondOfSequentialDispatchesMovesTheEstimate) {
  PeakRate rate(9333);
  bool changed = false;
  std::int64_t now = 100'000'000'000;
  rate.completed(now);
  // 10 ms apart, 64 sectors each: the 101st closes the interval with 101 * 64 sectors in 1 s, 423 in the rate's unit.
  for (int i = 0; i <= 100; ++i, now += 10'000'000) changed = rate.dispatched(now, 64, false, 1);
  EXPECT_TRUE(changed);
  EXPECT_EQ(rate.value(), 9333 / 2 + 423 / 2);
}

TEST(PeakRate, APauseWithAnEmptyDeviceEndsTheInterval) {
  PeakRate rate(9333);
  std::int64_t now = 100'000'000'000;
  for (int i = 0; i < 20; ++i, now += 10'000'000) rate.dispatched(now, 64, false, 1);
  EXPECT_FALSE(rate.dispatched(now + 200'000'000, 64, false, 0));  // 20 samples say nothing
  EXPECT_EQ(rate.value(), 9333);
}

TEST(ThinkTime, MeanByHandAndValidityFromTheThirdSample) {
  // Pauses of 1 ms. samples: 256 / 8, then (7 * 32 + 256) / 8, then (7 * 60 + 256) / 8 cut from 84.5;
  // total: 32, 60 and 84.5 ms; mean: (total + 128) / samples.
  struct Step {
    std::int64_t samples, total, mean;
  };
  ThinkTime<Concrete> think;
  for (const Step& step :
       {Step{32, 32'000'000, 1'000'004}, Step{60, 60'000'000, 1'000'002}, Step{84, 84'500'000, 1'005'953}}) {
    think.last_end_request = 0;
    think.arrival(1'000'000, 16'000'000);
    EXPECT_EQ(think.samples, step.samples);
    EXPECT_EQ(think.total, step.total);
    EXPECT_EQ(think.mean, step.mean);
    EXPECT_EQ(think.valid(), step.samples > 80);
  }
  EXPECT_FALSE(think.long_for(2 * 1'005'953));
  EXPECT_TRUE(think.long_for(2 * 1'005'952));
}

TEST(ThinkTime, ANewQueuesFirstPauseIsTheLongest) {
  ThinkTime<Concrete> think;
  think.last_end_request = 1001;  // one nanosecond ahead
  think.arrival(1000, 16'000'000);
  EXPECT_EQ(think.total, 32 * 16'000'000);
}

RC_GTEST_PROP(ThinkTime, StaysWithinItsBounds, (std::vector<std::uint32_t> pauses)) {
  ThinkTime<Concrete> think;
  for (const std::uint32_t pause : pauses) {
    think.last_end_request = 0;
    think.arrival(pause, 16'000'000);
    RC_ASSERT(think.invariant(16'000'000));
  }
}

TEST(WeightCore, LevelsAndRaising) {
  EXPECT_EQ(Weight::of_ioprio(0), 80);
  EXPECT_EQ(Weight::of_ioprio(4), default_weight);
  EXPECT_EQ(Weight::of_ioprio(7), 10);
  EXPECT_EQ(Weight::to_ioprio(40), 4);
  EXPECT_EQ(Weight::to_ioprio(1000), 0);
  EXPECT_EQ(Weight::raised(40, interactive_coeff), 1200);
  EXPECT_EQ(Weight::raised(40, softrt_coeff), 120'000);
  EXPECT_EQ(Weight::clamped(0), 1);
  EXPECT_EQ(Weight::clamped(2000), 1000);
}

TEST(WeightCore, DurationsAtHz250) {
  // 14000 * 1750 / 9333 = 2625 jiffies (10.5 s); 33000 * 625 / 22000 = 937; bounds 3 s and 25 s.
  EXPECT_EQ(Weight::duration(14'000 * 1750, 9333, 750, 6250), 2625);
  EXPECT_EQ(Weight::duration(33'000 * 625, 22'000, 750, 6250), 937);
  EXPECT_EQ(Weight::duration(14'000 * 1750, 100'000, 750, 6250), 750);
  EXPECT_EQ(Weight::duration(14'000 * 1750, 100, 750, 6250), 6250);
}

TEST(WeightCore, SoftRealTimeNextStart) {
  EXPECT_EQ(Weight::softrt_next_start(0, 1000, 14'000, 1100, 250, 2), 1500);  // 14000 sectors may take 2 s
  EXPECT_EQ(Weight::softrt_next_start(0, 1000, 8, 1100, 250, 2), 1106);       // at least slice_idle and four ticks
  EXPECT_EQ(Weight::softrt_next_start(9000, 1000, 8, 1100, 250, 2), 9000);    // never earlier than before
}

TEST(WeightCore, TimeoutCoefficient) {
  EXPECT_EQ(Weight::timeout_coeff(false, 1200, 40), 30);
  EXPECT_EQ(Weight::timeout_coeff(true, 120'000, 40), 1);
  EXPECT_EQ(Weight::timeout_coeff(false, 40, 40), 1);
}

}  // namespace
}  // namespace elvcheck::bfq
