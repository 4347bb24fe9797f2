// SPDX-License-Identifier: GPL-2.0-or-later
// The rotating disk as a whole. Expected rates: for a preset, those that its published data lead to (a 40-line model of the
// same mechanics, run apart from this one); for the Cheetah 9LP, DiskSim 4.0 with that drive's validated parameters.
#include "model/device/rotational/rotational.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/model/device/driver.hpp"

namespace elvcheck::test {
namespace {

struct Rates {
  const char* preset;
  double depth_1, depth_32;       // random 4 KiB reads a second over the whole disk
  double outer_mb_s, inner_mb_s;  // sequential 128 KiB reads
  double outer_turn_share;        // sectors per track x 512 / (turn + skew), MB/s: plain geometry
};

class Rotational : public testing::TestWithParam<Rates> {};

INSTANTIATE_TEST_SUITE_P(Presets, Rotational,
                         testing::Values(Rates{"sata-7200-2007", 79, 183, 69.6, 34.8, 1300 * 512 / 9543.333},
                                         Rates{"sata-7200-2014", 81, 198, 196, 98, 3600 * 512 / 9323.333},
                                         Rates{"ent-15k-2008", 179, 436, 127, 81, 1100 * 512 / 4440.0}),
                         [](const auto& instance) {
                           std::string name = instance.param.preset;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

double sequential_rate(const char* preset, Op op, bool inner, std::vector<NamedValue> parameters = {}) {
  const auto disk = device(preset, std::move(parameters));
  constexpr std::size_t count = 2000;
  const Sector first = inner ? disk->info().capacity - count * 256 : 0;
  ClosedLoop loop(*disk, 1);
  loop.run(sequential(op, first, 256, count));
  return loop.megabytes_per_second();
}

TEST_P(Rotational, RandomReadRates) {
  const Rates& rates = GetParam();
  EXPECT_NEAR(random_read_iops(rates.preset, 1, 20'000), rates.depth_1, 0.05 * rates.depth_1);
  EXPECT_NEAR(random_read_iops(rates.preset, 32, 20'000), rates.depth_32, 0.05 * rates.depth_32);
}

TEST_P(Rotational, SequentialReadRates) {
  const Rates& rates = GetParam();
  const double outer = sequential_rate(rates.preset, Op::read, false);
  EXPECT_NEAR(outer, rates.outer_mb_s, 0.05 * rates.outer_mb_s);
  EXPECT_NEAR(outer, rates.outer_turn_share, 0.01 * rates.outer_turn_share);
  EXPECT_NEAR(sequential_rate(rates.preset, Op::read, true), rates.inner_mb_s, 0.05 * rates.inner_mb_s);
}

TEST_P(Rotational, ThroughputDoesNotFallWithDepth) {
  double before = 0;
  for (const unsigned depth : {1U, 2U, 4U, 8U, 16U, 32U}) {
    const double now = random_read_iops(GetParam().preset, depth, 5000);
    EXPECT_GE(now, before) << depth;
    before = now;
  }
}

TEST_P(Rotational, AtDepthOneTheOrderOfTheQueueMakesNoDifference) {
  EXPECT_EQ(random_read_iops(GetParam().preset, 1, 2000, {{"order", 0}}),
            random_read_iops(GetParam().preset, 1, 2000, {{"order", 1}}));
}

TEST(RotationalDevice, MoreSkewCostsWhatGeometrySays) {
  // 10 % more skew: 1300 x 512 bytes in 8.333333 + 1.331 ms.
  EXPECT_NEAR(sequential_rate("sata-7200-2007", Op::read, false, {{"skew_ns", 1'331'000}}), 68.87, 0.01 * 68.87);
  // Less than the head switch takes: every track costs a turn more. 8.333333 x 2 + 1.0 ms.
  EXPECT_NEAR(sequential_rate("sata-7200-2007", Op::read, false, {{"skew_ns", 1'000'000}}), 37.68, 0.01 * 37.68);
}

const std::vector<NamedValue> no_cache = {{"segments", 0}, {"write_cache_sectors", 0}};

TEST(RotationalDevice, Cheetah9lpAsInDiskSim) {
  // Random 4 KiB reads without cache. Depth 1: 103.95 a second. Depth 32, the angle taken at the decision: 208.0 a second.
  EXPECT_NEAR(random_read_iops("cheetah-9lp", 1, 10'000, no_cache), 103.95, 0.01 * 103.95);
  std::vector<NamedValue> spread = no_cache;
  EXPECT_NEAR(random_read_iops("cheetah-9lp", 32, 5031, spread), 208.0, 0.02 * 208.0);
}

// DiskSim: a full hit of 8 KiB takes 0.066 ms and 16 times 0.105 ms on the bus.
TEST(RotationalDevice, Cheetah9lpHitTime) {
  const auto disk = device("cheetah-9lp");
  ClosedLoop loop(*disk, 1);
  loop.run(sequential(Op::read, 0, 16, 1));
  loop.rest(200ms);  // the head reads on
  loop.run(sequential(Op::read, 16, 16, 1));
  EXPECT_EQ(loop.served()[1].response(), 1'746'000ns);
}

// DiskSim, full hits: the HP C3323A takes 0.348 + 16 x 0.1455 + 0.241 ms for 8 KiB, the HP C2247A 1.3755 ms for 1 KiB.
TEST(RotationalDevice, HitTimesOfTheHpDrives) {
  const auto hit = [](const char* preset, SectorCount sectors) {
    const auto disk = device(preset);
    ClosedLoop loop(*disk, 1);
    loop.run(sequential(Op::read, 0, sectors, 1));
    loop.rest(200ms);  // the head reads on
    loop.run(sequential(Op::read, sectors, sectors, 1));
    return loop.served()[1].response();
  };
  EXPECT_EQ(hit("hp-c3323a", 16), 2'917'000ns);
  EXPECT_NEAR(static_cast<double>(hit("hp-c2247a", 2).count()), 1'375'500, 100);
}

// The Atlas keeps what passes before a read's first block: the block just before it is a hit afterwards, unless the head
// landed on the block itself. 0.184 ms and four blocks of 0.099 ms.
TEST(RotationalDevice, TheAtlasKeepsBlocksThatPass) {
  const auto disk = device("atlas-10k");
  ClosedLoop loop(*disk, 1);
  loop.run(sequential(Op::read, 200, 4, 1));
  loop.run(sequential(Op::read, 196, 4, 1));
  EXPECT_EQ(loop.served()[1].response(), 580'000ns);
  const auto without = device("atlas-10k", {{"keep_passing", 0}});
  ClosedLoop slow(*without, 1);
  slow.run(sequential(Op::read, 200, 4, 1));
  slow.run(sequential(Op::read, 196, 4, 1));
  EXPECT_GT(slow.served()[1].response(), 4ms) << "nearly a turn";
}

TEST(RotationalDevice, ClookServesUpwardsAndBeginsAgainBelow) {
  std::vector<NamedValue> parameters = no_cache;
  parameters.insert(parameters.end(), {{"order", 2}, {"age_permille", 0}});
  const auto disk = device("sata-7200-2007", parameters);
  ClosedLoop loop(*disk, 5);
  loop.run([places = std::vector<Sector>{5000, 9000, 1000, 7000, 3000},
            n = std::size_t{0}]() mutable -> std::optional<DeviceCommand> {
    if (n == places.size()) return std::nullopt;
    return DeviceCommand{.op = Op::read, .sector = places[n++] * 1000, .sectors = 8};
  });
  EXPECT_EQ(loop.completions(), (std::vector<std::size_t>{0, 3, 1, 2, 4}));
}

// The estimate by which the queue chooses is the service that follows: of the commands that wait, the one that is served
// next never takes longer to its first block than another would have taken from the same moment.
TEST(RotationalDevice, TheQueueServesTheNearestCommand) {
  std::vector<NamedValue> parameters = no_cache;
  parameters.insert(parameters.end(), {{"queue_depth", 32}, {"age_permille", 0}, {"read_overhead_ns", 250'000}});
  const auto disk = device("sata-7200-2007", parameters);
  const Mechanics& mechanics = dynamic_cast<const RotationalDevice&>(*disk).mechanics();
  ClosedLoop loop(*disk, 32);
  loop.run(random_places(Op::read, *disk, 8, 32));
  const auto& served = loop.served();
  const auto& order = loop.completions();
  ASSERT_EQ(order[0], 0U);  // the arm was free when it came
  const auto access = [&](const Arm& arm, std::size_t which, Nanoseconds now) {
    const Sector block = served[which].command.sector;
    return mechanics.access(arm, block, mechanics.layout().place(block), 8, false, now + 250us);
  };
  Access last = access({}, 0, 0ns);
  const Nanoseconds bus(8 * 2048);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Access chosen = access(last.arm, order[i], last.end);
    for (std::size_t j = i + 1; j < order.size(); ++j) EXPECT_LE(chosen.first, access(last.arm, order[j], last.end).first);
    EXPECT_LE(served[order[i]].completed - chosen.end, bus);
    EXPECT_GT(served[order[i]].completed, chosen.end);
    last = chosen;
  }
}

/// One read at the far end among an endless supply of reads of the first cylinders; its response time.
Nanoseconds response_of_the_far_read(std::int64_t age_permille, std::int64_t age_limit_ns) {
  std::vector<NamedValue> parameters = no_cache;
  parameters.insert(parameters.end(), {{"queue_depth", 32}, {"age_permille", age_permille}, {"age_limit_ns", age_limit_ns}});
  const auto disk = device("sata-7200-2007", parameters);
  const Sector far = disk->info().capacity - 8;
  ClosedLoop loop(*disk, 32);
  loop.run([far, n = 0, random = SplitMix64(5)]() mutable -> std::optional<DeviceCommand> {
    if (n == 3000) return std::nullopt;
    return DeviceCommand{.op = Op::read, .sector = ++n == 10 ? far : random.below(20'000) * 8, .sectors = 8};
  });
  return loop.served()[9].response();
}

TEST(RotationalDevice, NoCommandStarves) {
  // The worst service: overhead, full stroke, a turn, the transfer.
  const Nanoseconds worst = 250us + 17'500us + 8'334us + 100us;
  EXPECT_GT(response_of_the_far_read(0, 60'000'000'000), 5s) << "without ageing the far read has to starve";
  EXPECT_LE(response_of_the_far_read(0, 500'000'000), 500ms + 32 * worst);
  EXPECT_LE(response_of_the_far_read(6, 60'000'000'000), 5s) << "ageing alone brings its turn";

  const auto disk = device("sata-7200-2007", {{"queue_depth", 32}});
  ClosedLoop loop(*disk, 32);
  loop.run(random_places(Op::read, *disk, 8, 20'000));
  for (const Served& one : loop.served()) ASSERT_LE(one.response(), 2s + 32 * worst);
}

// A reader of one file in pieces of 8 KiB, another far away: both streams live in segments of their own.
TEST(RotationalDevice, ReadAheadServesASequentialReaderAtMediaRate) {
  const auto disk = device("sata-7200-2007");
  ClosedLoop loop(*disk, 1);
  loop.run(sequential(Op::read, 0, 16, 4000));
  EXPECT_GT(loop.megabytes_per_second(), 40) << "hits of 8 KiB cost 0.125 ms and the bus: 52 MB/s at most";
  const auto without = device("sata-7200-2007", {{"segments", 0}});
  ClosedLoop slow(*without, 1);
  slow.run(sequential(Op::read, 0, 16, 500));
  EXPECT_NEAR(slow.iops(), 1e9 / 8'333'333, 0.03 * 120) << "without it every piece waits for a whole turn";
}

TEST(RotationalDevice, AReadALittleAheadOfTheStreamWaitsForTheHead) {
  const auto disk = device("sata-7200-2007");
  ClosedLoop loop(*disk, 1);
  loop.run(sequential(Op::read, 0, 8, 1));
  loop.run(sequential(Op::read, 600, 8, 1));  // 592 sectors ahead: under half a turn away
  EXPECT_LT(loop.served()[1].response(), 4500us);
  EXPECT_GT(loop.served()[1].response(), 3000us);
}

TEST(RotationalDevice, WriteBackCompletesAtBusSpeedUntilTheLimit) {
  const auto disk = device("sata-7200-2007");
  ClosedLoop loop(*disk, 1);
  loop.run(random_places(Op::write, *disk, 8, 2000));
  const auto& served = loop.served();
  // 250 us of overhead and 8 sectors on the bus, while there is room for 4096 sectors.
  for (std::size_t i = 0; i < 512; ++i) EXPECT_EQ(served[i].response(), 250us + 8 * 2048ns);
  // Then at the pace of the medium, which orders the 32 dirty ranges that follow the arm.
  double tail = 0;
  for (std::size_t i = 1000; i < 2000; ++i) tail += static_cast<double>(served[i].response().count()) / 1e9;
  EXPECT_GT(1000 / tail, 79);
  EXPECT_LT(1000 / tail, 400);
}

TEST(RotationalDevice, WriteThroughWritesAreOnTheMediumWhenTheyComplete) {
  const auto disk = device("ent-15k-2008");
  const auto& medium = dynamic_cast<const MediumView&>(*disk);
  EXPECT_FALSE(disk->info().volatile_cache);
  ClosedLoop loop(*disk, 8);
  loop.on_done = [&](const Served& one) { EXPECT_TRUE(medium.on_medium(one.command.sector, one.command.sectors)); };
  loop.run(random_places(Op::write, *disk, 8, 200));
  EXPECT_LT(loop.iops(), 350);
}

// The idle disk begins to write back at once: the flush that follows finds nothing dirty, but data on their way.
TEST(RotationalDevice, AFlushWaitsForDataOnTheirWayToTheMedium) {
  const auto disk = device("sata-7200-2007");
  const auto& medium = dynamic_cast<const MediumView&>(*disk);
  ClosedLoop loop(*disk, 1);
  loop.run(sequential(Op::write, disk->info().capacity - 8, 8, 1));
  EXPECT_FALSE(medium.on_medium(disk->info().capacity - 8, 8));
  loop.on_done = [&](const Served& one) {
    EXPECT_TRUE(medium.on_medium(disk->info().capacity - 8, 8)) << one.completed.count();
  };
  loop.run([left = 1]() mutable -> std::optional<DeviceCommand> {
    if (left-- == 0) return std::nullopt;
    return DeviceCommand{.op = Op::flush};
  });
  EXPECT_GT(loop.served()[1].response(), 16ms);  // a full stroke away
}

TEST(RotationalDevice, AnFuaWriteIsOnTheMediumWhenItCompletes) {
  const auto disk = device("sata-7200-2007", {{"fua", 1}});
  const auto& medium = dynamic_cast<const MediumView&>(*disk);
  ClosedLoop loop(*disk, 4);
  loop.on_done = [&](const Served& one) { EXPECT_TRUE(medium.on_medium(one.command.sector, one.command.sectors)); };
  loop.run([next = Sector{0}]() mutable -> std::optional<DeviceCommand> {
    if (next == 100) return std::nullopt;
    return DeviceCommand{.op = Op::write, .fua = true, .sector = next++ * 1'000'000, .sectors = 8};
  });
  EXPECT_LT(loop.iops(), 400);
}

TEST(RotationalDevice, DirtyDataGoToTheMediumWhenTheDiskIsIdle) {
  const auto disk = device("sata-7200-2007");
  const auto& medium = dynamic_cast<const MediumView&>(*disk);
  ClosedLoop loop(*disk, 1);
  loop.run(sequential(Op::read, 0, 8, 1));  // the head reads on
  loop.run(sequential(Op::write, 100'000, 8, 4));
  EXPECT_FALSE(medium.on_medium(100'000, 32));
  loop.rest(loop.events().now() + 100ms);
  EXPECT_TRUE(medium.on_medium(100'000, 32));
}

}  // namespace
}  // namespace elvcheck::test
