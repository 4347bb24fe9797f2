// SPDX-License-Identifier: GPL-2.0-or-later
// Which recipes the next scenarios are made of, from what the scenarios so far have reached.
//
// For each scheduler it counts how often a recipe was in a scenario, how often a target (a decision rule, a corner) was
// reached, and how often both. A recipe weighs what it has shown to reach, rare targets more than common ones; one that has
// shown little keeps a share. Whole numbers only: the same counts give the same choice everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "properties/corner_generator.hpp"
#include "properties/coverage.hpp"

namespace elvcheck {

/// Counts of scenarios of one scheduler. Targets are its rules (rules_of()), then the corners.
struct SteeringCounts {
  explicit SteeringCounts(std::size_t rules = 0)
      : reached(rules + corner_count), together(recipe_count * (rules + corner_count)) {}

  std::uint64_t cases = 0;
  std::array<std::uint64_t, recipe_count> with{};  ///< scenarios with the recipe
  std::vector<std::uint64_t> reached;              ///< scenarios that reached the target
  std::vector<std::uint64_t> together;             ///< recipe x target: both

  void add(RecipeSet chosen, const Reached& reached_now);
  void add(const SteeringCounts& other);
  friend bool operator==(const SteeringCounts&, const SteeringCounts&) = default;
};

/// For each recipe how often, of 256 times, a scenario should have it.
std::array<std::uint32_t, recipe_count> recipe_weights(const SteeringCounts& counts);

/// Draws a set of recipes with these weights.
RecipeSet draw_recipes(SplitMix64& numbers, const std::array<std::uint32_t, recipe_count>& weights);

}  // namespace elvcheck
