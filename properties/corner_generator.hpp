// SPDX-License-Identifier: GPL-2.0-or-later
// Small random scenarios made of corners: the situations in which schedulers are known to err, mixed as a campaign likes.
// generator.hpp draws what systems do; this one draws what hurts.
#pragma once

#include <array>
#include <cstdint>

#include "model/core/random.hpp"
#include "model/core/scenario.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck {

// X(identifier, "name", "what it puts into a scenario")
#define ELVCHECK_RECIPES(X)                                                                 \
  X(equal, "equal", "requests at places that were used before")                             \
  X(adjacent, "adjacent", "requests just before or behind earlier ones")                    \
  X(overlapping, "overlapping", "requests that overlap earlier ones")                       \
  X(end_of_disk, "end-of-disk", "places at both ends of the device")                        \
  X(burst, "burst", "all processes start at one instant and do not wait")                   \
  X(expiry_times, "expiry-times", "pauses of an expiry time, one tick less, one tick more") \
  X(short_expiry, "short-expiry", "expiry and aging times of a few ticks")                  \
  X(small_batch, "small-batch", "batches and starvation limits of 0 to 3")                  \
  X(small_depth, "small-depth", "a device that holds one or two commands")                  \
  X(few_requests, "few-requests", "queues of 1 to 8 requests")                              \
  X(prio_ties, "prio-ties", "one explicit priority for all processes")                      \
  X(prio_mix, "prio-mix", "different classes, changed on the way")                          \
  X(exit_inside, "exit-inside", "processes that end with requests in flight")               \
  X(refusals, "refusals", "a driver that refuses requests")                                 \
  X(flushes, "flushes", "fsync, FUA and PREFLUSH writes")                                   \
  X(plugs, "plugs", "plugged submissions")                                                  \
  X(merge_limits, "merge-limits", "small limits of requests' sizes and segments")           \
  X(mixed, "mixed", "reads and writes in turn from every process")                          \
  X(streams, "streams", "sequential streams between the single requests")                   \
  X(yields, "yields", "CFQ with the journal yield, and processes that yield to each other") \
  X(workloads, "workloads", "a small workload beside the processes")

enum class Recipe : std::uint8_t {
#define X(identifier, name, statement) identifier,
  ELVCHECK_RECIPES(X)
#undef X
};
struct RecipeInfo {
  const char* name;
  const char* statement;
};
inline constexpr std::array recipes = {
#define X(identifier, name, statement) RecipeInfo{name, statement},
    ELVCHECK_RECIPES(X)
#undef X
};
inline constexpr std::size_t recipe_count = recipes.size();

/// One bit for each recipe.
using RecipeSet = std::uint32_t;
constexpr bool contains(RecipeSet set, Recipe recipe) { return (set >> static_cast<unsigned>(recipe) & 1U) != 0; }

/// A scenario of 1 to 4 processes with about `ios` requests together, at most twice as many, on that scheduler and device.
/// It depends on nothing but the arguments. `capacity` is that of the device, at least 1024 sectors.
Scenario generate_corners(SplitMix64 numbers, const SchedulerInfo& scheduler, const DeviceSpec& device, Sector capacity,
                          RecipeSet chosen, std::uint32_t ios = 25);

}  // namespace elvcheck
