// SPDX-License-Identifier: GPL-2.0-or-later
// Why a request took so long: whom it waited for, under which decision, for how long.
//
// The time from the submission of a request's first bio to its completion is cut at every event that can end a wait. Each
// piece has one reason: no request was free; it was held in a plug; it waited in the scheduler while the device served
// another request, or while the device had nothing to do; it waited in the device behind an earlier command; it was served.
// The pieces follow each other without a gap, so they sum to the latency exactly. While several commands are in the device,
// the one that was handed over first is blamed.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/core/trace.hpp"

namespace elvcheck {

/// One piece of a wait.
struct Wait {
  Nanoseconds from{0};
  Nanoseconds to{0};
  RequestId holder = 0;  ///< who was served meanwhile, or 0
  const DecisionRule* rule =
      nullptr;         ///< the decision by which the holder went first, or the last one before the device idled; may be null
  std::string reason;  ///< "in the scheduler while the device serves request"
};

struct CriticalPath {
  RequestId request = 0;
  ProcessId process = 0;
  IoPrio ioprio;
  Nanoseconds from{0};  ///< submission
  Nanoseconds to{0};    ///< completion
  std::vector<Wait> waits;
};

/// The paths of all requests that were completed, in the order of their numbers.
std::vector<CriticalPath> critical_paths(std::span<const TraceEvent> events);

/// A request that waited for one of a lower class, or of the same class and a worse level.
struct Inversion {
  RequestId waiter = 0;
  RequestId holder = 0;
  Nanoseconds time{0};
  bool mutual =
      false;  ///< the holder, directly or through others, waited for the waiter too: a cycle of the waits-for graph
};

/// All of them, the longest first.
std::vector<Inversion> priority_inversions(std::span<const CriticalPath> paths);

/// The first request that two runs hand to the device differently.
struct Difference {
  std::size_t place = 0;                       ///< how many requests they hand over alike
  const TraceEvent* first = nullptr;           ///< the issue in the one run; null: it hands over no more
  const TraceEvent* second = nullptr;          ///< and in the other
  const TraceEvent* first_decision = nullptr;  ///< the last decision before it; null: none
  const TraceEvent* second_decision = nullptr;
};

/// Compares operation, place, length and time of what is handed over. `place` is the number of all requests if there is no
/// difference; both issues are then null.
Difference first_difference(std::span<const TraceEvent> first, std::span<const TraceEvent> second);

}  // namespace elvcheck
