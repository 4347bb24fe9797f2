// SPDX-License-Identifier: GPL-2.0-or-later
// The minimiser against the truth: exhaustive search over all small cases gives the least number of steps that show a
// planted bug; the minimiser starts from larger cases that show it and must end within one step of that.
//
// The alphabet: up to 3 processes of up to 3 steps, each a read or a write that is not waited for, at one of three places
// that do not touch. Cases are enumerated by their number of steps, so the first violation found is a minimum; processes are
// interchangeable, so only programs in ascending order are tried. A joined step with a count is one step, so the minimiser
// may even be below what single requests allow.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "model/core/random.hpp"
#include "properties/minimize.hpp"
#include "properties/property.hpp"

namespace elvcheck {
namespace {

struct Planted {
  const char* mutant;
  const char* property;
  const char* scheduler;
  std::vector<NamedValue> tunables;
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.mutant << " on " << planted.scheduler; }

constexpr std::array<Sector, 3> places = {0, 64, 128};
constexpr std::size_t letters = 2 * places.size();
constexpr std::size_t most_steps = 3;
constexpr std::size_t most_processes = 3;

ProcessOp letter(std::size_t number) {
  ProcessOp op;
  op.op = number % 2 == 0 ? Op::read : Op::write;
  op.sector = places[number / 2];
  op.nowait = true;
  return op;
}

using Program = std::vector<std::size_t>;

Scenario scenario_of(const Planted& planted, const std::vector<Program>& programs) {
  Scenario scenario;
  scenario.scheduler = planted.scheduler;
  scenario.tunables = planted.tunables;
  scenario.mutant = planted.mutant;
  scenario.block.nomerges = 2;
  scenario.block.nr_requests = 64;
  for (const Program& program : programs) {
    ProcessSpec process;
    process.name = "p" + std::to_string(scenario.processes.size() + 1);
    for (const std::size_t number : program) process.ops.push_back(letter(number));
    scenario.processes.push_back(std::move(process));
  }
  return scenario;
}

bool violated(const Planted& planted, const Scenario& scenario) {
  const auto verdict = judge_property(scenario, *find_property(planted.property));
  return verdict && verdict->violation;
}

/// Whether a case of exactly `steps` more steps behind `programs` shows the bug.
bool any_case(const Planted& planted, std::vector<Program>& programs, std::size_t steps) {
  if (steps == 0) return violated(planted, scenario_of(planted, programs));
  // Another step for the last process, or a process more. Each program is at least the one before it.
  const auto in_order = [&] { return programs.size() < 2 || programs[programs.size() - 2] <= programs.back(); };
  if (!programs.empty() && programs.back().size() < most_steps) {
    for (std::size_t number = 0; number < letters; ++number) {
      programs.back().push_back(number);
      const bool found = any_case(planted, programs, steps - 1);
      programs.back().pop_back();
      if (found) return true;
    }
  }
  if (programs.size() < most_processes && (programs.empty() || in_order())) {
    for (std::size_t number = 0; number < letters; ++number) {
      programs.push_back({number});
      const bool found = any_case(planted, programs, steps - 1);
      programs.pop_back();
      if (found) return true;
    }
  }
  return false;
}

std::optional<std::size_t> true_minimum(const Planted& planted) {
  for (std::size_t steps = 1; steps <= 6; ++steps) {
    std::vector<Program> programs;
    if (any_case(planted, programs, steps)) return steps;
  }
  return std::nullopt;
}

/// A violated case of 3 processes x 10 steps of the alphabet.
std::optional<CaseFile> random_failure(const Planted& planted, SplitMix64& random) {
  for (int attempt = 0; attempt < 2000; ++attempt) {
    std::vector<Program> programs(3);
    for (Program& program : programs) {
      for (int i = 0; i < 10; ++i) program.push_back(random.below(letters));
    }
    CaseFile value;
    value.property = planted.property;
    value.expect_violated = true;
    value.scenario = scenario_of(planted, programs);
    if (violated(planted, value.scenario)) return value;
  }
  return std::nullopt;
}

class Yardstick : public testing::TestWithParam<Planted> {};

TEST_P(Yardstick, TheMinimisedCaseIsWithinOneStepOfTheTrueMinimum) {
  const auto minimum = true_minimum(GetParam());
  ASSERT_TRUE(minimum) << "no small case shows the bug";
  RecordProperty("minimum", static_cast<int>(*minimum));
  SplitMix64 random(7);
  std::size_t worst = 0;
  for (int start = 0; start < 8; ++start) {
    const auto value = random_failure(GetParam(), random);
    ASSERT_TRUE(value);
    const Minimized result = minimize_case(*value);
    EXPECT_TRUE(result.one_minimal);
    worst = std::max(worst, result.after.ops);
    EXPECT_LE(result.after.ops, *minimum + 1) << format_case(result.value);
    if (HasFailure()) return;
  }
  RecordProperty("worst", static_cast<int>(worst));
}

const std::vector<NamedValue> small_batches = {{"fifo_batch", 1}, {"writes_starved", 1}};

INSTANTIATE_TEST_SUITE_P(
    PlantedBugs, Yardstick,
    testing::Values(Planted{"noop.last-first", "noop.fifo-order", "noop-4.19", {}},
                    Planted{"deadline.batch-one-more", "deadline.fifo-batch", "deadline-4.19", small_batches},
                    Planted{"deadline.batch-one-more", "deadline.fifo-batch", "mq-deadline-6.1", small_batches},
                    Planted{"deadline.starved-never-counted", "deadline.writes-starved", "deadline-4.19", small_batches},
                    Planted{"deadline.starved-never-counted", "deadline.writes-starved", "mq-deadline-6.1", small_batches}));

}  // namespace
}  // namespace elvcheck
