// SPDX-License-Identifier: GPL-2.0-or-later
// kyber's arithmetic. Expected values by hand from the rules that block/kyber-iosched.c (6.1) states: buckets of a quarter
// of the target, percentiles by rank, depth in proportion to the 99th percentile.
#include "model/scheduler/kyber.hpp"

#include <gtest/gtest.h>

#include "model/scheduler/kyber_core.hpp"

namespace elvcheck {
namespace {

using Core = KyberCore<Concrete>;

TEST(KyberCoreTest, ABucketIsAQuarterOfTheTarget) {
  const std::int64_t target = 2'000'000;
  EXPECT_EQ(Core::bucket(target, 0), 0);
  EXPECT_EQ(Core::bucket(target, 500'000), 0);  // a quarter exactly is still in the first
  EXPECT_EQ(Core::bucket(target, 500'001), 1);
  EXPECT_EQ(Core::bucket(target, 2'000'000), 3);  // the last good one
  EXPECT_EQ(Core::bucket(target, 2'000'001), 4);
  EXPECT_EQ(Core::bucket(target, 3'500'000), 6);
  EXPECT_EQ(Core::bucket(target, 3'500'001), 7);
  EXPECT_EQ(Core::bucket(target, 60'000'000'000), 7);
}

// A target below 4 ns makes buckets of 1 ns; of 2^32 + 3 quarters the kernel keeps 3.
TEST(KyberCoreTest, AQuotientOfMoreThan32BitsIsCut) {
  EXPECT_EQ(Core::bucket(0, 1), 0);
  EXPECT_EQ(Core::bucket(3, 100), 7);
  EXPECT_EQ(Core::bucket(0, (std::int64_t{1} << 32) + 4), 3);
}

TEST(KyberCoreTest, APercentileIsARank) {
  EXPECT_EQ(Core::percentile({100, 0, 0, 0, 0, 0, 0, 0}, 99), 0);
  EXPECT_EQ(Core::percentile({90, 0, 0, 0, 0, 0, 0, 10}, 90), 0);  // the 90th of 100 is the last good one
  EXPECT_EQ(Core::percentile({89, 0, 0, 0, 0, 0, 0, 11}, 90), 7);
  EXPECT_EQ(Core::percentile({0, 0, 3, 0, 0, 1, 0, 0}, 50), 2);
  EXPECT_EQ(Core::percentile({1, 1, 0, 0, 0, 0, 0, 0}, 99), 1);  // ranks are rounded up
}

TEST(KyberCoreTest, OnlyCongestionThrottlesAGoodDomain) {
  EXPECT_FALSE(Core::throttle(2, -1, false).adjusts);
  EXPECT_EQ(Core::throttle(2, -1, false).remembered, 2);
  EXPECT_TRUE(Core::throttle(2, -1, true).adjusts);
  EXPECT_TRUE(Core::throttle(5, -1, false).adjusts);  // a bad one gets more at any time
  const auto later = Core::throttle(-1, 2, true);     // what was measured before counts once
  EXPECT_TRUE(later.adjusts);
  EXPECT_EQ(later.p99, 2);
  EXPECT_EQ(later.remembered, -1);
  EXPECT_FALSE(Core::throttle(-1, -1, true).adjusts);
  EXPECT_FALSE(Core::throttle(-1, 2, false).adjusts);
}

TEST(KyberCoreTest, TheDepthIsInProportion) {
  EXPECT_EQ(Core::scaled_depth(128, 0, 128), 32);
  EXPECT_EQ(Core::scaled_depth(32, 2, 128), 24);  // three quarters of the target
  EXPECT_EQ(Core::scaled_depth(24, 7, 128), 48);  // twice it
  EXPECT_EQ(Core::scaled_depth(100, 7, 128), 128);
  EXPECT_EQ(Core::scaled_depth(2, 0, 128), 1);
}

}  // namespace
}  // namespace elvcheck
