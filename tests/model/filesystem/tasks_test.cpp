// SPDX-License-Identifier: GPL-2.0-or-later
// Tasks: the order and the times of what they do, computed by hand on a device that serves one request in one millisecond.
#include "model/filesystem/tasks.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "model/machine.hpp"
#include "model/workload/workloads.hpp"

namespace elvcheck {
namespace {

/// A seam without a queue: each bio is done a millisecond after its submission; at most `room` are taken at once.
class Wire final : public BlockLayer, private Actor {
 public:
  explicit Wire(EventQueue& events) : events_(events) {}
  void connect(BlockLayerHost& host) { host_ = &host; }

  Submission submit(Bio& bio) override {
    seen.push_back(bio);
    if (waiting.empty() && inside.size() < room) return take(bio), Submission::accepted;
    waiting.push_back(&bio);
    return Submission::blocked;
  }
  Submission resume(ProcessId) override {
    if (inside.size() >= room) return Submission::blocked;
    take(*std::exchange(waiting, {}).front());
    return Submission::accepted;
  }
  void start_plug(ProcessId) override {}
  void finish_plug(ProcessId) override {}
  void process_sleeps(ProcessId, bool for_io) override { ++(for_io ? io_sleeps : other_sleeps); }
  void set_ioprio(ProcessId, IoPrio) override {}
  void exit_process(ProcessId process) override { exited.push_back(process); }
  unsigned requests_in_use() const override { return static_cast<unsigned>(inside.size()); }
  void command_done(std::uint32_t) override {}

  std::size_t room = 100;
  std::vector<Bio> seen;
  std::vector<Bio*> inside, waiting;
  std::vector<ProcessId> exited;
  int io_sleeps = 0, other_sleeps = 0;

 private:
  void take(Bio& bio) {
    inside.push_back(&bio);
    events_.schedule(events_.now() + 1ms, Rank::host, *this);
  }
  void on_event(std::uint64_t) override {
    Bio& bio = *inside.front();
    inside.erase(inside.begin());
    host_->bio_done(bio);
    if (!waiting.empty()) host_->wake(waiting.front()->process);
  }
  EventQueue& events_;
  BlockLayerHost* host_ = nullptr;
};

class TasksTest : public testing::Test {
 protected:
  void run() {
    wire.connect(tasks);
    tasks.start(wire);
    while (events.step()) {
    }
  }
  static DeviceInfo disk() {
    DeviceInfo info;
    info.capacity = 10'000;
    return info;
  }

