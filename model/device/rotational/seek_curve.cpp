// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/rotational/seek_curve.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "model/device/integer_root.hpp"

namespace elvcheck {

SeekCurve SeekCurve::two_piece(std::uint32_t cylinders, std::int64_t single, std::int64_t mean, std::int64_t full) {
  const std::uint32_t third = std::max(2U, cylinders / 3);
  if (cylinders < 8 || single <= 0 || full < single) {
    throw std::invalid_argument("seek curve: at least 8 cylinders and 0 < seek_single_ns <= seek_full_ns are needed");
  }
  const auto root = [](std::uint64_t d) { return static_cast<std::int64_t>(integer_root(d << 32)); };  // 16 fraction bits
  const std::int64_t one = root(1);
  const auto curve = [&](std::int64_t at_third) {
    SeekCurve result(cylinders);
    for (std::uint32_t d = 1; d < cylinders; ++d) {
      const std::int64_t time =
          d <= third ? single + (at_third - single) * (root(d) - one) / (root(third) - one)
                     : at_third + (full - at_third) * static_cast<std::int64_t>(d - third) / (cylinders - 1 - third);
      result.table_[d] = static_cast<std::uint32_t>(time);
    }
    return result;
  };
  // The mean is linear in the time at the meeting point, but for the rounding of each entry.
  const std::int64_t low = curve(single).mean_ns();
  const std::int64_t high = curve(full).mean_ns();
  if (mean < low || mean > high || low == high) {
    throw std::invalid_argument("seek curve: seek_mean_ns is " + std::to_string(mean) + ", but must lie in " +
                                std::to_string(low) + ".." + std::to_string(high) +
                                " for these seek_single_ns and seek_full_ns");
  }
  return curve(single + (full - single) * (mean - low) / (high - low));
}

SeekCurve SeekCurve::through(std::uint32_t cylinders, std::span<const SeekPoint> points, const SeekTail& tail) {
  SeekCurve result(cylinders);
  std::size_t right = 1;
  for (std::uint32_t d = 1; d < cylinders; ++d) {
    std::int64_t time = 0;
    if (tail.split != 0 && d > points.back().distance) {
      const auto root = static_cast<std::int64_t>(integer_root(std::uint64_t{d} << 32));  // 16 fraction bits
      time = d < tail.split ? tail.root_base_ns + (tail.root_ns * root >> 16) : tail.line_base_ns + tail.line_ns * d;
    } else {
      while (right + 1 < points.size() && points[right].distance < d) ++right;
      const SeekPoint& before = points[right - 1];
      const SeekPoint& behind = points[right];
      const std::int64_t run = static_cast<std::int64_t>(d) - before.distance;
      time = before.ns + (behind.ns - before.ns) * run / (behind.distance - before.distance);
    }
    result.table_[d] = static_cast<std::uint32_t>(time);
  }
  return result;
}

std::int64_t SeekCurve::mean_ns() const {
  const std::uint64_t count = table_.size();
  std::uint64_t sum = 0;  // below 2^64: 500,000 cylinders at 100 ms stay below 2^64
  for (std::uint64_t d = 1; d < count; ++d) sum += (count - d) * table_[d];
  return static_cast<std::int64_t>(sum / count * 2 / count);
}

}  // namespace elvcheck
