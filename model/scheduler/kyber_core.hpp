// SPDX-License-Identifier: GPL-2.0-or-later
// The decision core of kyber: what a latency counts as, when a domain is congested, and how many requests it may then have
// in flight.
//
// Mirrors add_latency_sample(), calculate_percentile() and the arithmetic of kyber_timer_fn() of block/kyber-iosched.c (6.1;
// 6.12 has not changed them). Latencies are counted in eight buckets, each a quarter of the domain's target wide, the last
// one open; half of them are good. What is left to the scheduler: queues, tokens, when the timer fires, and batches.
//
// Promises: a domain is throttled only if some domain's I/O latency is bad at its 90th percentile and its own total latency
// is good at its 99th; a domain whose 99th percentile is bad gets more depth; a depth stays between 1 and the domain's
// maximum.
#pragma once

#include <array>
#include <cstddef>

#include "model/domain/domain.hpp"

namespace elvcheck {

/// Buckets of a latency histogram; the first half is within the target.
inline constexpr std::size_t kyber_buckets = 8;

/// What the timer decides for one domain.
template <ArithmeticDomain D>
struct KyberThrottle {
  typename D::Num p99;         ///< bucket of the 99th percentile that is acted on; -1: none is known
  typename D::Num remembered;  ///< what to keep for the next time that there is congestion
  typename D::Bool adjusts;    ///< the depth is scaled
};

template <ArithmeticDomain D>
struct KyberCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;
  using Histogram = std::array<Num, kyber_buckets>;

  /// Samples of a domain before it is judged, unless a second has passed since it was first looked at with one.
  static constexpr int enough_samples = 500;

  /// The bucket of a latency in ns, >= 0, for a target in ns, >= 0. The kernel takes the low 32 bits of the quotient before
  /// it limits it, so with a target of a few ns a long latency can land in any bucket.
  static Num bucket(Num target, Num latency) {
    const Num width = greatest<D>(D::divide(target, Num(4)), Num(1));
    const Num quotient = D::divide(D::select(Num(0) < latency, latency - Num(1), Num(0)), width);
    const Num modulus(std::int64_t{1} << 32);
    return least<D>(quotient - D::divide(quotient, modulus) * modulus, Num(kyber_buckets - 1));
  }

  static Num samples(const Histogram& histogram) {
    Num sum(0);
    for (const Num& count : histogram) sum = sum + count;
    return sum;
  }

  /// The bucket in which the given percentile of the samples lies.
  static Num percentile(const Histogram& histogram, Num percent) {
    Num left = D::divide(samples(histogram) * percent + Num(99), Num(100));
    Num result(kyber_buckets - 1);
    Bool found = Num(1) < Num(0);
    for (std::size_t i = 0; i + 1 < kyber_buckets; ++i) {
      const Bool here = !found && left <= histogram[i];
      result = D::select(here, Num(static_cast<std::int64_t>(i)), result);
      found = found || here;
      left = D::select(found, left, left - histogram[i]);
    }
    return result;
  }

  static Bool bad(Num bucket) { return Num(kyber_buckets / 2) <= bucket; }

  /// @param p99 of this time, -1 if there were not enough samples  @param remembered of the times before, -1 if none
  /// @param congested whether any domain's I/O latency is bad
  static KyberThrottle<D> throttle(Num p99, Num remembered, Bool congested) {
    const Bool known = Num(0) <= p99;
    KyberThrottle<D> result;
    result.p99 = D::select(congested && !known, remembered, p99);
    result.remembered = D::select(congested, Num(-1), D::select(known, p99, remembered));
    result.adjusts = Num(0) <= result.p99 && (congested || bad(result.p99));
    return result;
  }

  /// The depth after an adjustment: in proportion to the 99th percentile, a quarter of the target a bucket.
  static Num scaled_depth(Num depth, Num p99, Num most) {
    return least<D>(greatest<D>(D::divide(depth * (p99 + Num(1)), Num(4)), Num(1)), most);
  }
};

}  // namespace elvcheck
