// SPDX-License-Identifier: GPL-2.0-or-later
// The queues that bounded model checking uses against the simulation's own: the same requests in the same order.
#include "checker/theorem/deadline_queue.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>

#include "model/machine.hpp"

namespace elvcheck {
namespace {

constexpr std::int64_t service_ms = 10;

struct GroundRun {
  std::vector<QueuedRequest<Concrete>> requests;
  std::int64_t fifo_batch, writes_starved, read_expire, write_expire;
};

/// A number in [low, high), evenly from the first case on (RapidCheck would begin with small ones).
std::int64_t pick(std::int64_t low, std::int64_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high));
}

/// A run whose device is never idle: request i arrives before dispatch number i.
GroundRun arbitrary_run() {
  GroundRun run{{}, pick(0, 5), pick(0, 4), pick(0, 60), pick(0, 120)};
  const std::int64_t count = pick(1, 15);
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < count; ++i) places.insert(places.begin() + pick(0, i + 1), i);
  std::int64_t slot = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) slot = pick(std::max(slot, i - 5), i);
    const std::int64_t arrival = i == 0 ? 0 : slot * service_ms + service_ms / 2;
    run.requests.push_back({pick(0, 3) == 0, places[static_cast<std::size_t>(i)], arrival});
  }
  return run;
}

std::vector<std::int64_t> order_of_the_queue_model(const GroundRun& run) {
  DeadlineCore<Concrete> core;
  core.fifo_batch = run.fifo_batch;
  core.writes_starved = run.writes_starved;
  DeadlineRun<Concrete, DeadlineCore<Concrete>> model(core, run.requests, run.read_expire, run.write_expire, service_ms);
  std::vector<std::int64_t> order;
  for (std::size_t k = 0; k < model.size(); ++k) {
    const auto dispatch = model.step();
    RC_ASSERT(std::count(dispatch.dispatched.begin(), dispatch.dispatched.end(), true) == 1);
    const auto at = std::find(dispatch.dispatched.begin(), dispatch.dispatched.end(), true) - dispatch.dispatched.begin();
    order.push_back(model.request(static_cast<std::size_t>(at)).sector);
  }
  return order;
}

std::vector<std::int64_t> order_of_the_simulation(const GroundRun& run) {
  Scenario scenario;
  scenario.scheduler = "deadline-4.19";
  scenario.tunables = {{"read_expire", run.read_expire},
                       {"write_expire", run.write_expire},
                       {"writes_starved", run.writes_starved},
                       {"fifo_batch", run.fifo_batch}};
  scenario.device.preset = "flat";
  scenario.device.parameters = {{"service_ns", service_ms * 1'000'000}};
  scenario.block.hz = 1000;
  ProcessSpec process;
  process.name = "submitter";
  for (const QueuedRequest<Concrete>& request : run.requests) {
    ProcessOp sleep;
    sleep.kind = ProcessOp::Kind::at;
    sleep.time = std::chrono::milliseconds(request.arrival);
    process.ops.push_back(sleep);
    ProcessOp io;
    io.op = request.write ? Op::write : Op::read;
    io.nowait = true;
    io.sector = static_cast<Sector>(request.sector * 1000);
    process.ops.push_back(io);
  }
  scenario.processes.push_back(process);
  Machine machine(scenario);
  TraceKeeper trace;
  machine.trace().add(trace);
  machine.run();
  std::vector<std::int64_t> order;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == EventKind::issue) order.push_back(static_cast<std::int64_t>(event.sector / 1000));
  }
  return order;
}

RC_GTEST_PROP(DeadlineRun, DispatchesInTheOrderOfTheSimulation, ()) {
  for (int i = 0; i < 20; ++i) {  // a run costs microseconds
    const GroundRun run = arbitrary_run();
    RC_ASSERT(order_of_the_queue_model(run) == order_of_the_simulation(run));
  }
}

// By hand: request 0 goes out at once. At 10 ms the read at 5 is the head of the fifo; its batch (fifo_batch 2) goes on to
// the next place up, 7. Writes wait since 5 ms and two read batches would have to pass them (writes_starved 2), so the read
// at 1 starts the second one; then the write, and the read that came last.
TEST(DeadlineRunByHand, TwoReadBatchesThenTheWrite) {
  const GroundRun run{
      {{false, 20, 0}, {false, 5, 5}, {true, 3, 5}, {false, 1, 5}, {false, 7, 5}, {false, 0, 5}}, 2, 2, 500, 5000};
  EXPECT_EQ(order_of_the_queue_model(run), (std::vector<std::int64_t>{20, 5, 7, 1, 3, 0}));
}

}  // namespace
}  // namespace elvcheck
