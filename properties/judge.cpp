// SPDX-License-Identifier: GPL-2.0-or-later
// Verdicts: a scenario is run once for all monitors; relations run it again as they need. A run that a model breaks off
// because its own invariant does not hold ends there, and a property must say so.
#include <stdexcept>

#include "properties/property.hpp"

namespace elvcheck {

const Property* find_property(std::string_view name) {
  for (const Property& property : properties()) {
    if (property.name == name) return &property;
  }
  return nullptr;
}

bool glob_match(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return true;
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last '*', and how far it reaches
  std::size_t reach = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      reach = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++reach;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<Verdict> judge_scenario(const Scenario& scenario, std::string_view glob, bool with_refuted) {
  Machine machine(scenario);
  struct Watched {
    const Property* property;
    std::unique_ptr<Monitor> monitor;
  };
  std::vector<Watched> watched;
  for (const Property& property : properties()) {
    if ((property.refuted && !with_refuted) || !glob_match(glob, property.name) || !property.applies(machine.facts()))
      continue;
    watched.push_back({&property, property.monitor == nullptr ? nullptr : property.monitor(machine.facts())});
    if (watched.back().monitor == nullptr) continue;
    watched.back().monitor->watch(machine);
    machine.trace().add(*watched.back().monitor);
  }
  try {
    machine.run();
  } catch (const std::logic_error&) {
    if (machine.result().broken.empty()) throw;
  }
  const RunResult& result = machine.result();
  const bool complete = !result.stopped_at_limit && result.broken.empty();
  bool reported = result.broken.empty();

  std::vector<Verdict> verdicts;
  for (const Watched& each : watched) {
    Verdict verdict;
    verdict.property = each.property;
    if (each.monitor != nullptr) {
      each.monitor->finish(result.end, complete);
      verdict.violation = each.monitor->violation();
      verdict.worst = each.monitor->worst();
      verdict.judged = each.monitor->judged();
    } else if (result.broken.empty()) {
      verdict.violation = each.property->relation(scenario);
      verdict.judged = 1;
    }
    reported = reported || verdict.violation.has_value();
    verdicts.push_back(std::move(verdict));
  }
  if (!reported) throw std::logic_error(result.broken);
  return verdicts;
}

}  // namespace elvcheck
