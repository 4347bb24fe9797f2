// SPDX-License-Identifier: GPL-2.0-or-later
// What every pass of the minimiser works with: the best scenario so far, and the test whether another one keeps the verdict.
#pragma once

#include <compare>
#include <cstdint>
#include <set>

#include "properties/minimize.hpp"
#include "properties/property.hpp"

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
  /// @param value  names a property and, if it expects a violation, perhaps its rule
  /// Throws InputError when the case does not have its verdict.
  MinimizeSearch(const CaseFile& value, const MinimizeLimits& limits);

  const Scenario& best() const { return best_; }
  /// The clause that is violated; empty if the case expects the property to hold.
  const std::string& rule() const { return rule_; }

  /// Runs the candidate unless its outcome is known. True: it keeps the verdict and is now the best.
  bool attempt(Scenario candidate);

  /// The budget is used up, or the search was cancelled: attempt() accepts nothing more.
  bool over() const { return over_; }
  std::uint64_t runs() const { return runs_; }
  std::uint64_t accepted() const { return accepted_; }

 private:
  bool keeps(const Scenario& candidate);
  bool is_well_formed(const Scenario& candidate);

  const Property& property_;
  bool expect_violated_;
  std::string rule_;
  const MinimizeLimits& limits_;
  Scenario best_;
  DeviceSpec measured_;  ///< the device whose capacity is `capacity_`
  Sector capacity_ = 0;
  std::set<Fingerprint> tried_;
  std::uint64_t runs_ = 0;
  std::uint64_t accepted_ = 0;
  bool over_ = false;
};

}  // namespace elvcheck
