// SPDX-License-Identifier: GPL-2.0-or-later
// The list of small scenarios: its length is a figure of combinatorics, and it is the yardstick of the minimiser.
#include "checker/explore/scenarios.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "properties/minimize.hpp"
#include "properties/property.hpp"

namespace elvcheck {
namespace {

TEST(SmallScenarios, AreCountedRight) {
  // Programs over 4 letters: 4, 4 + 16, 4 + 16 + 64 of length up to 1, 2, 3. Of p programs there are (p + k - 1 choose k)
  // choices of k.
  EXPECT_EQ(SmallScenarios("noop-4.19", 1, 1).size(), 4U);
  EXPECT_EQ(SmallScenarios("noop-4.19", 2, 1).size(), 4U + 10U);
  EXPECT_EQ(SmallScenarios("noop-4.19", 1, 2).size(), 20U);
  EXPECT_EQ(SmallScenarios("noop-4.19", 3, 3).size(), 84U + 3570U + 102'340U);
}

TEST(SmallScenarios, ComeInAscendingOrderOfTheirSteps) {
  const SmallScenarios scenarios("noop-4.19", 2, 2);
  for (std::uint64_t n = 0; n < scenarios.size(); ++n) {
    EXPECT_EQ(size_of(scenarios.at(n)).ops, scenarios.steps(n));
    if (n > 0) {
      EXPECT_LE(scenarios.steps(n - 1), scenarios.steps(n));
    }
  }
}

/// The first and the last scenario that violate the property with the planted bug.
struct Extremes {
  std::optional<Scenario> smallest, largest;
};
Extremes violations(const SmallScenarios& scenarios, const char* mutant, const Property& property) {
  Extremes found;
  for (std::uint64_t n = 0; n < scenarios.size(); ++n) {
    Scenario scenario = scenarios.at(n);
    scenario.mutant = mutant;
    const auto verdict = judge_property(scenario, property);
    if (!verdict || !verdict->violation) continue;
    if (!found.smallest) found.smallest = scenario;
    found.largest = std::move(scenario);
  }
  return found;
}

struct Yardstick {
  const char* scheduler;
  const char* mutant;
  const char* property;
};

TEST(Minimizer, IsWithinAStepOfTheSmallestCase) {
  constexpr std::array<Yardstick, 4> yardsticks{{
      {"noop-4.19", "noop.last-first", "noop.fifo-order"},
      {"noop-4.19", "merge.drops-bio", "operations.answered"},
      {"mq-deadline-6.1", "multi-queue.one-tag-too-many", "device.depth"},
      {"none-6.1", "multi-queue.one-tag-too-many", "queue.depth"},
  }};
  for (const Yardstick& yardstick : yardsticks) {
    const Property* property = find_property(yardstick.property);
    ASSERT_NE(property, nullptr) << yardstick.property;
    const Extremes found = violations(SmallScenarios(yardstick.scheduler, 2, 2), yardstick.mutant, *property);
    ASSERT_TRUE(found.smallest.has_value()) << yardstick.mutant;
    CaseFile value;
    value.property = yardstick.property;
    value.expect_violated = true;
    value.scenario = *found.largest;
    EXPECT_LE(minimize_case(value).after.ops, size_of(*found.smallest).ops + 1) << yardstick.mutant;
  }
}

}  // namespace
}  // namespace elvcheck
