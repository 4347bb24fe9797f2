// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/steering.hpp"

#include <algorithm>

namespace elvcheck {

void SteeringCounts::add(RecipeSet chosen, const Reached& reached_now) {
  ++cases;
  const std::size_t rules = reached_now.rule_hits.size();
  const auto hit = [&](std::size_t target) {
    return target < rules ? reached_now.rule_hits[target] > 0 : reached_now.hit(static_cast<Corner>(target - rules));
  };
  for (std::size_t r = 0; r < recipe_count; ++r) with[r] += contains(chosen, static_cast<Recipe>(r));
  for (std::size_t target = 0; target < reached.size(); ++target) {
    if (!hit(target)) continue;
    ++reached[target];
    for (std::size_t r = 0; r < recipe_count; ++r) {
      together[r * reached.size() + target] += contains(chosen, static_cast<Recipe>(r));
    }
  }
}

void SteeringCounts::add(const SteeringCounts& other) {
  cases += other.cases;
  const auto sum = [](auto& to, const auto& from) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
  };
  sum(with, other.with);
  sum(reached, other.reached);
  sum(together, other.together);
}

std::array<std::uint32_t, recipe_count> recipe_weights(const SteeringCounts& counts) {
  constexpr std::uint64_t scale = 1000;
  constexpr std::uint32_t least = 24;
  constexpr std::uint32_t most = 176;
  std::array<std::uint64_t, recipe_count> scores{};
  for (std::size_t target = 0; target < counts.reached.size(); ++target) {
    // 1000 for what was never reached, 1 for what every scenario reaches.
    const std::uint64_t rarity = scale / (1 + scale * counts.reached[target] / std::max<std::uint64_t>(counts.cases, 1));
    for (std::size_t r = 0; r < recipe_count; ++r) {
      const std::uint64_t both = counts.together[r * counts.reached.size() + target];
      scores[r] += rarity * (scale * (both + 1) / (counts.with[r] + 2));
    }
  }
  const std::uint64_t best = std::max<std::uint64_t>(*std::max_element(scores.begin(), scores.end()), 1);
  std::array<std::uint32_t, recipe_count> weights{};
  for (std::size_t r = 0; r < recipe_count; ++r) {
    weights[r] = least + static_cast<std::uint32_t>((most - least) * scores[r] / best);
  }
  return weights;
}

RecipeSet draw_recipes(SplitMix64& numbers, const std::array<std::uint32_t, recipe_count>& weights) {
  RecipeSet set = 0;
  for (std::size_t r = 0; r < recipe_count; ++r) {
    if (numbers.below(256) < weights[r]) set |= RecipeSet{1} << r;
  }
  return set;
}

}  // namespace elvcheck
