// SPDX-License-Identifier: GPL-2.0-or-later
// The two clocks that BFQ reads: nanoseconds and jiffies, both signed so that "long ago" needs no wrap.
#pragma once

#include <cstdint>
#include <limits>

#include "model/block/elevator.hpp"

namespace elvcheck::bfq {

using Jiffies = std::int64_t;

class KernelTime {
 public:
  explicit KernelTime(ElevatorHost& host) : events_(host.events()), clock_(host.clock()) {}

  /// ktime_get_ns().
  std::int64_t ns() const { return static_cast<std::int64_t>(clock_.monotonic_ns(events_.now())); }
  Jiffies jiffies() const {
    if (events_.now() != at_) {
      at_ = events_.now();
      jiffies_ = static_cast<Jiffies>(clock_.jiffies(at_));
    }
    return jiffies_;
  }
  /// time_is_before_jiffies().
  bool before_now(Jiffies when) const { return when < jiffies(); }
  /// time_is_before_eq_jiffies().
  bool reached(Jiffies when) const { return when <= jiffies(); }
  /// bfq_smallest_from_now(): as long ago as jiffies can express.
  Jiffies long_ago() const { return jiffies() - (std::numeric_limits<std::int64_t>::max() / 2 - 1); }

  Jiffies hz() const { return clock_.hz(); }
  /// msecs_to_jiffies().
  Jiffies ms(std::int64_t msecs) const {
    return static_cast<Jiffies>(clock_.msecs_to_jiffies(static_cast<std::uint64_t>(msecs)));
  }
  /// jiffies_to_msecs().
  std::int64_t to_ms(Jiffies jiffies) const { return jiffies * 1000 / hz(); }
  /// nsecs_to_jiffies().
  Jiffies from_ns(std::int64_t ns) const { return ns * hz() / 1'000'000'000; }

 private:
  EventQueue& events_;
  const KernelClock& clock_;
  mutable Nanoseconds at_{-1};
  mutable Jiffies jiffies_ = 0;
};

}  // namespace elvcheck::bfq
