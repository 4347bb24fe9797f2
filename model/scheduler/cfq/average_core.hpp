// SPDX-License-Identifier: GPL-2.0-or-later
// The running averages of CFQ: think time and busy queues.
//
// Mirrors __cfq_update_io_thinktime() and cfq_group_get_avg_queues() of block/cfq-iosched.c (2.6.34 to 4.19), with their
// integer truncation. Three oddities of the kernel live in it: in ticks, the rounding term makes the early means too high (a
// process that thinks exactly slice_idle counts as too slow for its third to sixth sample); in nanoseconds the truncated
// weight keeps every mean up to 3% too high; and the average of busy queues does not come down to 1 again once it was 2 or
// more.
#pragma once

#include "model/domain/domain.hpp"

namespace elvcheck::cfq {

/// Time from the end of a request to the submission of the next (struct cfq_ttime). Weights are fixed-point with 8 bits.
template <ArithmeticDomain D>
struct ThinkTimeCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;

  Num last_end{0};  ///< when the latest request ended; before the first, when the record was made
  Num samples{0};   ///< weight of all samples, 256 at most
  Num total{0};     ///< weighted sum of the samples
  Num mean{0};

  /// Takes the sample that ends now. @param cap slice_idle (or group_idle): a sample counts twice that at most
  void update(Num now, Num cap) {
    const Num elapsed = least<D>(now - last_end, cap + cap);
    samples = D::divide(Num(7) * samples + Num(256), Num(8));
    total = D::divide(Num(7) * total + Num(256) * elapsed, Num(8));
    mean = D::divide(total + Num(128), samples);
  }

  /// Enough samples to act on: from the third on (sample_valid()).
  Bool valid() const { return Num(80) < samples; }
  /// Thinks for longer than `wait` on average, as far as is known.
  Bool longer_than(Num wait) const { return valid() && wait < mean; }

  /// Holds at rest if every sample was capped by `cap` at most.
  Bool invariant(Num cap) const {
    return Num(0) <= samples && samples <= Num(249) && Num(0) <= total && total <= Num(512) * cap;
  }
};

/// The average number of busy queues of a class in a group. It rises at once (three quarters of the way) and falls slowly.
template <ArithmeticDomain D>
struct BusyAverageCore {
  using Num = typename D::Num;

  Num average{0};

  /// Takes a sample and returns the new average.
  Num update(Num busy) {
    const Num low = least<D>(average, busy);
    const Num high = greatest<D>(average, busy);
    average = D::divide(Num(3) * high + low + Num(2), Num(4));
    return average;
  }

  /// Holds if no sample was above `most`.
  typename D::Bool invariant(Num most) const { return Num(0) <= average && average <= most; }
};

}  // namespace elvcheck::cfq
