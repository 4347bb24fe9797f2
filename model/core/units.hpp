// SPDX-License-Identifier: GPL-2.0-or-later
// Units of the simulation: virtual time, places on the medium, the kernel's tick.
#pragma once

#include <chrono>
#include <cstdint>

namespace elvcheck {

/// Virtual time or a duration; 64-bit integer nanoseconds. A run starts at 0 ns.
using Nanoseconds = std::chrono::nanoseconds;

using namespace std::chrono_literals;

/// A place on the device, in 512-byte sectors (sector_t of the kernel).
using Sector = std::uint64_t;

/// A length in 512-byte sectors.
using SectorCount = std::uint32_t;

inline constexpr std::uint64_t sector_bytes = 512;

/// Identifies a simulated (or recorded) process, like a kernel pid.
using ProcessId = std::int32_t;

/// The kernel's view of virtual time: a monotonic clock that started `boot` ago, and its tick counter.
///
/// Kernels of the single-queue era compare unsigned differences against constants of up to one second, so the clock must
/// not start near 0; 100 s is far enough.
class KernelClock {
 public:
  static constexpr Nanoseconds boot = 100s;

  /// @param hz ticks per second (CONFIG_HZ): 100, 250, 300 or 1000.
  explicit KernelClock(unsigned hz = 250) : hz_(hz) {}

  unsigned hz() const { return hz_; }

  /// Monotonic nanoseconds (ktime_get_ns) at virtual time `at`.
  std::uint64_t monotonic_ns(Nanoseconds at) const { return static_cast<std::uint64_t>((boot + at).count()); }

  /// The tick counter (jiffies) at virtual time `at`.
  std::uint64_t jiffies(Nanoseconds at) const {
    // boot is whole seconds, so splitting it off keeps the product below 2^63 for runs of days.
    const auto ns = static_cast<std::uint64_t>((boot + at).count());
    return ns / second_ns * hz_ + ns % second_ns * hz_ / second_ns;
  }

  /// The earliest virtual time at which jiffies() reaches `tick`.
  Nanoseconds tick_start(std::uint64_t tick) const {
    const std::uint64_t whole = tick / hz_ * second_ns;
    const std::uint64_t part = (tick % hz_ * second_ns + hz_ - 1) / hz_;
    return Nanoseconds(static_cast<std::int64_t>(whole + part)) - boot;
  }

  /// msecs_to_jiffies(): milliseconds to ticks, rounded up (kernel/time/time.c, 2.6.34 to 6.12, HZ <= 1000).
  std::uint64_t msecs_to_jiffies(std::uint64_t msecs) const { return (msecs * hz_ + 999) / 1000; }

 private:
  static constexpr std::uint64_t second_ns = 1'000'000'000;
  unsigned hz_;
};

}  // namespace elvcheck
