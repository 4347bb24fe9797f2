// SPDX-License-Identifier: GPL-2.0-or-later
// The decision core of BFQ's think time: how long a process pauses between a completion and its next request.
//
// Mirrors struct bfq_ttime and bfq_update_io_thinktime (block/bfq-iosched.c, 6.1): an exponential mean over about eight
// pauses in 8-bit fixed point, each pause cut at twice slice_idle. Times are nanoseconds.
//
// Invariant: samples stay within [0, 255] and total within samples times the cut.
#pragma once

#include "model/domain/domain.hpp"

namespace elvcheck::bfq {

template <ArithmeticDomain D>
struct ThinkTime {
  using Num = typename D::Num;
  using Bool = typename D::Bool;

  Num last_end_request{0};  ///< when the latest request was done
  Num total{0};
  Num samples{0};
  Num mean{0};

  /// A request arrives at an idle queue. An arrival before the last end (a new queue's first, whose "end" is 1 ns ahead)
  /// counts as the longest pause, as the kernel's unsigned difference does.
  void arrival(Num now, Num longest) {
    const Num pause = now - last_end_request;
    const Num elapsed = D::select(now < last_end_request || longest < pause, longest, pause);
    samples = D::divide(Num(7) * samples + Num(256), Num(8));
    total = D::divide(Num(7) * total + Num(256) * elapsed, Num(8));
    mean = D::divide(total + Num(128), samples);
  }
  /// bfq_sample_valid(): from the third sample on.
  Bool valid() const { return Num(80) < samples; }
  /// Whether the process thinks too long to be worth waiting for.
  Bool long_for(Num slice_idle) const { return valid() && D::halve(slice_idle) < mean; }

  Bool invariant(Num longest) const {
    return Num(0) <= samples && samples <= Num(255) && Num(0) <= total && total <= Num(256) * longest;
  }
};

}  // namespace elvcheck::bfq
