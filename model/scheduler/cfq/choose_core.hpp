// SPDX-License-Identifier: GPL-2.0-or-later
// Which of two requests of a queue the head should visit first.
//
// Mirrors cfq_choose_req() of block/cfq-iosched.c (2.6.34 to 4.19). Sync goes before async, then metadata (or what carries
// the boost flag) before the rest. Otherwise the shorter way wins: forward as it is, backward within back_seek_max times a
// penalty; what lies further back is "wrapped" and loses to what is not. Promise: the choice does not depend on the order in
// which the two are given, unless they start at the same sector.
#pragma once

#include "model/domain/domain.hpp"

namespace elvcheck::cfq {

/// What the choice knows of a request.
template <Domain D>
struct RequestView {
  typename D::Num sector;
  typename D::Bool sync;
  typename D::Bool urgent;  ///< META (2.6.35) or PRIO (3.2 and later)
};

template <ArithmeticDomain D>
struct ChooseCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;

  Num back_max;      ///< sectors: twice back_seek_max, which is in KiB
  Num back_penalty;  ///< back_seek_penalty, >= 1

  /// True if `first` is the better one with the head at `head`; false: `second`.
  Bool first_wins(const RequestView<D>& first, const RequestView<D>& second, Num head) const {
    const Bool first_wrapped = wrapped(first.sector, head);
    const Bool second_wrapped = wrapped(second.sector, head);
    const Num first_way = distance(first.sector, head);
    const Num second_way = distance(second.sector, head);
    // At equal distance the higher sector wins: that is the one ahead. Of two wrapped ones the lower, where a sweep would
    // begin.
    const Bool by_way = first_way < second_way || (first_way == second_way && second.sector <= first.sector);
    const Bool by_place = D::select(first_wrapped && second_wrapped, first.sector <= second.sector,
                                    D::select(first_wrapped || second_wrapped, second_wrapped, by_way));
    const Bool by_urgency = D::select(differ(first.urgent, second.urgent), first.urgent, by_place);
    return D::select(differ(first.sync, second.sync), first.sync, by_urgency);
  }

  /// Behind the head by more than back_max.
  Bool wrapped(Num sector, Num head) const { return sector + back_max < head; }

  /// The way to a request that is not wrapped, in sectors, penalty included.
  Num distance(Num sector, Num head) const {
    return D::select(head <= sector, sector - head, (head - sector) * back_penalty);
  }

 private:
  static Bool differ(Bool a, Bool b) { return (a && !b) || (b && !a); }
};

}  // namespace elvcheck::cfq
