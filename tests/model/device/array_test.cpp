// SPDX-License-Identifier: GPL-2.0-or-later
// The array with a battery-backed cache.
#include "model/device/array.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/model/device/driver.hpp"

namespace elvcheck::test {
namespace {

// The published experiment behind it: fs_mark with fsync per 64 KiB file under deadline, 448.4 files a second. Three writes
// one after the other for each file (data, journal, commit) and 0.55 to 0.65 ms of processor time: 441 to 461.
TEST(ArrayDevice, ThreeSerialWritesForEachFsync) {
  const auto array = device("enterprise-array-2010");
  EXPECT_TRUE(array->info().rotational);
  EXPECT_FALSE(array->info().volatile_cache);
  ClosedLoop loop(*array, 1);
  constexpr int files = 3000;
  loop.run([step = 0]() mutable -> std::optional<DeviceCommand> {
    if (step == 3 * files) return std::nullopt;
    constexpr SectorCount lengths[] = {128, 64, 8};
    const SectorCount sectors = lengths[step % 3];
    return DeviceCommand{.op = Op::write, .sector = static_cast<Sector>(step++) * 128, .sectors = sectors};
  });
  const double device_ms = loop.seconds() * 1000 / files;
  EXPECT_NEAR(1000 / (device_ms + 0.6), 451, 10);
}

TEST(ArrayDevice, LatenciesAreUniformAroundTheMeanAndSeeded) {
  const auto run = [](std::int64_t seed) {
    const auto array = device("enterprise-array-2010", {{"seed", seed}, {"link_mb_s", 100'000}});
    ClosedLoop loop(*array, 1);
    loop.run(random_places(Op::write, *array, 8, 4000));
    std::vector<Nanoseconds> times;
    for (const Served& one : loop.served()) times.push_back(one.response());
    return times;
  };
  std::vector<Nanoseconds> times = run(1);
  EXPECT_EQ(times, run(1));
  EXPECT_NE(times, run(2));
  std::sort(times.begin(), times.end());
  EXPECT_GE(times.front(), 270us);
  EXPECT_LE(times.back(), 630us + 41ns);
  EXPECT_NEAR(static_cast<double>(times[2000].count()), 450e3, 0.02 * 450e3);
  EXPECT_NEAR(static_cast<double>(times[1000].count()), 360e3, 0.02 * 360e3);
}

// A full cache lets writes in at the drain's rate. 64 MiB at 150 MB/s, all of it filled at once by the link's 380 MB/s.
TEST(ArrayDevice, AFullCacheWritesAtTheDrainsRate) {
  const auto array = device("enterprise-array-2010", {{"cache_mib", 64}});
  ClosedLoop loop(*array, 32);
  loop.run(sequential(Op::write, 0, 1024, 2000));
  const auto& served = loop.served();
  const double tail_seconds = static_cast<double>((served[1999].completed - served[999].completed).count()) / 1e9;
  EXPECT_NEAR(1000 * 1024 * 512 / 1e6 / tail_seconds, 150, 0.02 * 150);
  EXPECT_LT(served[50].completed, 200ms);
}

TEST(ArrayDevice, ReadsHitWhatWasWrittenAndMissElsewhere) {
  const auto array = device("enterprise-array-2010", {{"jitter_percent", 0}});
  ClosedLoop loop(*array, 1);
  loop.run(sequential(Op::write, 0, 128, 1));
  loop.run(sequential(Op::read, 0, 8, 1));
  EXPECT_EQ(loop.served()[1].response(), 500us + 10'779ns);  // 4096 bytes at 380 MB/s
  loop.run(random_places(Op::read, *array, 8, 200));
  double sum = 0;
  for (std::size_t i = 2; i < loop.served().size(); ++i)
    sum += static_cast<double>(loop.served()[i].response().count()) / 1e6;
  EXPECT_NEAR(sum / 200, 1000.0 / 179, 0.1 * 1000 / 179);  // a 15,000 rpm disk at depth 1
  // Eight disks side by side.
  ClosedLoop::Source reads = random_places(Op::read, *array, 8, 4000, 9);
  const auto many = device("enterprise-array-2010");
  ClosedLoop deep(*many, 64);
  deep.run(reads);
  EXPECT_GT(deep.iops(), 4 * 179);
}

}  // namespace
}  // namespace elvcheck::test
