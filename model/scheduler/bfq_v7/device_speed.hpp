// SPDX-License-Identifier: GPL-2.0-or-later
// What BFQ v7 takes for a slow and a fast device of each kind: reference rates (sectors a microsecond, times 2^16) and how
// long an application takes to start on them (R_slow, R_fast, T_slow, T_fast of block/bfq-iosched.c, v7r4 and v7r5).
#pragma once

#include <cstdint>

namespace elvcheck::bfq_v7 {

struct DeviceSpeed {
  std::int64_t slow_rate;
  std::int64_t fast_rate;
  std::int64_t slow_ms;
  std::int64_t fast_ms;
  /// device_speed_thresh: a device slower than that is slow.
  std::int64_t threshold() const { return (fast_rate + slow_rate) / 2; }
};

inline constexpr DeviceSpeed disk_speed{1536, 17415, 2600, 5500};
inline constexpr DeviceSpeed flash_speed{10752, 34791, 1000, 2000};

inline const DeviceSpeed& speed_of(bool rotational) { return rotational ? disk_speed : flash_speed; }

}  // namespace elvcheck::bfq_v7
