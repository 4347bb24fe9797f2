// SPDX-License-Identifier: GPL-2.0-or-later
// The machine: a scenario's processes, block layer, scheduler and device joined under one virtual clock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "model/block/block_layer.hpp"
#include "model/core/event_queue.hpp"
#include "model/core/scenario.hpp"
#include "model/core/trace.hpp"
#include "model/device/device.hpp"
#include "model/scheduler/make_block_layer.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck {

class Workload;

/// What is known about a run apart from its trace. For a recording of a real machine some of it is unknown.
struct RunFacts {
  const SchedulerInfo* scheduler = nullptr;  ///< null: unknown
  std::optional<TunableValues> tunables;     ///< none: unknown
  DeviceInfo device;
  BlockSettings block;    ///< with nr_requests resolved
  std::string workload;   ///< of the scenario; empty: none
  bool simulated = true;  ///< false: recorded on a real machine
};

/// How a run ended.
struct RunResult {
  Nanoseconds end{0};  ///< virtual time of the last event
  std::uint64_t events = 0;
  bool stopped_at_limit = false;  ///< scenario.limit was reached with events left
  unsigned requests_left = 0;     ///< allocated and not freed at the end: with stopped_at_limit false, a lost request
  unsigned operations_left = 0;   ///< submitted and not answered at the end: with stopped_at_limit false, a lost operation
  std::string stuck_process;      ///< a process that had not exited though nothing is left to happen, or empty
  std::string broken;             ///< a model found its own invariant broken and gave up: what it said; empty otherwise
};

/// Builds what stands behind the seam; `block` has nr_requests resolved. Everything given outlives the block layer.
using SeamMaker = std::function<std::unique_ptr<BlockLayer>(const Scenario& scenario, const BlockSettings& block, EventQueue& events,
                                                            Trace& trace, Device& device, BlockLayerHost& host)>;

/// While it lives, the machines that this thread builds have this block layer instead of the model's: properties, cases and
/// relations then judge a kernel's own code without knowing. The scenario's scheduler still names the table of tunables and
/// which properties apply.
class BehindTheSeam {
 public:
  explicit BehindTheSeam(SeamMaker maker);
  ~BehindTheSeam();
  BehindTheSeam(const BehindTheSeam&) = delete;
  BehindTheSeam& operator=(const BehindTheSeam&) = delete;

 private:
  SeamMaker maker_;
  const SeamMaker* before_;
};

class Machine {
 public:
  /// Builds everything. Throws std::invalid_argument (what and how to mend it) for an unknown scheduler, tunable, device or
  /// device parameter, a program that does not fit the device, or nesting errors of repeat/end.
  explicit Machine(const Scenario& scenario);
  /// As above, with a workload that no parameters describe (one over a tree of this machine, say) in place of the scenario's.
  Machine(const Scenario& scenario, std::unique_ptr<Workload> workload);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Trace& trace();
  const RunFacts& facts() const;

  const Device& device() const;
  /// The scenario's workload, or null.
  const Workload* workload() const;

  /// Runs until nothing is left to happen, or until the scenario's limit. Once. Throws RunStopped (model/core/stop.hpp), and
  /// std::logic_error if a model finds its own invariant broken; result() then says what was reached.
  const RunResult& run();
  /// Of run().
  const RunResult& result() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace elvcheck
