// SPDX-License-Identifier: GPL-2.0-or-later
// CFQ on the whole machine: corners that the recorded streams do not reach, and all features in any combination.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "model/machine.hpp"

namespace elvcheck {
namespace {

struct Watcher final : TraceListener {
  void on_event(const TraceEvent& event) override {
    if (event.kind == EventKind::note) rules.insert(event.rule->name);
    if (event.kind == EventKind::issue) {
      ++issued;
      most_of_one = std::max(most_of_one, ++inside[event.process]);
      order.push_back(event.process);
    }
    if (event.kind == EventKind::complete) --inside[event.process];
  }
  std::set<std::string> rules;
  std::vector<ProcessId> order;
  unsigned issued = 0;
  std::map<ProcessId, unsigned> inside;
  unsigned most_of_one = 0;
};

ProcessOp io(Op op, Sector sector, std::uint32_t count, std::uint32_t depth, ReqFlags flags = 0) {
  ProcessOp step;
  step.op = op;
  step.flags = flags;
  step.sector = sector;
  step.count = count;
  step.depth = depth;
  step.stride = 64;
  return step;
}

Scenario scenario(const char* scheduler) {
  Scenario s;
  s.scheduler = scheduler;
  s.device.preset = "flat";
  s.block.hz = 1000;
  s.block.max_sectors = 1024;
  return s;
}

RunResult run(const Scenario& s, Watcher& watcher) {
  Machine machine(s);
  machine.trace().add(watcher);
  return machine.run();
}

class CfqOfEachVersion : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, CfqOfEachVersion, testing::Values("cfq-2.6.34", "cfq-2.6.35", "cfq-4.4", "cfq-4.19"));

TEST_P(CfqOfEachVersion, AProcessMayEndBeforeItsRequests) {
  Scenario s = scenario(GetParam());
  for (int i = 0; i < 3; ++i) {
    ProcessOp step = io(Op::read, static_cast<Sector>(i) * 200'000, 16, 16);
    step.nowait = true;
    s.processes.push_back({"leaver", {}, {step}});
  }
  Watcher watcher;
  const RunResult result = run(s, watcher);
  EXPECT_EQ(watcher.issued, 48U);
  EXPECT_EQ(result.requests_left, 0U);
  EXPECT_EQ(result.stuck_process, "");
  EXPECT_TRUE(watcher.rules.contains("cfq.expire.freed"));
}

// Documentation/block/ioprio.txt: the idle class is served when nobody else is.
TEST_P(CfqOfEachVersion, TheIdleClassComesLastAndOneByOne) {
  Scenario s = scenario(GetParam());
  s.device.parameters = {{"queue_depth", 31}};
  s.tunables = {{"fifo_expire_sync", 60'000}};  // in 4.x an expired request is bound by no limit
  for (int i = 0; i < 64; ++i)
    s.processes.push_back({"idle", {IoClass::idle, 0}, {io(Op::read, static_cast<Sector>(i) * 20'000, 4, 4)}});
  Watcher alone;
  const RunResult result = run(s, alone);
  EXPECT_EQ(alone.issued, 256U);
  EXPECT_EQ(alone.most_of_one, 1U);
  EXPECT_EQ(result.requests_left, 0U);

  s.processes.resize(2);
  s.processes.push_back({"be", {IoClass::be, 4}, {io(Op::read, 1'000'000, 64, 4)}});
  Watcher mixed;
  run(s, mixed);
  const ProcessId last = *std::max_element(mixed.order.begin(), mixed.order.end());
  // Those that came before the first BE request may be out already.
  const auto first_idle = std::find_if(mixed.order.begin() + 2, mixed.order.end(), [&](ProcessId p) { return p != last; });
  EXPECT_GE(std::count(mixed.order.begin(), first_idle, last), 62);
}

TEST_P(CfqOfEachVersion, RtBeforeBe) {
  Scenario s = scenario(GetParam());
  s.processes.push_back({"rt", {IoClass::rt, 0}, {io(Op::read, 0, 100, 8)}});
  s.processes.push_back({"be", {IoClass::be, 0}, {io(Op::read, 1'000'000, 20, 1)}});
  Watcher watcher;
  run(s, watcher);
  const ProcessId rt = watcher.order.front();
  const auto first_be = std::find_if(watcher.order.begin(), watcher.order.end(), [&](ProcessId p) { return p != rt; });
  EXPECT_GE(std::count(watcher.order.begin(), first_be, rt), 99);
}

TEST(Cfq, AFlushEmptiesTheSchedulerByForce) {
  Scenario s = scenario("cfq-2.6.35");
  s.device.parameters = {{"volatile_cache", 1}};
  s.processes.push_back({"reader", {}, {io(Op::read, 500'000, 2'000, 8)}});
  ProcessOp fsync;
  fsync.kind = ProcessOp::Kind::fsync;
  s.processes.push_back(
      {"writer", {}, {io(Op::write, 0, 8, 8, REQ_SYNC), fsync, io(Op::write, 8'000, 8, 8, REQ_SYNC), fsync}});
  Watcher watcher;
  const RunResult result = run(s, watcher);
  EXPECT_TRUE(watcher.rules.contains("cfq.dispatch.forced"));
  EXPECT_EQ(result.requests_left, 0U);
  EXPECT_EQ(result.stuck_process, "");
}

// Nothing is lost and nothing hangs, whatever the processes and in whatever mixture of the versions' features. The bug
// of 2.6.39 (an empty queue is selected) is seen only where its feature is turned back.
RC_GTEST_PROP(Cfq, NoMixtureOfFeaturesLosesARequest, ()) {
  const auto names = std::vector<const char*>{"cfq-2.6.34", "cfq-2.6.35", "cfq-4.4", "cfq-4.19"};
  Scenario s = scenario(*rc::gen::elementOf(names));
  const SchedulerInfo& info = *find_scheduler(s.scheduler);
  bool drops_emptied = true;
  for (const TunableInfo& tunable : info.tunables) {
    if (!tunable.feature) continue;
    const bool flip = *rc::gen::weightedElement<bool>({{4, false}, {1, true}});
    const std::int64_t value = flip ? 1 - tunable.preset_value : tunable.preset_value;
    if (std::string(tunable.name) == "drop-emptied-queue") drops_emptied = value != 0;
    s.tunables.push_back({tunable.name, value});
  }
  s.tunables.push_back({"slice_idle", *rc::gen::element(0, 1, 8)});
  s.device.parameters = {{"queue_depth", *rc::gen::element(1, 4, 31)}};
  s.block.groups = {IoGroup{250, 0}, IoGroup{500, 1}};
  const auto count = *rc::gen::inRange(1, 7);
  unsigned expected = 0;
  for (int i = 0; i < count; ++i) {
    ProcessSpec process;
    process.name = "p";
    process.ioprio = {*rc::gen::element(IoClass::none, IoClass::rt, IoClass::be, IoClass::be, IoClass::idle),
                      static_cast<std::uint8_t>(*rc::gen::inRange(0, 8))};
    if (process.ioprio.io_class == IoClass::none) process.ioprio.level = 0;
    process.group = static_cast<std::uint32_t>(*rc::gen::inRange(0, 3));
    const auto steps = *rc::gen::inRange(1, 4);
    for (int step = 0; step < steps; ++step) {
      ProcessOp op =
          io(*rc::gen::element(Op::read, Op::write), static_cast<Sector>(*rc::gen::inRange(0, 40)) * 1000,
             static_cast<std::uint32_t>(*rc::gen::inRange(1, 40)), static_cast<std::uint32_t>(*rc::gen::inRange(1, 9)),
             *rc::gen::element<ReqFlags>(0, REQ_SYNC, REQ_SYNC | REQ_IDLE, REQ_META | REQ_PRIO));
      op.stride = *rc::gen::element(0, 8, 16, 3000);
      op.nowait = *rc::gen::arbitrary<bool>();
      op.think = *rc::gen::element(Nanoseconds(0), Nanoseconds(1ms), Nanoseconds(9ms));
      process.ops.push_back(op);
      if (*rc::gen::inRange(0, 4) == 0) {
        ProcessOp change;
        change.kind = ProcessOp::Kind::ioprio;
        change.ioprio = {IoClass::be, static_cast<std::uint8_t>(*rc::gen::inRange(0, 8))};
        process.ops.push_back(change);
      }
      expected += op.count * op.sectors;
    }
    s.processes.push_back(process);
  }
  struct Sectors final : TraceListener {
    void on_event(const TraceEvent& event) override {
      if (event.kind == EventKind::complete) completed += event.sectors;
      if (event.kind == EventKind::note && std::string(event.rule->name) == "cfq.dispatch.bug") bug = true;
    }
    std::uint64_t completed = 0;
    bool bug = false;
  } sectors;
  Machine machine(s);
  machine.trace().add(sectors);
  const RunResult result = machine.run();
  RC_ASSERT(!result.stopped_at_limit);
  RC_ASSERT(result.stuck_process.empty());
  RC_ASSERT(result.requests_left == 0U);
  RC_ASSERT(sectors.completed == expected);
  RC_ASSERT(!sectors.bug || !drops_emptied);
}

}  // namespace
}  // namespace elvcheck
