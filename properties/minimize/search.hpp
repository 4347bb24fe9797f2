// SPDX-License-Identifier: GPL-2.0-or-later
// What every pass of the minimiser works with: the best scenario so far, and the test whether another one keeps the verdict.
#pragma once

#include <compare>
#include <cstdint>
#include <set>

#include "properties/minimize.hpp"

namespace elvcheck {

/// 128 bits of everything that a scenario says: two that are equal here are taken as the same one.
struct Fingerprint {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};
Fingerprint fingerprint(const Scenario& scenario);

class MinimizeSearch {
 public:
  /// @param scenario  shows what is to be kept
  /// @param shows     the judge of candidates; outlives the search, as `limits` does
  MinimizeSearch(const Scenario& scenario, const ScenarioJudge& shows, const MinimizeLimits& limits)
      : shows_(shows), limits_(limits), best_(scenario), tried_{fingerprint(scenario)} {}

  const Scenario& best() const { return best_; }

  /// Judges the candidate unless its outcome is known. True: it shows what is to be kept and is now the best.
  bool attempt(Scenario candidate);

  /// The budget is used up, or the search was cancelled: attempt() accepts nothing more.
  bool over() const { return over_; }
  std::uint64_t runs() const { return runs_; }
  std::uint64_t accepted() const { return accepted_; }

 private:
  bool is_well_formed(const Scenario& candidate);

  const ScenarioJudge& shows_;
  const MinimizeLimits& limits_;
  Scenario best_;
  DeviceSpec measured_;  ///< the device whose capacity is `capacity_`
  Sector capacity_ = 0;
  std::set<Fingerprint> tried_;
  std::uint64_t runs_ = 1;  ///< the scenario given was run before
  std::uint64_t accepted_ = 0;
  bool over_ = false;
};

}  // namespace elvcheck
