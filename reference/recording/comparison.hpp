// SPDX-License-Identifier: GPL-2.0-or-later
// A replay held against its recording, issue by issue.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/core/trace.hpp"

namespace elvcheck {

/// A recorded issue that the replay did not repeat.
struct Deviation {
  std::size_t index = 0;  ///< among the recorded issues, from 0
  TraceEvent recorded;
  std::optional<Nanoseconds> replayed;  ///< when the replay issued the same request; nothing: it did not
  bool in_order = false;
  /// One sentence with the times.
  std::string text() const;
};

/// An issue of the recording and one of the replay are the same if operation, sector and length are equal and both are the
/// k-th with these.
struct Comparison {
  static constexpr Nanoseconds tolerance{2000};

  std::size_t issues = 0;    ///< in the recording
  std::size_t replayed = 0;  ///< in the replay
  std::size_t matched = 0;   ///< issues that both have
  /// The most issues that can be kept so that recording and replay show them in the same order (the longest common
  /// subsequence of the two sequences of issues).
  std::size_t in_order = 0;
  std::size_t within_2us = 0;         ///< matched, and the times differ by at most `tolerance`
  std::size_t agree = 0;              ///< both: on the longest common subsequence and within the tolerance
  Nanoseconds largest_shift{0};       ///< the largest difference of time among the matched
  std::vector<Deviation> deviations;  ///< every recorded issue that does not agree, in recorded order
};

Comparison compare_issues(const std::vector<TraceEvent>& recorded, const std::vector<TraceEvent>& replayed);

}  // namespace elvcheck
