// SPDX-License-Identifier: GPL-2.0-or-later
// A workload with as little in it as shows the violation.
#include <algorithm>

#include "model/workload/workloads.hpp"
#include "properties/minimize/passes.hpp"

namespace elvcheck::minimize {

namespace {

std::int64_t& value_of(Scenario& scenario, const WorkloadParameter& parameter) {
  auto& values = scenario.workload.parameters;
  const auto at = std::find_if(values.begin(), values.end(), [&](const NamedValue& v) { return v.name == parameter.name; });
  if (at != values.end()) return at->value;
  values.push_back({parameter.name, parameter.usual});
  return values.back().value;
}

bool attempt_value(MinimizeSearch& search, const WorkloadParameter& parameter, std::int64_t value) {
  Scenario candidate = search.best();
  value_of(candidate, parameter) = value;
  return search.attempt(std::move(candidate));
}

}  // namespace

void small_workload(MinimizeSearch& search) {
  if (search.best().workload.name.empty()) return;
  Scenario without = search.best();
  without.workload = {};
  if (search.attempt(std::move(without))) return;
  const WorkloadInfo* const info = find_workload(search.best().workload.name);
  if (info == nullptr) return;
  for (const WorkloadParameter& parameter : info->parameters) {
    Scenario usual = search.best();
    std::erase_if(usual.workload.parameters, [&](const NamedValue& v) { return v.name == parameter.name; });
    if (!parameter.choices.empty()) {
      search.attempt(std::move(usual));
      continue;
    }
    if (attempt_value(search, parameter, parameter.min)) continue;
    // The smallest value that still shows it, if smaller ones do not.
    std::int64_t low = parameter.min;
    for (Scenario best = search.best();; best = search.best()) {
      const std::int64_t high = value_of(best, parameter);
      const std::int64_t middle = low + (high - low) / 2;
      if (middle == low) break;
      if (!attempt_value(search, parameter, middle)) low = middle;
    }
    search.attempt(std::move(usual));
  }
}

}  // namespace elvcheck::minimize
