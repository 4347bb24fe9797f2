// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "model/block/rules.hpp"

namespace elvcheck::property {

void Observer::on_event(const TraceEvent& event) {
  switch (event.kind) {
    case EventKind::queue:
    case EventKind::back_merge:
    case EventKind::front_merge:
    case EventKind::insert:
    case EventKind::issue:
    case EventKind::complete:
      seen.push_back({event.at, event.kind, event.op, event.op == Op::flush ? 0 : event.sector - shift_, event.sectors});
      break;
    default:
      break;
  }
}

void PlainRun::OwnTimes::on_event(const TraceEvent& event) {
  if (event.kind == EventKind::timer || event.kind == EventKind::sleep_request) {
    seen = true;
  } else if (event.kind == EventKind::note) {
    const auto rules = block_rule::all();
    seen = seen || std::find(rules.begin(), rules.end(), event.rule) != rules.end();
  }
}

void PlainRun::listen_to(Trace& trace) {
  trace.add(observer_);
  trace.add(hasher_);
  trace.add(own_times_);
}

void PlainRun::need() {
  if (result_) return;
  Machine machine(scenario_);
  listen_to(machine.trace());
  ran(machine.run());
}

std::vector<Observation> observe(const Scenario& scenario, Sector shift) {
  Machine machine(scenario);
  Observer observer(shift);
  machine.trace().add(observer);
  machine.run();
  return std::move(observer.seen);
}

std::optional<Violation> first_difference(const char* rule, const std::vector<Observation>& expected,
                                          const std::vector<Observation>& other) {
  const auto [a, b] = std::mismatch(expected.begin(), expected.end(), other.begin(), other.end());
  if (a == expected.end() && b == other.end()) return std::nullopt;
  const Nanoseconds at = a != expected.end() ? a->at : b->at;
  const auto index = a - expected.begin();
  return Violation{rule, fmt::format("the runs differ from event {} on, at {} ns", index, at.count()), at, 0, 1, 0};
}

bool on_flat_device(const RunFacts& facts) {
  const DevicePreset* const preset = find_device_preset(facts.device.name);
  return facts.simulated && preset != nullptr && std::strcmp(preset->model, "flat") == 0;
}

}  // namespace elvcheck::property
