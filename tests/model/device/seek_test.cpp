// SPDX-License-Identifier: GPL-2.0-or-later
// The formula disk, against times of a kernel recording and against hand computation.
#include "model/device/seek.hpp"

#include <gtest/gtest.h>

#include "tests/model/device/driver.hpp"

namespace elvcheck::test {
namespace {

/// The first 24 commands of the recording uml-hdd1-b-mq-deadline (Linux 6.1.192, null_blk with the service-time patch):
/// where the previous command ended, where this one begins, its length, and the nanoseconds from issue to completion.
struct Recorded {
  Sector head, sector;
  SectorCount sectors;
  std::int64_t ns;
};
constexpr Recorded recording[] = {
    {0, 70616, 8, 5423872},         {70624, 50688, 144, 4581632},  {50832, 50832, 8, 141312},
    {50840, 176576, 256, 7791360},  {176832, 145744, 8, 4318976},  {145752, 176832, 256, 5588480},
    {177088, 177088, 256, 1411328}, {177344, 599136, 8, 10163712}, {599144, 177344, 256, 11433472},
    {177600, 177600, 256, 1411328}, {177856, 136760, 8, 4645632},  {136768, 177856, 256, 5915136},
    {178112, 178112, 256, 1411072}, {178368, 74256, 8, 6127104},   {74264, 178368, 256, 7396608},
    {178624, 178624, 256, 1411072}, {178880, 611792, 8, 10268672}, {611800, 178880, 256, 11538432},
    {179136, 179136, 256, 1411072}, {179392, 132368, 8, 4820224},  {132376, 179392, 256, 6089216},
    {179648, 179648, 256, 1411328}, {179904, 108312, 8, 5446656},  {108320, 179904, 256, 6716160}};

constexpr std::int64_t round_up_to_clock(std::int64_t ns) { return (ns + 255) / 256 * 256; }

// The clock of the recording stands on multiples of 256 ns. The timer starts one step after the issue, and the completion is
// seen at the first step, or, if the timer hardware came a little early, at the second step behind.
TEST(SeekDevice, FormulaExplainsTheRecordingToOneStepOfItsClock) {
  const SeekDevice disk("seek", {});
  for (const Recorded& one : recording) {
    const std::int64_t formula = round_up_to_clock(disk.service_ns(one.head, one.sector, one.sectors)) + 256;
    EXPECT_TRUE(one.ns == formula || one.ns == formula + 256) << one.sector << ": " << one.ns - formula;
  }
}

TEST(SeekDevice, PresetReplaysTheRecordingWithoutDrift) {
  const auto disk = device("uml-hdd1");
  ClosedLoop loop(*disk, 1);
  loop.run([next = std::size_t{0}]() mutable -> std::optional<DeviceCommand> {
    if (next == std::size(recording)) return std::nullopt;
    const Recorded& one = recording[next++];
    return DeviceCommand{.op = Op::read, .sector = one.sector, .sectors = one.sectors};
  });
  std::int64_t recorded = 0;
  for (std::size_t i = 0; i < std::size(recording); ++i) {
    EXPECT_LE(std::abs(loop.served()[i].response().count() - recording[i].ns), 256);
    recorded += recording[i].ns;
    EXPECT_LE(std::abs(loop.served()[i].completed.count() - recorded), 1024) << "after command " << i;
  }
}

TEST(SeekDevice, HandComputedTimes) {
  const SeekDevice disk("seek", {});
  EXPECT_EQ(disk.service_ns(0, 0, 8), 100'000 + 4 * 10'240);
  // A quarter of the capacity: the root is one half, exactly.
  EXPECT_EQ(disk.service_ns(0, 163'840, 256), 100'000 + 128 * 10'240 + 2'000'000 + 5'000'000);
  EXPECT_EQ(disk.service_ns(163'840, 0, 256), disk.service_ns(0, 163'840, 256));
  // The whole capacity less 8 sectors: just below 12 ms.
  EXPECT_NEAR(static_cast<double>(disk.service_ns(0, 655'352, 8)), 140'960 + 12e6, 400);
}

TEST(SeekDevice, FlushDoesNotMoveTheArm) {
  const auto disk = device("seek", {{"cache_kib", 16'384}});
  const auto& medium = dynamic_cast<const MediumView&>(*disk);
  ClosedLoop loop(*disk, 1);
  loop.run(sequential(Op::write, 0, 8, 1));
  EXPECT_FALSE(medium.on_medium(0, 8));
  loop.run([left = 1]() mutable -> std::optional<DeviceCommand> {
    if (left-- == 0) return std::nullopt;
    return DeviceCommand{.op = Op::flush};
  });
  EXPECT_TRUE(medium.on_medium(0, 8));
  EXPECT_EQ(loop.served()[1].response(), 5ms);
  loop.run(sequential(Op::write, 8, 8, 1));
  EXPECT_EQ(loop.served()[2].response(), 140'960ns);  // contiguous with the write before the flush
}

TEST(SeekDevice, ContradictoryParametersAreRefused) {
  EXPECT_THROW(device("seek", {{"seek_min_ns", 20'000'000}}), std::invalid_argument);
}

}  // namespace
}  // namespace elvcheck::test
