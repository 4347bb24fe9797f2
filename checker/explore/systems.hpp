// SPDX-License-Identifier: GPL-2.0-or-later
// Small systems around the decision cores that the simulation runs, for exploration: who can starve?
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checker/explore/state_graph.hpp"

namespace elvcheck {

/// How many compete.
struct SystemSize {
  unsigned processes = 3;
  unsigned requests = 3;  ///< of each process at a time
};

/// A system, and the question that its exploration answers.
struct StarvationQuestion {
  std::string name;         ///< "expired-read"
  std::string statement;    ///< "A read that is past its deadline is served."
  bool can_starve = false;  ///< what is known of it: a starvation is no defect of this checker but of the scheduler
  std::unique_ptr<TransitionSystem> system;
};

/// The questions about a scheduler ("deadline-4.19", "cfq-2.6.35"); none if nothing is known about its family.
std::vector<StarvationQuestion> starvation_questions(const std::string& scheduler, SystemSize size);

/// DeadlineCore with fifo_batch 2 and writes_starved 2, among `processes` * `requests` other requests. The watched one is a
/// read or write whose deadline has passed. `starve_reads`: with writes_starved 0 instead.
std::unique_ptr<TransitionSystem> deadline_system(SystemSize size, bool watched_write, std::int64_t writes_starved);

/// SliceCore with 10 ticks of slice_sync and one tick of idling, for `processes` queues of levels 0, 4, 7, 0, ... in one
/// service tree. The last one is watched. `real_time`: the first is of the real-time class.
std::unique_ptr<TransitionSystem> cfq_system(SystemSize size, bool real_time);

}  // namespace elvcheck
