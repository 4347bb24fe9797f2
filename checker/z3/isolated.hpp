// SPDX-License-Identifier: GPL-2.0-or-later
// Work in processes of its own, each under a watchdog.
//
// Z3 may crash, exhaust memory or hang (its own time limit can hang in non-linear arithmetic). A forked child keeps that
// from the caller: whatever does not come back as a finished text counts as not done.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace elvcheck {

/// What came back from one task.
struct IsolatedResult {
  enum class End {
    finished,   ///< `text` is what the task returned
    threw,      ///< `text` is the message of its exception
    crashed,    ///< ended by a signal or without a word; `text` says how
    timed_out,  ///< killed by the watchdog
    cancelled,  ///< the caller gave up
  };
  End end = End::crashed;
  std::string text;
  double seconds = 0;  ///< wall clock
};

struct IsolatedOptions {
  unsigned jobs = 1;                           ///< processes at once, >= 1
  std::chrono::seconds watchdog{120};          ///< for each task
  std::function<void(std::size_t task)> done;  ///< called in the parent when a task has ended; may be empty
  std::function<bool()> cancelled;             ///< asked about ten times a second; true kills what runs; may be empty
};

/// Runs every task in a child process of its own and returns the results in the order of the tasks. The children ignore
/// SIGINT (the caller decides) and die with the parent. Throws std::system_error when no process or pipe can be made.
std::vector<IsolatedResult> run_isolated(std::span<const std::function<std::string()>> tasks,
                                         const IsolatedOptions& options);

}  // namespace elvcheck
