// SPDX-License-Identifier: GPL-2.0-or-later
// The flash device, against data sheets and the formulas that follow from its structure.
#include "model/device/ssd/ssd.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "tests/model/device/driver.hpp"

namespace elvcheck::test {
namespace {

const SsdDevice& as_ssd(const Device& one) { return dynamic_cast<const SsdDevice&>(one); }

double sustained_write_mb_s(const std::string& preset) {
  // The buffer is made small, so that its filling does not count.
  const auto ssd = device(preset, {{"queue_depth", 32}, {"buffer_kib", 16'384}});
  ClosedLoop loop(*ssd, 32);
  loop.run(sequential(Op::write, 0, 256, 6000));
  return loop.megabytes_per_second();
}

double sequential_read_mb_s(const std::string& preset) {
  const auto ssd = device(preset);
  ClosedLoop loop(*ssd, 31);
  loop.run(sequential(Op::read, 0, 256, 5000));
  return loop.megabytes_per_second();
}

// Samsung 840 250 GB, data sheet: 7,900 and 96,000 random 4 KiB reads a second at depth 1 and 32, 62,000 random writes, 540
// MB/s reading, 250 MB/s writing.
TEST(SsdDevice, Sata2014MeetsItsDataSheet) {
  EXPECT_NEAR(random_read_iops("sata-ssd-2014", 1, 5000), 7900, 0.05 * 7900);
  EXPECT_NEAR(random_read_iops("sata-ssd-2014", 32, 50'000), 96'000, 0.05 * 96'000);
  EXPECT_NEAR(sequential_read_mb_s("sata-ssd-2014"), 540, 0.05 * 540);
  EXPECT_NEAR(sustained_write_mb_s("sata-ssd-2014"), 250, 0.05 * 250);
  const auto ssd = device("sata-ssd-2014", {{"queue_depth", 32}, {"buffer_kib", 16'384}});
  ClosedLoop loop(*ssd, 32);
  loop.run(random_places(Op::write, *ssd, 8, 150'000));
  EXPECT_NEAR(loop.iops(), 62'000, 0.05 * 62'000);
  EXPECT_EQ(as_ssd(*ssd).check(), "");
}

// One read by hand: 30 us controller, 70 us array, 4096 bytes at 200 MB/s and at 550 MB/s: 127.928 us.
TEST(SsdDevice, OneReadByHand) {
  const auto ssd = device("sata-ssd-2014");
  ClosedLoop loop(*ssd, 1);
  loop.run(random_places(Op::read, *ssd, 8, 3));
  for (const Served& one : loop.served()) EXPECT_EQ(one.response(), 30us + 70us + 20'480ns + 7'448ns);
}

// Intel 520 240 GB, product specification: 50,000 reads and 80,000 writes a second at depth 32; 550 and 520 MB/s.
TEST(SsdDevice, Sata2012MeetsItsDataSheet) {
  EXPECT_NEAR(random_read_iops("sata-ssd-2012", 32, 50'000), 50'000, 0.05 * 50'000);
  const auto ssd = device("sata-ssd-2012", {{"queue_depth", 32}});
  ClosedLoop loop(*ssd, 32);
  loop.run(random_places(Op::write, *ssd, 8, 50'000));
  EXPECT_NEAR(loop.iops(), 80'000, 0.05 * 80'000);
  EXPECT_NEAR(sequential_read_mb_s("sata-ssd-2012"), 550, 0.05 * 550);
  EXPECT_NEAR(sustained_write_mb_s("sata-ssd-2012"), 520, 0.05 * 520);
}

// By hand at depth 1: 8 + 45 us, 4096 bytes at 1200 and at 3500 MB/s: 57.6 us. Deep queues: the controller's serial 2.8 us,
// as long as the dies (64 in 48.4 us each: 1.3 million a second) and the link (854,000) are above.
TEST(SsdDevice, Nvme2020MeetsItsFormula) {
  EXPECT_NEAR(random_read_iops("nvme-2020", 1, 5000), 17'361, 0.01 * 17'361);
  EXPECT_NEAR(random_read_iops("nvme-2020", 128, 50'000), 356'000, 0.05 * 356'000);
  EXPECT_NEAR(sequential_read_mb_s("nvme-2020"), 3500, 0.05 * 3500);
}

// MQSim with 8 channels of 4 one-die chips, tR 75 us, 333 MB/s and an ideal map: 88 us at depth 1, 102 us at depth 8.
TEST(SsdDevice, ReadLatencyUnderLoadAsInMqsim) {
  const std::vector<NamedValue> parameters = {{"read_ns", 75'000},
                                              {"channel_mb_s", 333},
                                              {"link_mb_s", 100'000},
                                              {"controller_ns", 700},
                                              {"controller_serial_ns", 0}};
  EXPECT_NEAR(1e6 / random_read_iops("sata-ssd-2014", 1, 20'000, parameters), 88, 0.03 * 88);
  EXPECT_NEAR(8e6 / random_read_iops("sata-ssd-2014", 8, 20'000, parameters), 102, 0.03 * 102);
}

// A read behind a program waits for it: at 30 % writes the slowest reads take at least half a program's time.
TEST(SsdDevice, ReadsWaitBehindPrograms) {
  const auto ssd = device("sata-ssd-2014", {{"buffer_kib", 16'384}});
  ClosedLoop loop(*ssd, 31);
  loop.run([&, left = 40'000, random = SplitMix64(2)]() mutable -> std::optional<DeviceCommand> {
    if (left-- == 0) return std::nullopt;
    const Op op = random.below(10) < 3 ? Op::write : Op::read;
    return DeviceCommand{.op = op, .sector = random.below(ssd->info().capacity / 8) * 8, .sectors = 8};
  });
  std::vector<Nanoseconds> reads;
  for (const Served& one : loop.served()) {
    if (one.command.op == Op::read) reads.push_back(one.response());
  }
  std::sort(reads.begin(), reads.end());
  EXPECT_GE(reads[reads.size() * 99 / 100], 1050us);
  EXPECT_LT(reads[reads.size() / 2], 1050us);
}

std::vector<NamedValue> small_device(std::int64_t pages, std::int64_t spare_percent) {
  return {{"channels", 1},   {"dies_per_channel", 1}, {"pages_per_block", pages},      {"blocks_per_die", 512},
          {"gc_percent", 0}, {"buffer_kib", 64},      {"spare_percent", spare_percent}};
}

// Greedy collection under uniformly random writes: about (1 + r) / (2 r) programs for a write, r the spare share.
TEST(SsdDevice, WriteAmplificationFollowsTheSpareShare) {
  for (const std::int64_t spare : {15, 28}) {
    const auto ssd = device("sata-ssd-2014", small_device(64, spare));
    const std::size_t slots = ssd->info().capacity / 8;
    ClosedLoop loop(*ssd, 4);
    loop.run(sequential(Op::write, 0, 8, slots));
    EXPECT_EQ(as_ssd(*ssd).work().moved_slots, 0U);
    loop.run(random_places(Op::write, *ssd, 8, 3 * slots, 1));
    const SsdDevice::Work before = as_ssd(*ssd).work();
    loop.run(random_places(Op::write, *ssd, 8, 2 * slots, 2));
    const SsdDevice::Work after = as_ssd(*ssd).work();
    const double amplification = 1 + static_cast<double>(after.moved_slots - before.moved_slots) /
                                         static_cast<double>(after.host_slots - before.host_slots);
    const double share = static_cast<double>(spare) / 100;
    EXPECT_NEAR(amplification, (1 + share) / (2 * share), 0.15 * (1 + share) / (2 * share)) << spare << " % spare";
    EXPECT_EQ(as_ssd(*ssd).check(), "");
  }
}

// What was discarded need not be moved: the collector finds dead blocks only.
TEST(SsdDevice, DiscardSparesTheCollector) {
  const auto ssd = device("sata-ssd-2014", small_device(16, 15));
  const std::size_t slots = ssd->info().capacity / 8;
  ClosedLoop loop(*ssd, 4);
  for (int round = 0; round < 3; ++round) {
    loop.run(sequential(Op::write, 0, 8, slots));
    loop.run([left = 1, ssd = ssd.get()]() mutable -> std::optional<DeviceCommand> {
      if (left-- == 0) return std::nullopt;
      return DeviceCommand{.op = Op::discard, .sector = 0, .sectors = static_cast<SectorCount>(ssd->info().capacity)};
    });
  }
  EXPECT_GT(as_ssd(*ssd).work().erases, 512U);
  // Only the slots on the way while a discard comes may be moved: a page or two a round.
  EXPECT_LE(as_ssd(*ssd).work().moved_slots, 24U);
  EXPECT_EQ(as_ssd(*ssd).check(), "");
}

// The books of the map after any mixture of writes, discards, flushes and reads on a device that collects all the time.
RC_GTEST_PROP(SsdDevice, TheMapStaysABijection, ()) {
  const auto spare = *rc::gen::inRange<std::int64_t>(35, 90);
  const auto ssd = device("sata-ssd-2014", {{"channels", 2},
                                            {"dies_per_channel", 1},
                                            {"pages_per_block", 4},
                                            {"blocks_per_die", 24},
                                            {"gc_percent", 30},
                                            {"buffer_kib", 64},
                                            {"fua", 1},
                                            {"spare_percent", spare}});
  const Sector slots = ssd->info().capacity / 8;
  SplitMix64 random(*rc::gen::arbitrary<std::uint64_t>());
  ClosedLoop loop(*ssd, 8);
  std::string wrong;
  int completions = 0;
  loop.on_done = [&](const Served&) {
    if (++completions % 50 == 0 && wrong.empty()) wrong = as_ssd(*ssd).check();
  };
  loop.run([&, left = 1500]() mutable -> std::optional<DeviceCommand> {
    if (left-- == 0) return std::nullopt;
    const std::uint64_t kind = random.below(40);
    if (kind == 0) return DeviceCommand{.op = Op::flush};
    DeviceCommand command{.op = kind == 1 ? Op::discard : kind < 8 ? Op::read : Op::write};
    command.fua = command.op == Op::write && random.below(10) == 0;
    command.sectors = static_cast<SectorCount>(1 + random.below(64));
    command.sector = std::min(random.below(slots * 8), ssd->info().capacity - command.sectors);
    return command;
  });
  RC_ASSERT(wrong == "");
  RC_ASSERT(as_ssd(*ssd).check() == "");
  RC_ASSERT(as_ssd(*ssd).work().erases > 0U);
}

TEST(FlashMap, NeverErasesALivePage) {
  FlashMap map({.dies = 1, .blocks = 8, .pages = 2, .slots = 2, .logical = 16, .gc_below = 3});
  const FlashAddress first = map.take_page(0, FlashMap::Writer::host);
  map.commit_page(first);
  map.place(3, first);
  map.commit_page(map.take_page(0, FlashMap::Writer::host));  // the block is full
  EXPECT_EQ(map.victim(0), 0U);
  EXPECT_THROW(map.erase(0, 0), std::logic_error);
  map.forget(3, 4);
  EXPECT_NO_THROW(map.erase(0, 0));
  EXPECT_EQ(map.check(), "");
}

TEST(SsdDevice, ATerabyteCostsMemoryForWhatIsWrittenOnly) {
  const auto peak_mib = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
  };
  const auto before = peak_mib();
  const auto ssd = device("nvme-2020");
  EXPECT_GT(ssd->info().capacity * sector_bytes, 999'000'000'000U);
  ClosedLoop loop(*ssd, 32);
  loop.run(random_places(Op::write, *ssd, 8, 5000));
  loop.run(random_places(Op::read, *ssd, 8, 5000));
  EXPECT_LT(peak_mib() - before, 100);
}

// MQSim, its own drive idle: a read takes 88 us (75 of them the array, 12.3 the channel), a write 763 us.
TEST(SsdDevice, TimesOfTheDriveThatIsHeldAgainstMqsim) {
  const auto drive = device("mqsim-nvme");
  ClosedLoop loop(*drive, 1);
  loop.run(sequential(Op::read, 0, 8, 1));
  loop.run(sequential(Op::write, 800, 8, 1));
  EXPECT_NEAR(static_cast<double>(loop.served()[0].response().count()), 88'000, 1'000);
  EXPECT_NEAR(static_cast<double>(loop.served()[1].response().count()), 763'000, 1'000);
}

// Two writes to one die and one to another: with static placement the second waits for the first, whatever idles.
TEST(SsdDevice, StaticPlacementQueuesBehindABusyDie) {
  const auto drive = device("mqsim-nvme");
  ClosedLoop loop(*drive, 3);
  loop.run([places = std::vector<Sector>{0, 32, 1}, n = std::size_t{0}]() mutable -> std::optional<DeviceCommand> {
    if (n == places.size()) return std::nullopt;
    return DeviceCommand{.op = Op::write, .sector = places[n++] * 8, .sectors = 8};
  });
  EXPECT_GT(loop.served()[1].response(), 2 * 750us);
  EXPECT_LT(loop.served()[2].response(), 800us);
}

// A read on that die goes before the write that waits there, but not before the one under way.
TEST(SsdDevice, ReadsFirst) {
  const auto order = [](std::int64_t reads_first) {
    const auto drive = device("mqsim-nvme", {{"reads_first", reads_first}});
    ClosedLoop loop(*drive, 3);
    loop.run([n = 0]() mutable -> std::optional<DeviceCommand> {
      if (n == 3) return std::nullopt;
      const Op op = n == 2 ? Op::read : Op::write;
      return DeviceCommand{.op = op, .sector = Sector{32} * 8 * static_cast<Sector>(n++), .sectors = 8};
    });
    return loop.completions();
  };
  EXPECT_EQ(order(1), (std::vector<std::size_t>{0, 2, 1}));
  EXPECT_EQ(order(0), (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace elvcheck::test
