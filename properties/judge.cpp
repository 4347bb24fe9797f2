// SPDX-License-Identifier: GPL-2.0-or-later
// Verdicts: a scenario is run once for all monitors; relations run it again as they need. A run that a model breaks off
// because its own invariant does not hold ends there, and a property must say so.
#include <stdexcept>

#include "properties/monitor_set.hpp"
#include "properties/observation.hpp"
#include "properties/property.hpp"

namespace elvcheck {

namespace {

/// Leaves a run whose outcome is known; the machine is thrown away.
struct RunIsDecided {};

class StopAtViolation : public TraceListener {
 public:
  explicit StopAtViolation(const Monitor& monitor) : monitor_(monitor) {}
  void on_event(const TraceEvent&) override {
    if (monitor_.violation()) throw RunIsDecided{};
  }

 private:
  const Monitor& monitor_;
};

/// Runs the machine; a run that a model broke off has RunResult::broken set.
const RunResult& run_to_the_end(Machine& machine) {
  try {
    machine.run();
  } catch (const std::logic_error&) {
    if (machine.result().broken.empty()) throw;
  }
  return machine.result();
}

void finish(Monitor& monitor, const RunResult& result) {
  monitor.finish(result.end, !result.stopped_at_limit && result.broken.empty());
}

Verdict verdict_of(const Property& property, const Monitor& monitor) {
  return {&property, monitor.violation(), monitor.worst(), monitor.judged()};
}

}  // namespace

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

namespace {

/// What the relation says. A changed run that a model breaks off is a violation too.
std::optional<Violation> judge_relation(const Property& property, property::PlainRun& run) {
  try {
    return property.relation(run);
  } catch (const std::invalid_argument&) {
    throw;
  } catch (const std::logic_error& error) {
    return Violation{"broken-invariant", error.what(), 0ns, 0, 1, 0};
  }
}

bool is_claimed(const Property& property, const RunFacts& facts) {
  return !property.refuted && (property.kept == nullptr || property.kept(facts));
}

template <class Wanted>
std::vector<Verdict> judge_wanted(const Scenario& scenario, const Wanted& wanted,
                                  const std::function<TraceListener&(const RunFacts&)>& watch) {
  Machine machine(scenario);
  struct Watched {
    const Property* property;
    std::unique_ptr<Monitor> monitor;
  };
  std::vector<Watched> watched;
  watched.reserve(properties().size());
  MonitorSet monitors(machine.facts());
  property::PlainRun plain(scenario);
  bool relations = false;
  for (const Property& property : properties()) {
    if (!property.applies(machine.facts()) || !wanted(property, machine.facts())) continue;
    watched.push_back({&property, property.monitor == nullptr ? nullptr : property.monitor(machine.facts())});
    Monitor* const monitor = watched.back().monitor.get();
    if (monitor == nullptr) {
      relations = true;
      continue;
    }
    monitor->watch(machine);
    monitors.add(*monitor);
  }
  machine.trace().add(monitors);
  if (relations) plain.listen_to(machine.trace());
  if (watch) machine.trace().add(watch(machine.facts()));
  const RunResult& result = run_to_the_end(machine);
  plain.ran(result);

  std::vector<Verdict> verdicts;
  verdicts.reserve(watched.size());
  bool reported = result.broken.empty();
  for (const Watched& each : watched) {
    if (each.monitor != nullptr) {
      finish(*each.monitor, result);
      verdicts.push_back(verdict_of(*each.property, *each.monitor));
    } else if (result.broken.empty()) {
      verdicts.push_back({each.property, judge_relation(*each.property, plain), 0, 1});
    } else {
      verdicts.push_back({each.property, std::nullopt, 0, 0});
    }
    reported = reported || verdicts.back().violation.has_value();
  }
  if (!reported) {
    // Nobody was asked whose business it is; it is not kept back.
    verdicts.push_back(
        {find_property("device.books"), Violation{"broken-invariant", result.broken, result.end, 0, 1, 0}, 0, 1});
  }
  return verdicts;
}

}  // namespace

std::vector<Verdict> judge_scenario(const Scenario& scenario, std::string_view glob, bool with_refuted) {
  return judge_wanted(scenario,
                      [&](const Property& property, const RunFacts& facts) {
                        return (with_refuted || is_claimed(property, facts)) && glob_match(glob, property.name);
                      },
                      {});
}

std::vector<Verdict> judge_run(const Scenario& scenario, const JudgeOptions& options) {
  return judge_wanted(
      scenario,
      [&](const Property& property, const RunFacts& facts) {
        if (!is_claimed(property, facts) || !glob_match(options.glob, property.name)) return false;
        if (property.relation != nullptr && !(property.once ? options.once : options.relations)) return false;
        return true;
      },
      options.watch);
}

std::optional<Verdict> judge_property(const Scenario& scenario, const Property& property) {
  try {
    Machine machine(scenario);
    if (!property.applies(machine.facts())) return std::nullopt;
    if (property.monitor == nullptr) {
      property::PlainRun plain(scenario);
      return Verdict{&property, judge_relation(property, plain), 0, 1};
    }
    const std::unique_ptr<Monitor> monitor = property.monitor(machine.facts());
    StopAtViolation stop(*monitor);
    monitor->watch(machine);
    machine.trace().add(*monitor);
    machine.trace().add(stop);
    try {
      finish(*monitor, run_to_the_end(machine));
    } catch (const RunIsDecided&) {
    }
    return verdict_of(property, *monitor);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace elvcheck
