// SPDX-License-Identifier: GPL-2.0-or-later
// Every preset: builds, keeps the contract of Device on random command streams, and runs the same way twice.
#include "model/device/preset.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "tests/model/device/driver.hpp"

namespace elvcheck::test {
namespace {

TEST(Presets, HaveUniqueNamesAndParametersWithinTheirRanges) {
  std::set<std::string> names;
  for (const DevicePreset& preset : device_presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_EQ(find_device_preset(preset.name), &preset);
    std::set<std::string> parameters;
    for (const DeviceParameter& parameter : preset.parameters) {
      EXPECT_TRUE(parameters.insert(parameter.name).second) << preset.name << ' ' << parameter.name;
      EXPECT_LE(parameter.min, parameter.preset_value) << preset.name << ' ' << parameter.name;
      EXPECT_GE(parameter.max, parameter.preset_value) << preset.name << ' ' << parameter.name;
    }
    const auto built = device(preset.name);
    EXPECT_EQ(built->info().name, preset.name);
    EXPECT_GT(built->info().capacity, 0U);
    EXPECT_GE(built->info().queue_depth, 1U);
  }
  for (const char* name : {"flat", "seek", "sata-7200-2007", "sata-7200-2014", "ent-15k-2008", "cheetah-9lp",
                           "enterprise-array-2010", "sata-ssd-2014", "nvme-2020"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

std::string complaint(DeviceSpec spec) {
  try {
    make_device(spec);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Presets, BadSpecificationsAreNamed) {
  EXPECT_EQ(complaint({.preset = "sata-7200-2015", .parameters = {}}),
            "there is no device 'sata-7200-2015'; did you mean 'sata-7200-2014'?");
  EXPECT_EQ(complaint({.preset = "flat", .parameters = {{"servic_ns", 5}}}),
            "device flat has no parameter 'servic_ns'; did you mean 'service_ns'?");
  EXPECT_EQ(complaint({.preset = "flat", .parameters = {{"queue_depth", 0}}}),
            "device flat: queue_depth is 0, but must be in 1..65536");
  EXPECT_EQ(complaint({.preset = "sata-ssd-2014", .parameters = {{"page_kib", 6}}}),
            "device sata-ssd-2014: page_kib: must be a multiple of 4");
  EXPECT_NE(
      complaint({.preset = "sata-7200-2007", .parameters = {{"seek_mean_ns", 17'000'000}}}).find("seek_mean_ns is 17000000"),
      std::string::npos);
}

/// Sectors and lengths that meet often, so that caches, streams and overwrites play their part.
DeviceCommand arbitrary_command(SplitMix64& random, Sector capacity, bool flushes) {
  DeviceCommand command;
  const std::uint64_t kind = random.below(20);
  command.op = kind < 9 ? Op::read : kind < 18 || !flushes ? Op::write : kind < 19 ? Op::flush : Op::discard;
  if (command.op == Op::flush) return command;
  command.fua = command.op == Op::write && random.below(8) == 0;
  command.sectors = static_cast<SectorCount>(1 + random.below(random.below(4) == 0 ? 1024 : 64));
  const Sector region = random.below(3) == 0 ? capacity : std::min<Sector>(capacity, 4096);
  command.sector = std::min(random.below(region), capacity - command.sectors);
  return command;
}

std::vector<Served> random_run(const DevicePreset& preset, std::uint64_t seed, unsigned depth, std::size_t count) {
  const auto one = device(preset.name);
  SplitMix64 random(seed);
  ClosedLoop loop(*one, std::min(depth, one->info().queue_depth));
  loop.run([&, left = count]() mutable -> std::optional<DeviceCommand> {
    if (left-- == 0) return std::nullopt;
    return arbitrary_command(random, one->info().capacity, true);
  });
  return loop.served();
}

RC_GTEST_PROP(Presets, CompleteEveryCommandOnceAndTheSameWayTwice, ()) {
  static const std::vector<DevicePreset> presets(device_presets().begin(), device_presets().end());
  const auto& preset = presets[*rc::gen::resize(100, rc::gen::inRange<std::size_t>(0, presets.size()))];
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto depth = *rc::gen::inRange(1U, 33U);
  const auto count = *rc::gen::inRange<std::size_t>(1, 300);
  RC_TAG(preset.model);
  const std::vector<Served> first = random_run(preset, seed, depth, count);  // throws on a lost or doubled completion
  const std::vector<Served> second = random_run(preset, seed, depth, count);
  RC_ASSERT(first.size() == count);
  for (std::size_t i = 0; i < count; ++i) {
    RC_ASSERT(first[i].completed >= first[i].issued);
    RC_ASSERT(first[i].issued == second[i].issued);
    RC_ASSERT(first[i].completed == second[i].completed);
  }
}

// The crash oracle. A write is recorded when its completion is reported; when a flush is reported, every write recorded
// before the flush was issued, and not written again since, must survive a power cut, and so must every FUA write when it is
// reported.
RC_GTEST_PROP(Presets, AFlushCompletesAfterEveryEarlierWriteIsOnTheMedium, ()) {
  static const std::vector<DeviceSpec> specs = {
      {"flat", {{"volatile_cache", 1}, {"parallel", 1}, {"queue_depth", 8}, {"fua", 1}}},
      {"uml-hdd1c", {{"queue_depth", 4}}},
      {"sata-7200-2007", {{"fua", 1}}},
      {"sata-7200-2007", {{"write_cache_sectors", 64}, {"age_limit_ns", 20'000'000}}},
      {"sata-7200-2014", {}},
      {"cheetah-9lp", {{"queue_depth", 16}, {"fua", 1}}},
      {"sata-ssd-2014", {{"fua", 1}}},
      {"sata-ssd-2014", {{"buffer_kib", 64}, {"channels", 1}, {"dies_per_channel", 2}}},
      {"nvme-2020", {}}};
  const DeviceSpec& spec = specs[*rc::gen::resize(100, rc::gen::inRange<std::size_t>(0, specs.size()))];
  const auto one = make_device(spec);
  const auto* medium = dynamic_cast<const MediumView*>(one.get());
  ASSERT_NE(medium, nullptr);
  ASSERT_TRUE(one->info().volatile_cache);
  const bool fua = one->info().fua;
  SplitMix64 random(*rc::gen::arbitrary<std::uint64_t>());
  const auto flush_share = *rc::gen::element<std::uint64_t>(3, 10, 50);

  constexpr Sector blocks = 64;  // of 8 sectors, spread over the device; one write in flight for each
  const Sector stride = *rc::gen::element<Sector>(8, 800, one->info().capacity / blocks / 8 * 8);
  struct Block {
    std::uint64_t version = 0;  // of the newest write issued
    Nanoseconds completed{-1};  // when it was reported; -1: not yet
  };
  std::vector<Block> state(blocks);
  const auto block_of = [stride](const Served& one_served) { return one_served.command.sector / stride; };
  ClosedLoop loop(*one, std::min(16U, one->info().queue_depth));
  loop.on_done = [&](const Served& served) {
    if (served.command.op == Op::write) {
      state[block_of(served)].completed = served.completed;
      if (served.command.fua) RC_ASSERT(medium->on_medium(served.command.sector, 8));
    } else if (served.command.op == Op::flush) {
      for (Sector i = 0; i < blocks; ++i) {
        if (state[i].completed != Nanoseconds(-1) && state[i].completed < served.issued) {
          RC_ASSERT(medium->on_medium(i * stride, 8));
        }
      }
    }
  };
  loop.run([&, left = 400]() mutable -> std::optional<DeviceCommand> {
    if (left-- == 0) return std::nullopt;
    if (random.below(flush_share) == 0) return DeviceCommand{.op = Op::flush};
    const Sector block = random.below(blocks);
    const bool in_flight = state[block].version > 0 && state[block].completed == Nanoseconds(-1);
    if (in_flight || random.below(4) == 0) return DeviceCommand{.op = Op::read, .sector = block * stride, .sectors = 8};
    ++state[block].version;
    state[block].completed = Nanoseconds(-1);
    return DeviceCommand{.op = Op::write, .fua = fua && random.below(6) == 0, .sector = block * stride, .sectors = 8};
  });
}

}  // namespace
}  // namespace elvcheck::test
