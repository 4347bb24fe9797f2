// SPDX-License-Identifier: GPL-2.0-or-later
// The decision core of BFQ's peak-rate estimate: what one observation interval does to the estimate.
//
// Mirrors bfq_update_rate_reset (block/bfq-iosched.c, 6.1): a low-pass filter whose weight grows with the share of
// sequential dispatches and with the length of the interval. Rates are sectors a microsecond times 2^16.
//
// Invariant: the estimate stays between 1 and the larger of its old value and the measured rate.
#pragma once

#include "model/domain/domain.hpp"
#include "model/scheduler/bfq/budget_core.hpp"

namespace elvcheck::bfq {

inline constexpr std::int64_t rate_min_samples = 32;                 ///< BFQ_RATE_MIN_SAMPLES
inline constexpr std::int64_t rate_min_interval_ns = 300'000'000;    ///< BFQ_RATE_MIN_INTERVAL
inline constexpr std::int64_t rate_ref_interval_ns = 1'000'000'000;  ///< BFQ_RATE_REF_INTERVAL

template <ArithmeticDomain D>
struct PeakRateCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;

  /// Whether the interval is long enough to say anything.
  static Bool usable(Num samples, Num interval_ns) {
    return Num(rate_min_samples) <= samples && Num(rate_min_interval_ns) <= interval_ns;
  }
  /// Mean rate over the interval.
  static Num rate(Num sectors, Num interval_ns) {
    return D::divide(sectors * Num(std::int64_t{1} << rate_shift), D::divide(interval_ns, Num(1000)));
  }
  /// Whether the measured rate is let through: mostly sequential or above the estimate, and below 10 GB/s.
  static Bool credible(Num rate, Num peak, Num samples, Num sequential) {
    const Bool too_random = sequential < D::divide(Num(3) * samples, Num(4));
    return !(too_random && rate <= peak) && rate <= Num(std::int64_t{20} << rate_shift);
  }
  /// The estimate after a credible interval.
  static Num filtered(Num rate, Num peak, Num samples, Num sequential, Num interval_ns) {
    const Num share = D::divide(Num(9) * sequential, samples);
    const Num scaled = D::divide(share * interval_ns, Num(rate_ref_interval_ns));
    const Num weight = BudgetCore<D>::min(Num(8), scaled);
    const Num divisor = Num(10) - weight;
    const Num mixed = D::divide(peak * (divisor - Num(1)), divisor) + D::divide(rate, divisor);
    return BudgetCore<D>::max(Num(1), mixed);
  }
};

}  // namespace elvcheck::bfq
