// SPDX-License-Identifier: GPL-2.0-or-later
// The minimiser: the smallest case that breaks the same property for the same reason.
//
// Delta debugging (Zeller, Hildebrandt: Simplifying and isolating failure-inducing input, IEEE TSE 28(2), 2002) over
// processes and steps, then single simplifications of what is left: counts, places, lengths, times, priorities, tunables,
// block settings, device. A candidate is accepted when the same property gives the same verdict by the same clause
// (Violation::rule). The passes repeat until none of them is accepted any more; the case is then 1-minimal: no single step
// of the kinds listed in minimize/passes.hpp can be taken. A run ends as soon as the property is violated, and no candidate
// is run twice. No clock, no chance: the same case and budget give the same result.
#pragma once

#include <cstdint>
#include <functional>

#include "properties/case_file.hpp"

namespace elvcheck {

struct MinimizeLimits {
  std::uint64_t runs = 20'000;      ///< the budget, in candidates that are run
  std::function<bool()> cancelled;  ///< asked before each run; true ends the search with the best case so far
};

/// How much there is to read and to happen in a scenario.
struct ScenarioSize {
  std::size_t processes = 0;
  std::size_t ops = 0;         ///< steps of all programs, as written in the case file
  std::uint64_t requests = 0;  ///< operations that these steps submit, repeats counted
  friend bool operator==(const ScenarioSize&, const ScenarioSize&) = default;
};
ScenarioSize size_of(const Scenario& scenario);

struct Minimized {
  CaseFile value;  ///< with `rule` filled in
  ScenarioSize before;
  ScenarioSize after;
  std::uint64_t runs = 0;    ///< candidates that were run
  bool one_minimal = false;  ///< false: the budget ended first, or the search was cancelled
};

/// Minimises a case. Throws InputError when it names no property or does not have its verdict: there is nothing to keep
/// then.
Minimized minimize_case(const CaseFile& value, const MinimizeLimits& limits = {});

/// Whether a scenario, which is fit to be a case file, still shows what is to be kept.
using ScenarioJudge = std::function<bool(const Scenario& scenario)>;

/// Minimises by a judge of its own: a verdict on a kernel's code, a difference between two runs. The case's scenario must
/// show it; its property, rule and note stay as they are.
Minimized minimize_case(const CaseFile& value, const ScenarioJudge& shows, const MinimizeLimits& limits);

}  // namespace elvcheck
