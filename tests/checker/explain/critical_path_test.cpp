// SPDX-License-Identifier: GPL-2.0-or-later
// Critical paths: on runs that can be done on paper, and the sum rule on every case of tests/cases.
#include "checker/explain/critical_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "checker/report/failure.hpp"
#include "properties/case_file.hpp"

namespace elvcheck {
namespace {

Scenario far_reads(const char* scheduler, std::initializer_list<IoPrio> classes) {
  Scenario scenario;  // on "flat": every command takes 1 ms, one at a time
  scenario.scheduler = scheduler;
  Sector sector = 1000;
  for (const IoPrio ioprio : classes) {
    ProcessSpec process;
    process.name = "p" + std::to_string(scenario.processes.size());
    process.ioprio = ioprio;
    ProcessOp read;
    read.sector = sector += 100'000;
    process.ops.push_back(read);
    scenario.processes.push_back(process);
  }
  return scenario;
}

TEST(CriticalPath, OfTheThirdOfThreeReads) {
  const std::vector<TraceEvent> events = record_trace(far_reads("noop-4.19", {{}, {}, {}}));
  const std::vector<CriticalPath> paths = critical_paths(events);
  ASSERT_EQ(paths.size(), 3U);
  const CriticalPath& third = paths[2];
  EXPECT_EQ(third.to - third.from, 3ms);
  ASSERT_EQ(third.waits.size(), 3U);
  EXPECT_EQ(third.waits[0].holder, 1U);
  EXPECT_EQ(third.waits[0].to - third.waits[0].from, 1ms);
  EXPECT_EQ(third.waits[1].holder, 2U);
  EXPECT_EQ(third.waits[1].to - third.waits[1].from, 1ms);
  EXPECT_EQ(third.waits[2].reason, "served by the device");
  EXPECT_EQ(third.waits[2].to - third.waits[2].from, 1ms);
}

/// The pieces follow each other from submission to completion.
void expect_exact(const std::vector<CriticalPath>& paths) {
  for (const CriticalPath& path : paths) {
    Nanoseconds at = path.from;
    for (const Wait& wait : path.waits) {
      EXPECT_EQ(wait.from, at);
      EXPECT_LT(wait.from, wait.to);
      at = wait.to;
    }
    EXPECT_EQ(at, path.to) << "request " << path.request;
  }
}

TEST(CriticalPath, ThePiecesOfEveryCaseSumToTheLatency) {
  std::size_t paths = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ELVCHECK_TEST_CASES)) {
    const CaseFile value = read_case(entry.path().string());
    SCOPED_TRACE(entry.path().filename().string());
    const std::vector<CriticalPath> all = critical_paths(record_trace(value.scenario));
    expect_exact(all);
    paths += all.size();
  }
  EXPECT_GT(paths, 200U);
}

TEST(PriorityInversions, AnIdleReadThatCameFirstIsOne) {
  // noop knows no classes: the real-time read waits 1 ms for the idle one before it.
  const IoPrio idle{IoClass::idle, 0};
  const IoPrio real_time{IoClass::rt, 0};
  const auto paths = critical_paths(record_trace(far_reads("noop-4.19", {idle, real_time})));
  const std::vector<Inversion> inversions = priority_inversions(paths);
  ASSERT_EQ(inversions.size(), 1U);
  EXPECT_EQ(inversions[0].waiter, 2U);
  EXPECT_EQ(inversions[0].holder, 1U);
  EXPECT_EQ(inversions[0].time, 1ms);
  EXPECT_FALSE(inversions[0].mutual);
  EXPECT_TRUE(priority_inversions(critical_paths(record_trace(far_reads("noop-4.19", {real_time, idle})))).empty());
}

TEST(FirstDifference, BetweenFifoAndOrderOfSector) {
  // The driver holds the second read when the others come. After the third, deadline goes on with the nearer of the last
  // two.
  Scenario scenario = far_reads("noop-4.19", {{}, {}, {}, {}, {}});
  scenario.processes[3].ops[0].sector = 900'000;
  scenario.processes[4].ops[0].sector = 500'000;
  const std::vector<TraceEvent> fifo = record_trace(scenario);
  const Difference none = first_difference(fifo, fifo);
  EXPECT_EQ(none.place, 5U);
  EXPECT_EQ(none.first, nullptr);
  scenario.scheduler = "deadline-4.19";
  const std::vector<TraceEvent> sorted = record_trace(scenario);
  const Difference difference = first_difference(fifo, sorted);
  EXPECT_EQ(difference.place, 3U);
  ASSERT_NE(difference.first, nullptr);
  ASSERT_NE(difference.second, nullptr);
  EXPECT_EQ(difference.first->sector, 900'000U);
  EXPECT_EQ(difference.second->sector, 500'000U);
  ASSERT_NE(difference.second_decision, nullptr);
  EXPECT_STREQ(difference.second_decision->rule->name, "deadline.continue-batch");
}

}  // namespace
}  // namespace elvcheck
