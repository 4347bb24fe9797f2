// SPDX-License-Identifier: GPL-2.0-or-later
// Independent pieces of work on several threads. Each piece writes to a place of its own, so the outcome does not depend on
// how many threads there are.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace elvcheck {

struct WorkLimits {
  unsigned jobs = 1;             ///< threads, >= 1
  std::chrono::seconds time{0};  ///< no piece is started after that; zero: no limit
};

/// Calls body(0) .. body(count - 1), each once, begun in this order, until all are done, the time is up, or a signal has
/// asked the program to end; `finished(n)` after each with the number of pieces done. Returns how many were done: always the
/// first ones. An exception of a piece ends the work and is thrown here; that of the piece with the lowest number if there
/// are several.
std::uint64_t run_pieces(std::uint64_t count, const WorkLimits& limits, const std::function<void(std::uint64_t)>& body,
                         const std::function<void(std::uint64_t)>& finished);

/// Processor time of the calling thread.
std::chrono::nanoseconds thread_time();

}  // namespace elvcheck
