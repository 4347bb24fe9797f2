// SPDX-License-Identifier: GPL-2.0-or-later
// Random scenarios: the same for the same seed, always fit to run, and between them of every kind that the head of
// properties/generator.hpp promises.
#include "properties/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/device/preset.hpp"
#include "model/machine.hpp"

namespace elvcheck {
namespace {

constexpr Sector capacity = 1U << 21;

TEST(Generator, ASeedAndANumberMeanOneScenario) {
  const SchedulerInfo& scheduler = *find_scheduler("mq-deadline");
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Scenario first = generate_scenario(3, i, scheduler, {}, capacity);
    EXPECT_EQ(first, generate_scenario(3, i, scheduler, {}, capacity));
    EXPECT_NE(first, generate_scenario(4, i, scheduler, {}, capacity));
    EXPECT_NE(first, generate_scenario(3, i + 1, scheduler, {}, capacity));
  }
}

TEST(Generator, EveryScenarioRunsToItsEnd) {
  for (const SchedulerInfo& scheduler : schedulers()) {
    for (const char* name : {"flat", "seek"}) {
      const DeviceSpec device{name, {}};
      const Sector size = make_device(device)->info().capacity;
      for (std::uint64_t i = 0; i < 40; ++i) {
        Machine machine(generate_scenario(11, i, scheduler, device, size));
        const RunResult result = machine.run();
        EXPECT_FALSE(result.stopped_at_limit) << scheduler.name << " " << name << " " << i;
        EXPECT_EQ(result.requests_left, 0U) << scheduler.name << " " << name << " " << i;
      }
    }
  }
}

TEST(Generator, KeepsItsPromises) {
  const SchedulerInfo& scheduler = *find_scheduler("mq-deadline");
  std::set<unsigned> rates;
  std::set<std::size_t> process_counts;
  std::set<IoClass> classes;
  std::set<ProcessOp::Kind> kinds;
  bool reads = false, sync_writes = false, async_writes = false, deep = false, random = false, thinks = false, tuned = false;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const Scenario scenario = generate_scenario(1, i, scheduler, {}, capacity);
    rates.insert(scenario.block.hz);
    process_counts.insert(scenario.processes.size());
    tuned |= !scenario.tunables.empty();
    std::uint64_t ios = 0;
    for (const ProcessSpec& process : scenario.processes) {
      classes.insert(process.ioprio.io_class);
      for (const ProcessOp& op : process.ops) {
        kinds.insert(op.kind);
        if (op.kind != ProcessOp::Kind::io) continue;
        ios += op.count;
        reads |= op.op == Op::read;
        sync_writes |= op.op == Op::write && (op.flags & REQ_SYNC) != 0;
        async_writes |= op.op == Op::write && (op.flags & REQ_SYNC) == 0;
        deep |= op.depth == 32;
        random |= op.span > 0;
        thinks |= op.think > 0ns;
      }
    }
    EXPECT_GE(ios, 1U);
    EXPECT_LE(ios, 300U + 6U);  // a process that comes too late still does one
  }
  EXPECT_EQ(rates, (std::set<unsigned>{250, 1000}));
  EXPECT_EQ(process_counts, (std::set<std::size_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(classes, (std::set<IoClass>{IoClass::none, IoClass::rt, IoClass::be, IoClass::idle}));
  for (const auto kind : {ProcessOp::Kind::think, ProcessOp::Kind::ioprio, ProcessOp::Kind::plug, ProcessOp::Kind::fsync}) {
    EXPECT_TRUE(kinds.contains(kind));
  }
  EXPECT_TRUE(reads && sync_writes && async_writes && deep && random && thinks && tuned);
}

}  // namespace
}  // namespace elvcheck
