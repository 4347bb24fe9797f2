// SPDX-License-Identifier: GPL-2.0-or-later
// CFQ's unit of time: jiffies up to 4.7, nanoseconds from 4.8 on.
#pragma once

#include "model/core/units.hpp"

namespace elvcheck::cfq {

/// A time or duration in the version's unit. Signed: the kernel compares stamps by their signed difference (jiffies), or
/// never lets them fall below zero because its clock starts far above (nanoseconds, see KernelClock).
using Time = std::int64_t;

class Units {
 public:
  Units(bool nanoseconds, const KernelClock& clock) : nanoseconds_(nanoseconds), clock_(clock) {}

  /// The stamp of a virtual time.
  Time at(Nanoseconds when) const {
    return static_cast<Time>(nanoseconds_ ? clock_.monotonic_ns(when) : clock_.jiffies(when));
  }
  /// The earliest virtual time with that stamp: where a timer for it fires.
  Nanoseconds when(Time stamp) const {
    if (nanoseconds_) return Nanoseconds(stamp) - KernelClock::boot;
    return clock_.tick_start(static_cast<std::uint64_t>(stamp));
  }
  Time from_ms(std::int64_t ms) const {
    return nanoseconds_ ? ms * 1'000'000 : static_cast<Time>(clock_.msecs_to_jiffies(static_cast<std::uint64_t>(ms)));
  }
  Time second() const { return nanoseconds_ ? 1'000'000'000 : static_cast<Time>(clock_.hz()); }
  /// One tick.
  Time tick() const { return nanoseconds_ ? 1'000'000'000 / static_cast<Time>(clock_.hz()) : 1; }
  unsigned hz() const { return clock_.hz(); }

 private:
  bool nanoseconds_;
  KernelClock clock_;
};

}  // namespace elvcheck::cfq
