// SPDX-License-Identifier: GPL-2.0-or-later
// Foreign code in a process of its own: whatever a patched scheduler does, elvcheck goes on and says what it was.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "reference/kernel/module.hpp"

namespace elvcheck::kernel {

struct ContainLimits {
  std::chrono::milliseconds cpu_for_each{10'000};  ///< processor time of one piece
  unsigned jobs = 1;                               ///< children at a time, >= 1
};

/// How a piece ended that did not finish.
struct Accident {
  enum class Kind {
    trouble,  ///< the kernel's code stopped itself: BUG_ON, a lock, a function that is not provided
    crash,    ///< a signal, or a finding of AddressSanitizer
    hang,     ///< it used up its processor time
  };
  Kind kind = Kind::crash;
  Trouble trouble = Trouble::bug;  ///< if kind is trouble
  std::string text;                ///< one sentence
};

/// Does pieces 0 .. count - 1 in child processes; child n of `jobs` does every jobs-th piece from n on. After an accident a
/// new child goes on with the next piece.
/// @param body     runs in the child; what it returns comes to the parent
/// @param finished runs in the parent, with what body has returned
/// @param accident runs in the parent
/// The parent hears of the pieces in their order, whatever the number of jobs. Returns early, between two pieces, when
/// `stop` says so. An exception of body ends everything and is thrown here as std::runtime_error with its text.
void run_contained(std::uint64_t count, const std::function<std::string(std::uint64_t)>& body,
                   const std::function<void(std::uint64_t, const std::string&)>& finished,
                   const std::function<void(std::uint64_t, const Accident&)>& accident, const ContainLimits& limits = {},
                   const std::function<bool()>& stop = {});

}  // namespace elvcheck::kernel
