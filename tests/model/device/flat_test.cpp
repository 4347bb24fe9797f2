// SPDX-License-Identifier: GPL-2.0-or-later
// The flat device: every expected time is worked out by hand.
#include <gtest/gtest.h>

#include "tests/model/device/driver.hpp"

namespace elvcheck::test {
namespace {

ClosedLoop::Source list(std::vector<DeviceCommand> commands) {
  return [commands = std::move(commands), next = std::size_t{0}]() mutable -> std::optional<DeviceCommand> {
    if (next == commands.size()) return std::nullopt;
    return commands[next++];
  };
}

TEST(FlatDevice, OneServerTakesCommandsInOrderOfIssue) {
  const auto disk = device("flat", {{"queue_depth", 4}, {"service_ns", 1000}, {"flush_ns", 300}});
  ClosedLoop loop(*disk, 4);
  loop.run(list({{.op = Op::read, .sector = 800, .sectors = 8},
                 {.op = Op::write, .sector = 0, .sectors = 256},
                 {.op = Op::flush},
                 {.op = Op::read, .sector = 8, .sectors = 8},
                 {.op = Op::read, .sector = 16, .sectors = 8}}));
  EXPECT_EQ(loop.completions(), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(loop.served()[0].completed, 1000ns);
  EXPECT_EQ(loop.served()[1].completed, 2000ns);
  EXPECT_EQ(loop.served()[2].completed, 2300ns);
  EXPECT_EQ(loop.served()[3].completed, 3300ns);
  EXPECT_EQ(loop.served()[4].issued, 1000ns);  // when the first tag came free
  EXPECT_EQ(loop.served()[4].completed, 4300ns);
}

TEST(FlatDevice, ParallelCommandsDoNotWaitForEachOther) {
  const auto disk = device("flat", {{"queue_depth", 32}, {"parallel", 1}, {"service_ns", 1000}});
  ClosedLoop loop(*disk, 32);
  loop.run(random_places(Op::read, *disk, 8, 320));
  for (const Served& one : loop.served()) EXPECT_EQ(one.response(), 1000ns);
  EXPECT_EQ(loop.served().back().completed, 10'000ns);  // ten rounds of 32
}

// The listener hears of a completion before the device takes up its next command: what it issues comes behind what waits.
TEST(FlatDevice, ACommandIssuedAtACompletionQueuesBehindThoseInside) {
  const auto disk = device("flat", {{"queue_depth", 2}, {"service_ns", 1000}});
  ClosedLoop loop(*disk, 2);
  loop.run(sequential(Op::read, 0, 8, 6));
  EXPECT_EQ(loop.completions(), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(loop.served()[2].issued, 1000ns);
  EXPECT_EQ(loop.served()[2].completed, 3000ns);
}

// In parallel a write may complete while a flush is under way; that flush does not cover it.
TEST(FlatDevice, AFlushCoversOnlyWhatWasCompleteAtItsIssue) {
  const auto disk =
      device("flat", {{"queue_depth", 2}, {"parallel", 1}, {"volatile_cache", 1}, {"service_ns", 1000}, {"flush_ns", 5000}});
  const auto& medium = dynamic_cast<const MediumView&>(*disk);
  ClosedLoop loop(*disk, 2);
  loop.run(list({{.op = Op::write, .sector = 0, .sectors = 8}}));
  EXPECT_FALSE(medium.on_medium(0, 8));
  loop.run(list({{.op = Op::flush}, {.op = Op::write, .sector = 8, .sectors = 8}}));
  EXPECT_TRUE(medium.on_medium(0, 8));
  EXPECT_FALSE(medium.on_medium(8, 8));
}

}  // namespace
}  // namespace elvcheck::test
