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

/// The run that relations compare others with. It is made when the first of them asks, unless somebody makes it anyway.
class PlainRun {
 public:
  /// The scenario outlives this.
  explicit PlainRun(const Scenario& scenario) : scenario_(scenario) {}

  /// The scenario is about to be run with this trace; ran() follows.
  void listen_to(Trace& trace);
  void ran(const RunResult& result) { result_ = result; }

  const Scenario& scenario() const { return scenario_; }
  const RunResult& result() { return need(), *result_; }
  const std::vector<Observation>& seen() { return need(), observer_.seen; }
  std::uint64_t hash() { return need(), hasher_.hash(); }
  /// The block layer's own times were at work: a timer, a rule of its own, or a wait for a free request.
  bool own_times() { return need(), own_times_.seen; }

 private:
  class OwnTimes : public TraceListener {
   public:
    void on_event(const TraceEvent& event) override;
    bool seen = false;
  };
  void need();

  const Scenario& scenario_;
  Observer observer_;
  TraceHasher hasher_;
  OwnTimes own_times_;
  std::optional<RunResult> result_;
};

/// Runs the scenario.
std::vector<Observation> observe(const Scenario& scenario, Sector shift = 0);

/// The first event in which the two differ, as a violation of that rule.
std::optional<Violation> first_difference(const char* rule, const std::vector<Observation>& expected,
                                          const std::vector<Observation>& other);

/// A simulated device of the model `flat`, whose service time depends on nothing.
bool on_flat_device(const RunFacts& facts);

}  // namespace elvcheck::property
