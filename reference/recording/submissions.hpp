// SPDX-License-Identifier: GPL-2.0-or-later
// What the processes of a recording did to the block layer, as steps that can be done again.
//
// Submissions are the recorded queue events. Plugs show only by what passed through them, so they are inferred, process by
// process: a plug was open at a submission whose request was plugged (P after its allocation); it was closed where it was
// flushed (U), where a request out of it was issued by the same process (without a scheduler a flush leaves no U), or, in
// recordings without plug events, where the process inserted requests. A flush by sleeping (UT) is a step of its own unless
// it fell inside a submission: there the block layer puts the process to sleep itself.
#pragma once

#include <vector>

#include "reference/recording/recording.hpp"

namespace elvcheck {

struct SubmissionStep {
  enum class Kind : std::uint8_t { submit, start_plug, finish_plug, sleep };
  Kind kind = Kind::submit;
  Nanoseconds at{0};
  ProcessId process = 0;
  std::size_t event = 0;  ///< submit: index of the queue event in Recording::events
};

/// The steps in the order in which they were recorded.
std::vector<SubmissionStep> submission_steps(const Recording& recording);

/// How long a process that waits for a free request takes from the completion that frees one until it has it: the shortest
/// such time in the recording, at most `longest`; 0 if none shows.
///
/// It decides races: the process whose own I/O completed is woken before the one that waits for a request, and may submit
/// and take the freed request first. A model whose processes run in no time would always give it to the waiting one.
Nanoseconds wake_latency(const Recording& recording, Nanoseconds longest);

}  // namespace elvcheck
