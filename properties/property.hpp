// SPDX-License-Identifier: GPL-2.0-or-later
// What must hold. A property is a sentence, its source, a bound with a unit, and a monitor that is fed a trace event by
// event.
//
// A new property is one small file beside this one and one line in registry.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/core/trace.hpp"
#include "model/machine.hpp"

namespace elvcheck {

/// How a property was broken.
struct Violation {
  std::string rule;     ///< which clause of the property, stable over minimisation: "waited-too-long"
  std::string message;  ///< one sentence with the numbers
  Nanoseconds at{0};
  RequestId request = 0;
  std::int64_t measured = 0;  ///< in the property's unit
  std::int64_t bound = 0;
};

class CfqMonitor;
class QueueMonitor;
namespace property {
class PlainRun;
}

/// Kinds of events, a bit for each.
using EventKinds = std::uint32_t;
template <class... Kinds>
constexpr EventKinds event_kinds(Kinds... kinds) {
  return ((EventKinds{1} << static_cast<unsigned>(kinds)) | ...);
}
inline constexpr std::size_t event_kind_count = static_cast<std::size_t>(EventKind::note) + 1;
inline constexpr EventKinds all_event_kinds = ~EventKinds{0};

/// Watches one run. Memory is bounded by what is in flight.
class Monitor : public TraceListener {
 public:
  /// The kinds of events that mean something to it; others need not be fed, but may be.
  virtual EventKinds wants() const { return all_event_kinds; }
  /// Itself, if it reads books that it can share with others (queue_monitor.hpp).
  virtual QueueMonitor* as_queue_monitor() { return nullptr; }
  /// The same for the books of cfq_monitor.hpp.
  virtual CfqMonitor* as_cfq_monitor() { return nullptr; }
  /// A simulation is about to begin; `machine` outlives the monitor's use. Not called for recordings.
  virtual void watch(const Machine& machine) { (void)machine; }
  /// The run is over. A recording may end with requests in flight (`complete_run` false).
  virtual void finish(Nanoseconds end, bool complete_run) { (void)end, (void)complete_run; }
  /// The first violation, if any.
  const std::optional<Violation>& violation() const { return violation_; }
  /// The largest value of the bounded quantity seen, in the property's unit; 0 if it has none.
  std::int64_t worst() const { return worst_; }
  /// How many times the property had something to judge.
  std::uint64_t judged() const { return judged_; }

 protected:
  void violate(Violation violation) {
    if (!violation_) violation_ = std::move(violation);
  }
  void judge(std::int64_t measured) {
    ++judged_;
    if (measured > worst_) worst_ = measured;
  }

 private:
  std::optional<Violation> violation_;
  std::int64_t worst_ = 0;
  std::uint64_t judged_ = 0;
};

struct Property {
  const char* name;       ///< "deadline.writes-starved"
  const char* statement;  ///< one sentence
  const char* source;     ///< where the promise was made: document, kernel file and version, or theorem
  const char* bound;      ///< the bound as a formula in words, with its unit
  /// Whether it says anything about this run.
  bool (*applies)(const RunFacts& facts);
  /// Judges the trace of one run; `facts` outlive the monitor. Null for a relation between runs.
  std::unique_ptr<Monitor> (*monitor)(const RunFacts& facts);
  /// Compares a run with others, of the same scenario with changes (observation.hpp). Null for a monitor.
  std::optional<Violation> (*relation)(property::PlainRun& run);
  /// A claim that is known to be false is kept as such: a case shows it, campaigns leave it out.
  bool refuted = false;
  /// Says something about the scheduler alone: a campaign judges it once for each scheduler.
  bool once = false;
  /// Whether this version keeps the promise; one that is known not to is left out by campaigns, and a case shows it. Null: all
  /// do.
  bool (*kept)(const RunFacts& facts) = nullptr;
};

/// Every property, in the order in which `elvcheck list` shows them.
std::span<const Property> properties();
const Property* find_property(std::string_view name);
/// "kernel.": what is judged only while a kernel's own code runs (reference/kernel/judge.hpp).
inline bool is_kernel_property(std::string_view name) { return name.starts_with("kernel."); }

/// `*` and `?` as in the shell; an empty pattern matches everything.
bool glob_match(std::string_view pattern, std::string_view text);

/// The verdict on one property of one run.
struct Verdict {
  const Property* property = nullptr;
  std::optional<Violation> violation;
  std::int64_t worst = 0;
  std::uint64_t judged = 0;
};

/// Runs the scenario once and judges every property that applies and matches the glob (refuted claims only if
/// `with_refuted`), then the relations. Throws std::invalid_argument for a scenario that cannot be built.
std::vector<Verdict> judge_scenario(const Scenario& scenario, std::string_view glob, bool with_refuted = false);

/// What judge_run() does beside judging.
struct JudgeOptions {
  std::string_view glob;  ///< of properties; refuted claims are left out
  bool relations = true;  ///< relations too, which run the scenario again
  bool once = true;       ///< those that say something about the scheduler alone too
  /// Makes a further listener of the run, owned by the caller. May be empty.
  std::function<TraceListener&(const RunFacts&)> watch;
};
/// As judge_scenario(), with a say in what is judged.
std::vector<Verdict> judge_run(const Scenario& scenario, const JudgeOptions& options);

/// Judges one property and ends the run as soon as it is violated. Nothing when the scenario cannot be built or the property
/// does not apply to it. `worst` and `judged` then count what came before the violation.
std::optional<Verdict> judge_property(const Scenario& scenario, const Property& property);

}  // namespace elvcheck
