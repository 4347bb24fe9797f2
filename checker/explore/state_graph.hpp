// SPDX-License-Identifier: GPL-2.0-or-later
// Exhaustive exploration of a small system: every state that it can reach, and whether somebody can wait for ever in it.
//
// States are the vertices of a Boost graph, steps its edges. A state is a list of numbers that the system has normalised, so
// that states with the same future are one vertex. Clamping a number that drifts can hide a starvation; a system keeps the
// order of such numbers instead (their ranks).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace elvcheck {

using StateKey = std::vector<std::int64_t>;

/// One step from a state.
struct Step {
  StateKey next;
  std::string label;    ///< "dispatch the oldest read"
  bool serves = false;  ///< the watched request or queue gets what it waits for
};

class TransitionSystem {
 public:
  virtual ~TransitionSystem() = default;
  virtual StateKey initial() const = 0;
  virtual std::vector<Step> steps(const StateKey& state) const = 0;
  /// Whether the watched one waits, and has a right to be served after finitely many steps.
  virtual bool waits(const StateKey& state) const = 0;
};

/// A way to starve: after `prefix`, the steps of `cycle` can repeat for ever while the watched one waits.
struct Lasso {
  std::vector<std::string> prefix;
  std::vector<std::string> cycle;
};

struct Exploration {
  std::size_t states = 0;
  std::size_t steps = 0;
  bool complete = true;             ///< false: there are more than `most` states
  std::optional<Lasso> starvation;  ///< the one that is reached soonest, if there is any
  std::size_t longest_wait = 0;     ///< without starvation: the most steps in a row in which the watched one waits
};

/// Visits every state, breadth first, up to `most` of them.
Exploration explore(const TransitionSystem& system, std::size_t most = 2'000'000);

}  // namespace elvcheck