  EventQueue events;
  Trace trace;
  BioId last_bio = 0;
  Tasks tasks{events, trace, disk(), 256, 101, last_bio};
  Wire wire{events};
};

Task<int> read_block(TaskContext& self, Sector sector) {
  co_await self.submit_and_wait({Op::read, REQ_META, sector, 8});
  co_return static_cast<int>(sector) + 1;
}

TEST_F(TasksTest, ComputingSleepingAndReadingTakeTheirTimes) {
  std::vector<Nanoseconds> times;
  tasks.spawn("reader", {}, [&](TaskContext& self) -> Task<> {
    co_await self.cpu(10us);
    times.push_back(self.now());
    const int got = co_await read_block(self, 40);
    EXPECT_EQ(got, 41);
    times.push_back(self.now());
    co_await self.sleep(5ms);
    times.push_back(self.now());
  });
  run();
  EXPECT_EQ(times, (std::vector<Nanoseconds>{10us, 1010us, 6010us}));
  EXPECT_EQ(wire.io_sleeps, 1);  // computing is no sleep
  EXPECT_EQ(wire.other_sleeps, 1);
  EXPECT_EQ(wire.exited, std::vector<ProcessId>{101});
  EXPECT_EQ(tasks.tasks_left(), 0U);
}

TEST_F(TasksTest, AnOperationLargerThanARequestGoesInPieces) {
  tasks.spawn("writer", {}, [](TaskContext& self) -> Task<> { co_await self.submit_and_wait({Op::write, 0, 100, 600}); });
  run();
  ASSERT_EQ(wire.seen.size(), 3U);
  EXPECT_EQ(wire.seen[2].sector, 612U);
  EXPECT_EQ(wire.seen[2].sectors, 88U);
  EXPECT_EQ(tasks.operations_left(), 0U);
}

TEST_F(TasksTest, SleepersAreWokenInTheOrderOfTheirComing) {
  WaitQueue queue;
  std::string order;
  for (const char name : {'a', 'b', 'c'}) {
    tasks.spawn(std::string(1, name), {}, [&, name](TaskContext& self) -> Task<> {
      co_await self.wait(queue);
      order += name;
    });
  }
  tasks.spawn("waker", {}, [&](TaskContext& self) -> Task<> {
    co_await self.sleep(1ms);
    self.wake_one(queue);
    order += '1';  // a woken task does not run inside its waker
    co_await self.sleep(1ms);
    self.wake_all(queue);
    order += '2';
  });
  run();
  EXPECT_EQ(order, "1a2bc");
}

TEST_F(TasksTest, ASubmissionSleepsWhileNoRequestIsFree) {
  wire.room = 1;
  Nanoseconds submitted{0};
  tasks.spawn("writer", {}, [&](TaskContext& self) -> Task<> {
    Completion both;
    co_await self.submit({Op::write, 0, 0, 8}, both);
    co_await self.submit({Op::write, 0, 8, 8}, both);
    submitted = self.now();
    co_await self.wait(both);
    EXPECT_EQ(self.now(), 2ms);
  });
  run();
  EXPECT_EQ(submitted, 1ms);
}

TEST_F(TasksTest, ATaskThatNobodyWakesIsNamedADaemonIsNot) {
  WaitQueue never;
  tasks.spawn(
      "kjournald", {}, [&](TaskContext& self) -> Task<> { co_await self.wait(never); }, true);
  run();
  EXPECT_EQ(tasks.unfinished(), "");
  tasks.spawn("reader", {}, [&](TaskContext& self) -> Task<> { co_await self.wait(never); });
  while (events.step()) {
  }
  EXPECT_EQ(tasks.unfinished(), "reader");
}

TEST_F(TasksTest, WhatATaskThrowsComesOutOfTheRun) {
  tasks.spawn("reader", {}, [&](TaskContext& self) -> Task<> { co_await read_block(self, 9'999); });
  EXPECT_THROW(run(), std::invalid_argument);
}

TEST(DumpWorkload, WorkersTakeTurnsInOneSequentialStream) {
  Scenario scenario;
  scenario.scheduler = "noop-4.19";
  scenario.workload = {"dump", {{"workers", 3}, {"reads", 7}, {"sectors", 8}, {"cpu_ns", 0}}};
  Machine machine(scenario);
  TraceKeeper kept;
  machine.trace().add(kept);
  const RunResult& result = machine.run();
  EXPECT_EQ(result.stuck_process, "");
  std::vector<std::pair<ProcessId, Sector>> issued;
  for (const TraceEvent& event : kept.events)
    if (event.kind == EventKind::issue) issued.emplace_back(event.process, event.sector);
  EXPECT_EQ(issued, (std::vector<std::pair<ProcessId, Sector>>{
                        {101, 0}, {102, 8}, {103, 16}, {101, 24}, {102, 32}, {103, 40}, {101, 48}}));
}

TEST(DumpWorkload, WrongParametersAreRefused) {
  Scenario scenario;
  scenario.workload = {"dump", {{"workers", 0}}};
  EXPECT_THROW(Machine{scenario}, std::invalid_argument);
  scenario.workload = {"dump", {{"wrokers", 1}}};
  EXPECT_THROW(Machine{scenario}, std::invalid_argument);
  scenario.workload = {"dmup", {}};
  EXPECT_THROW(Machine{scenario}, std::invalid_argument);
}

}  // namespace
}  // namespace elvcheck
