// SPDX-License-Identifier: GPL-2.0-or-later
// Layout, seek curve and rotation, against the facts of a drive, DiskSim's results for it, and plain geometry.
#include "model/device/rotational/mechanics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/core/random.hpp"
#include "model/device/rotational/config.hpp"

namespace elvcheck {
namespace {

Mechanics cheetah() {
  RotationalConfig config;
  config.drive = &cheetah_9lp;
  config.period_ns = 5'973'121;
  config.head_switch_ns = 30'000;
  config.write_settle_ns = 461'000;
  return config.mechanics();
}

// Places that DiskSim 4.0 gives for this drive, below its first reassigned sector; and the zones' first blocks.
TEST(Layout, PlacesOfTheCheetah9lp) {
  const Mechanics drive = cheetah();
  EXPECT_EQ(drive.layout().capacity(), 17'918'387U);
  struct Fact {
    Sector block;
    std::uint32_t cylinder, head, sectors_per_track;
    double turns;
  };
  constexpr Fact facts[] = {{0, 0, 0, 254, 0.0},
                            {1, 0, 0, 254, 0.00393701},
                            {2526, 0, 9, 254, 0.38188976},
                            {14'751, 4, 10, 254, 0.79133858},
                            {22'166, 7, 3, 254, 0.48425197},
                            {31'792, 10, 5, 254, 0.31889764},
                            {2'580'386, 848, 0, 245, 0.0},
                            {17'028'829, 6518, 0, 167, 0.0}};
  for (const Fact& fact : facts) {
    const Place place = drive.layout().place(fact.block);
    EXPECT_EQ(place.cylinder, fact.cylinder) << fact.block;
    EXPECT_EQ(place.head, fact.head) << fact.block;
    EXPECT_EQ(place.sectors_per_track, fact.sectors_per_track) << fact.block;
    EXPECT_NEAR(place.angle / 4294967296.0, fact.turns, 1e-6) << fact.block;
  }
}

RC_GTEST_PROP(Layout, BlocksOfATrackFollowEachOtherAndTracksAreSkewed, ()) {
  const auto heads = *rc::gen::inRange(1U, 9U);
  const bool serpentine = *rc::gen::arbitrary<bool>();
  std::vector<Zone> zones;
  std::uint32_t cylinder = 0;
  for (auto left = *rc::gen::inRange(1, 5); left > 0; --left) {
    const auto count = *rc::gen::inRange(1U, 20U);
    const auto sectors = *rc::gen::inRange(8U, 100U);
    const Sector spare = *rc::gen::inRange(0U, sectors);
    zones.push_back({cylinder, cylinder + count - 1, sectors, Sector{count} * heads * sectors - spare,
                     *rc::gen::arbitrary<Skew>(), *rc::gen::arbitrary<Skew>()});
    cylinder += count;
  }
  const Layout layout(heads, zones, serpentine);
  for (Sector block = 0; block + 1 < layout.capacity(); ++block) {
    const Place here = layout.place(block);
    const Place next = layout.place(block + 1);
    RC_ASSERT(here.head < heads);
    if (here.left_on_track > 1) {
      RC_ASSERT(next.cylinder == here.cylinder && next.head == here.head && next.left_on_track + 1 == here.left_on_track);
      const Angle step = next.angle - here.angle;
      RC_ASSERT(step - angle_of(1, here.sectors_per_track) <= 1U);
    } else {
      const bool same_cylinder = next.cylinder == here.cylinder;
      RC_ASSERT(next.cylinder - here.cylinder <= 1U);
      RC_ASSERT(!same_cylinder || next.head != here.head);
      const bool zone_begins =
          std::any_of(zones.begin(), zones.end(), [&](const Zone& zone) { return zone.first_cylinder == next.cylinder; });
      if (serpentine && !same_cylinder && !zone_begins) RC_ASSERT(next.head == here.head);
    }
  }
}

// The rule of the drive manuals, step by step: each defect at or below the number, as it has grown so far, adds one.
Sector walk(Sector number, const std::vector<std::uint32_t>& slips) {
  for (const std::uint32_t slip : slips) number += slip <= number ? 1 : 0;
  return number;
}

RC_GTEST_PROP(Layout, DefectsArePassedOver, ()) {
  const bool sectors = *rc::gen::arbitrary<bool>();
  constexpr std::uint32_t heads = 3;
  constexpr std::uint32_t per_track = 10;
  constexpr std::uint32_t tracks = 60;
  auto slips = *rc::gen::unique<std::vector<std::uint32_t>>(rc::gen::inRange(0U, sectors ? tracks * per_track : tracks));
  std::sort(slips.begin(), slips.end());
  if (slips.size() > 20) slips.resize(20);
  const auto unused = *rc::gen::inRange(0U, 3 * per_track);
  Zone zone{.last_cylinder = tracks / heads - 1, .sectors_per_track = per_track};
  zone.blocks = tracks * per_track - slips.size() * (sectors ? 1 : per_track) - unused;
  zone.unused_front = unused;
  zone.slips = slips;
  zone.sector_slips = sectors;
  const Layout layout(heads, {zone}, false);
  for (Sector block = 0; block < layout.capacity(); ++block) {
    Sector number = block + unused;
    number = sectors ? walk(number, slips) : walk(number / per_track, slips) * per_track + number % per_track;
    const Place place = layout.place(block);
    RC_ASSERT((Sector{place.cylinder} * heads + place.head) * per_track + place.sector == number);
    // Within left_on_track the blocks follow each other without a gap.
    if (place.left_on_track > 1) RC_ASSERT(layout.place(block + 1).sector == place.sector + 1);
  }
}

RC_GTEST_PROP(SeekCurve, RisesAndHasTheMeanThatWasAskedFor, ()) {
  const auto cylinders = *rc::gen::inRange(1000U, 200'000U);
  const auto single = *rc::gen::inRange<std::int64_t>(200'000, 1'500'000);
  const auto full = *rc::gen::inRange<std::int64_t>(single * 6, single * 20);
  const auto mean = single + (full - single) * *rc::gen::inRange<std::int64_t>(35, 55) / 100;
  const SeekCurve curve = SeekCurve::two_piece(cylinders, single, mean, full);
  RC_ASSERT(curve.ns(0) == 0);
  RC_ASSERT(curve.ns(1) == single);
  RC_ASSERT(std::abs(curve.ns(cylinders - 1) - full) <= 1);
  // The mean over all ordered pairs of cylinders, straight from its definition.
  long double sum = 0;
  for (std::uint32_t d = 1; d < cylinders; ++d) {
    RC_ASSERT(curve.ns(d) >= curve.ns(d - 1));
    sum += 2.0L * (cylinders - d) * curve.ns(d);
  }
  const long double true_mean = sum / cylinders / cylinders;
  RC_ASSERT(std::fabs(static_cast<double>(true_mean) / static_cast<double>(mean) - 1) < 0.005);
}

TEST(SeekCurve, OfTheCheetah9lpPassesThroughItsTable) {
  const Mechanics drive = cheetah();
  for (const auto& [distance, ns] : cheetah_9lp.seek) EXPECT_EQ(drive.curve().ns(distance), ns);
  EXPECT_EQ(drive.curve().ns(550), (3'230'000 + 3'399'000) / 2);  // half-way between the points at 500 and 600
  // The mean that its table's two-piece fit is known for is 5.47 ms.
  EXPECT_NEAR(static_cast<double>(drive.curve().mean_ns()), 5.47e6, 0.02 * 5.47e6);
}

// 10,000 random 8-sector reads one after the other, without cache and bus: DiskSim 4.0 with this drive's parameters gives a
// mean access (seek, rotation, transfer) of 8.69 ms with a standard deviation of 2.648 ms.
TEST(Mechanics, AccessTimeOfTheCheetah9lpAsInDiskSim) {
  const Mechanics drive = cheetah();
  SplitMix64 random(1);
  Arm arm;
  Nanoseconds now{0};
  constexpr int count = 10'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < count; ++i) {
    const Sector block = random.below(17'783'240 / 8) * 8;
    const Nanoseconds ready = now + 283'620ns;
    const Access access = drive.access(arm, block, drive.layout().place(block), 8, false, ready);
    const double ms = static_cast<double>((access.end - ready).count()) / 1e6;
    sum += ms;
    squares += ms * ms;
    arm = access.arm;
    now = access.end + 640us;  // the rest of its slow bus
  }
  const double mean = sum / count;
  EXPECT_NEAR(mean, 8.69, 0.01 * 8.69);
  EXPECT_NEAR(std::sqrt(squares / count - mean * mean), 2.648, 0.02 * 2.648);
}

TEST(Mechanics, RotationalWaitIsHalfATurnOnAverageAndNeverAWholeOne) {
  const Mechanics drive = RotationalConfig{}.mechanics();
  const std::int64_t turn = drive.times().period_ns;
  SplitMix64 random(3);
  double sum = 0;
  constexpr int count = 200'000;
  for (int i = 0; i < count; ++i) {
    const Sector block = random.below(drive.layout().capacity());
    const Nanoseconds ready(static_cast<std::int64_t>(random.below(1'000'000'000'000)));
    const Arm arm{static_cast<std::uint32_t>(random.below(drive.layout().cylinders())), 0, 0, Nanoseconds(-1)};
    const std::int64_t wait = drive.position(arm, block, drive.layout().place(block), false, ready).wait.count();
    ASSERT_GE(wait, 0);
    ASSERT_LT(wait, turn);
    sum += static_cast<double>(wait);
  }
  EXPECT_NEAR(sum / count, static_cast<double>(turn) / 2, 0.01 * static_cast<double>(turn) / 2);
}

// A block read at time t comes round again one turn later.
RC_GTEST_PROP(Mechanics, TheSameBlockComesRoundEveryTurn, ()) {
  static const Mechanics drive = cheetah();
  const auto block = *rc::gen::inRange<Sector>(0, drive.layout().capacity() - 1);
  const Nanoseconds ready(*rc::gen::inRange<std::int64_t>(0, 10'000'000'000));
  const Place place = drive.layout().place(block);
  const Access first = drive.access({}, block, place, 1, false, ready);
  const Access again = drive.access(first.arm, block, place, 1, false, first.end);
  RC_ASSERT(again.move.count() == 0);
  RC_ASSERT(std::abs((again.first - first.first).count() - drive.times().period_ns) <= 3);
}

}  // namespace
}  // namespace elvcheck
