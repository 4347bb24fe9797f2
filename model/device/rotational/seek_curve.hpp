// SPDX-License-Identifier: GPL-2.0-or-later
// The time of an arm movement as a table over the distance in cylinders.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace elvcheck {

/// A measured seek.
struct SeekPoint {
  std::uint32_t distance;  ///< cylinders, >= 1
  std::int64_t ns;
};

/// A formula for the distances behind the measured ones: root_base_ns + root_ns * sqrt(distance) below `split`,
/// line_base_ns + line_ns * distance from there on. None if `split` is 0.
struct SeekTail {
  std::uint32_t split = 0;
  std::int64_t root_base_ns = 0, root_ns = 0, line_base_ns = 0, line_ns = 0;
};

/// Seek times in nanoseconds, by distance. Distance 0 takes no time.
class SeekCurve {
 public:
  /// The two-piece curve (Ruemmler and Wilkes, An introduction to disk drive modeling, IEEE Computer 27(3), 1994):
  /// proportional to the root of the distance while the arm accelerates and brakes, linear where it coasts; the pieces meet
  /// at a third of the cylinders. `single`: to the next cylinder; `full`: over all; `mean`: over all pairs of cylinders,
  /// which fixes the meeting point. Throws std::invalid_argument if no curve between `single` and `full` has that mean.
  static SeekCurve two_piece(std::uint32_t cylinders, std::int64_t single, std::int64_t mean, std::int64_t full);

  /// Linear between the given points (ascending, the first at distance 1); behind the last one by `tail`, or without a tail
  /// on along the last two.
  static SeekCurve through(std::uint32_t cylinders, std::span<const SeekPoint> points, const SeekTail& tail = {});

  std::int64_t ns(std::uint32_t distance) const { return table_[distance]; }
  std::uint32_t cylinders() const { return static_cast<std::uint32_t>(table_.size()); }

  /// The mean over all pairs of cylinders, each as often as any other.
  std::int64_t mean_ns() const;

 private:
  explicit SeekCurve(std::uint32_t cylinders) : table_(cylinders, 0) {}
  std::vector<std::uint32_t> table_;
};

}  // namespace elvcheck
