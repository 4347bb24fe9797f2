// SPDX-License-Identifier: GPL-2.0-or-later
// The formula disk: a single server whose service time is a fixed part, a part for each KiB and, unless the command begins
// where the previous one ended, a seek that grows with the square root of the distance.
//
// It mirrors the service-time patch to null_blk under which the recordings of tests/data named uml-hdd1* were made (a
// Linux 6.1 kernel in user mode, virtual time). The seek arithmetic is that driver's: the root is taken of the distance as a
// share of the capacity in 30-bit fixed point, which leaves 15 bits of the result:
//     seek = seek_min + ((seek_max - seek_min) * isqrt((distance << 30) / capacity) >> 15)
// A flush takes flush_ns and does not move the arm; a discard takes the fixed part. The volatile cache saves no time, as
// there.
//
// Those recordings show a clock that stands on multiples of 256 ns, and a timer hardware whose own time has a phase against
// that clock: the driver's timer is due start_ns after the issue plus the service time; the interrupt comes one nanosecond
// later plus the phase; if the clock, cut to its grid, does not show the due time yet, the kernel arms the hardware once
// more, retry_ns later. The phase left over is that of the next command. The recordings' other timers disturb the phase, so
// this predicts the clock's step exactly for about three commands in four and misses one step of 256 ns for the rest,
// without drift.
//
// Left out: rotation, zones, read-ahead.
#pragma once

#include <vector>

#include "model/device/field.hpp"
#include "model/device/fifo_device.hpp"

namespace elvcheck {

struct SeekConfig {
  std::int64_t fixed_ns = 100'000;
  std::int64_t ns_per_kib = 10'240;
  std::int64_t seek_min_ns = 2'000'000;
  std::int64_t seek_max_ns = 12'000'000;
  std::int64_t capacity_sectors = 655'360;
  std::int64_t queue_depth = 1;
  std::int64_t rotational = 1;
  std::int64_t cache_kib = 0;
  std::int64_t flush_ns = 5'000'000;
  std::int64_t fua = 0;
  std::int64_t start_ns = 0;
  std::int64_t granularity_ns = 1;
  std::int64_t retry_ns = 0;
  static const std::vector<Field<SeekConfig>>& fields();
};

class SeekDevice final : public FifoDevice {
 public:
  SeekDevice(std::string name, const SeekConfig& config);
  Nanoseconds least_time(const DeviceCommand& command) const override;

  /// The formula alone: the time of a read or write at `sector` when the previous one ended at `head`.
  std::int64_t service_ns(Sector head, Sector sector, SectorCount sectors) const;

 private:
  Nanoseconds serve(const DeviceCommand& command, Nanoseconds now) override;

  SeekConfig config_;
  Sector head_ = 0;
  std::int64_t phase_ = 0;
};

}  // namespace elvcheck
