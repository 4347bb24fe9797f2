// SPDX-License-Identifier: GPL-2.0-or-later
// Scenarios for RapidCheck: its generator draws ours, and its shrinking hands over to our minimiser.
//
//   RC_GTEST_PROP(Deadline, Holds, ()) {
//     const Scenario scenario = *scenarios(*find_scheduler("deadline"), {}, "deadline.*");
//     RC_ASSERT(holds(scenario, "deadline.*"));
//   }
//
// A shrink tree of closures costs far more than a run of a scenario and stops at the first tree that does not reach lower.
// So a failing scenario has one shrink: the minimised case of the first violated property, 1-minimal, which has none. A
// header for whoever links RapidCheck; the library itself does not.
#pragma once

#include <rapidcheck.h>

#include <optional>
#include <ostream>
#include <string>

#include "model/device/preset.hpp"
#include "properties/corner_generator.hpp"
#include "properties/minimize.hpp"
#include "properties/property.hpp"

namespace elvcheck {

/// The first violated property of those that match the glob, or nothing.
inline std::optional<Verdict> first_violated(const Scenario& scenario, std::string_view glob) {
  for (Verdict& verdict : judge_scenario(scenario, glob)) {
    if (verdict.violation) return std::move(verdict);
  }
  return std::nullopt;
}

inline bool holds(const Scenario& scenario, std::string_view glob) { return !first_violated(scenario, glob); }

/// The scenario, or its minimised form if a property is violated.
inline Scenario minimized_scenario(const Scenario& scenario, std::string_view glob) {
  const auto verdict = first_violated(scenario, glob);
  if (!verdict) return scenario;
  CaseFile value;
  value.property = verdict->property->name;
  value.expect_violated = true;
  value.rule = verdict->violation->rule;
  value.scenario = scenario;
  return minimize_case(value).value.scenario;
}

/// A shrinkable of RapidCheck with at most one shrink.
class MinimizingShrinkable {
 public:
  MinimizingShrinkable(Scenario scenario, std::string glob) : scenario_(std::move(scenario)), glob_(std::move(glob)) {}
  Scenario value() const { return scenario_; }
  rc::Seq<rc::Shrinkable<Scenario>> shrinks() const {
    Scenario small = minimized_scenario(scenario_, glob_);
    if (small == scenario_) return {};
    return rc::seq::just(rc::shrinkable::just(std::move(small)));
  }

 private:
  Scenario scenario_;
  std::string glob_;
};

/// Scenarios of corners for one scheduler and device. RapidCheck's size (0 to 100) is the number of requests, about.
/// @param glob    of the properties that the test judges: what a shrunk scenario has to violate
/// @param mutant  a planted bug, or empty
inline rc::Gen<Scenario> scenarios(const SchedulerInfo& scheduler, const DeviceSpec& device, std::string glob,
                                   std::string mutant = {}) {
  const Sector capacity = make_device(device)->info().capacity;
  return [&scheduler, device, glob = std::move(glob), mutant = std::move(mutant), capacity](const rc::Random& random,
                                                                                            int size) {
    SplitMix64 numbers(rc::Random(random).next());
    const auto chosen = static_cast<RecipeSet>(numbers.next() & numbers.next());  // each recipe in a quarter of the cases
    Scenario scenario = generate_corners(SplitMix64(numbers.next()), scheduler, device, capacity, chosen,
                                         static_cast<std::uint32_t>(size / 2 + 1));
    scenario.mutant = mutant;
    return rc::makeShrinkable<MinimizingShrinkable>(std::move(scenario), glob);
  };
}

/// RapidCheck shows a counterexample as the text of a case.
inline void showValue(const Scenario& scenario, std::ostream& out) {
  CaseFile value;
  value.scenario = scenario;
  out << "\n" << format_case(value);
}

}  // namespace elvcheck
