// SPDX-License-Identifier: GPL-2.0-or-later
// Processes that wait for each other: told before a run, not found hanging in one.
#include "model/workload/processes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

namespace elvcheck {
namespace {

ProcessSpec waiting_for(const std::string& name, const std::vector<std::uint32_t>& targets) {
  ProcessSpec process;
  process.name = name;
  for (const std::uint32_t target : targets) {
    ProcessOp wait;
    wait.kind = ProcessOp::Kind::wait;
    wait.target = target;
    process.ops.push_back(wait);
  }
  return process;
}

/// Ends every process whose targets have all ended, until nothing changes.
bool somebody_hangs(const std::vector<std::vector<std::uint32_t>>& targets) {
  std::vector<bool> ended(targets.size(), false);
  for (std::size_t round = 0; round < targets.size(); ++round) {
    for (std::size_t i = 0; i < targets.size(); ++i)
      ended[i] = std::all_of(targets[i].begin(), targets[i].end(), [&](std::uint32_t target) { return ended[target]; });
  }
  return std::find(ended.begin(), ended.end(), false) != ended.end();
}

// Held against the definition, on every kind of small graph.
RC_GTEST_PROP(WaitCircle, IsFoundExactlyWhenSomebodyHangs, ()) {
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 6);
  const auto targets = *rc::gen::container<std::vector<std::vector<std::uint32_t>>>(
      count, rc::gen::mapcat(rc::gen::inRange(0, 3), [&](int waits) {
        return rc::gen::container<std::vector<std::uint32_t>>(static_cast<std::size_t>(waits),
                                                              rc::gen::inRange<std::uint32_t>(0, count));
      }));
  std::vector<ProcessSpec> processes;
  for (const auto& each : targets) processes.push_back(waiting_for("p" + std::to_string(processes.size()), each));
  const std::vector<std::size_t> circle = find_wait_circle(processes);
  RC_ASSERT(circle.empty() == !somebody_hangs(targets));
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const auto& waits = targets[circle[i]];
    RC_ASSERT(std::find(waits.begin(), waits.end(), circle[(i + 1) % circle.size()]) != waits.end());
  }
}

TEST(WaitCircle, IsToldWithItsNames) {
  try {
    check_waits({waiting_for("a", {}), waiting_for("b", {0, 2}), waiting_for("c", {1})});
    FAIL() << "nothing was said";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "process 'b' waits for 'c', which waits for 'b', so none of them can end; remove one of these waits");
  }
}

TEST(WaitCircle, IsNotReachedBehindAnExit) {
  std::vector<ProcessSpec> processes = {waiting_for("a", {1}), waiting_for("b", {0})};
  ProcessOp exit;
  exit.kind = ProcessOp::Kind::exit;
  processes[1].ops.insert(processes[1].ops.begin(), exit);
  EXPECT_TRUE(find_wait_circle(processes).empty());
}

}  // namespace
}  // namespace elvcheck
