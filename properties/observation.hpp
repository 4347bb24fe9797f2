// SPDX-License-Identifier: GPL-2.0-or-later
// What relations between runs compare: what the device and the submitters see of a run.
#pragma once

#include <optional>
#include <vector>

#include "model/device/preset.hpp"
#include "properties/property.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck::property {

struct Observation {
  Nanoseconds at{0};
  EventKind kind = EventKind::issue;
  Op op = Op::read;
  Sector sector = 0;
  SectorCount sectors = 0;
  friend bool operator==(const Observation&, const Observation&) = default;
};

/// Keeps submissions, merges, insertions, issues and completions.
class Observer : public TraceListener {
 public:
  /// @param shift is taken off every place
  explicit Observer(Sector shift = 0) : shift_(shift) {}
  void on_event(const TraceEvent& event) override;
  std::vector<Observation> seen;

 private:
  Sector shift_;
};

/// Runs the scenario.
std::vector<Observation> observe(const Scenario& scenario, Sector shift = 0);

/// The first event in which the two differ, as a violation of that rule.
std::optional<Violation> first_difference(const char* rule, const std::vector<Observation>& expected,
                                          const std::vector<Observation>& other);

/// A simulated device of the model `flat`, whose service time depends on nothing.
bool on_flat_device(const RunFacts& facts);

}  // namespace elvcheck::property
