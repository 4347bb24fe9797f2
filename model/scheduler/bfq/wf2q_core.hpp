// SPDX-License-Identifier: GPL-2.0-or-later
// The decision core of B-WF2Q+: time stamps of entities and the virtual time of a service tree.
//
// Mirrors the arithmetic of block/bfq-wf2q.c (6.1): bfq_delta, bfq_calc_finish, __bfq_activate_entity,
// bfq_update_fin_time_enqueue, bfq_calc_vtime_jump, bfq_bfqq_served, bfq_forget_idle. Virtual time counts 2^-22 sectors for
// each unit of weight; services and budgets are sectors. The trees and the search for the entity to serve are in
// service_tree.hpp.
//
// Promise (theorem of the repaired search, see eligible() there): a busy flow's start lags the virtual time by at most the
// largest budget over its weight. `stamps_ordered` and `served_within` are the invariants that the proof starts from.
#pragma once

#include "model/domain/domain.hpp"

namespace elvcheck::bfq {

/// WFQ_SERVICE_SHIFT: fractional bits of virtual time.
inline constexpr unsigned wfq_service_shift = 22;

template <ArithmeticDomain D>
struct Wf2qCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;

  struct Stamps {
    Num start;
    Num finish;
  };

  /// Virtual time that `service` sectors take at `weight`.
  static Num delta(Num service, Num weight) {
    return D::divide(service * Num(std::int64_t{1} << wfq_service_shift), weight);
  }
  static Num finish(Num start, Num service, Num weight) { return start + delta(service, weight); }

  /// Whether an activation restores the old stamps: the queue came back in time with budget left over, and virtual time has
  /// passed its finish.
  static Bool backshifts(Bool resumes_budget, Num vtime, Num old_finish) {
    return resumes_budget && D::after(vtime, old_finish);
  }
  /// Start of an entity that becomes backlogged.
  /// @param remembered whether it is still in the idle tree, that is, its weight still counts
  static Num activation_start(Num vtime, Num old_finish, Bool remembered, Bool backshifted) {
    const Num least = D::select(backshifted, old_finish, vtime);
    const Bool keeps_finish = remembered && !D::after(least, old_finish);
    return D::select(keeps_finish, old_finish, least);
  }
  /// Stamps with this budget; a back-shifted entity whose finish lies behind virtual time is pushed forward, a weight-raised
  /// queue by 1/push_divisor of the distance only.
  static Stamps enqueue(Num start, Num budget, Num weight, Num vtime, Bool backshifted, Num push_divisor) {
    const Num end = finish(start, budget, weight);
    const Bool pushed = backshifted && D::after(vtime, end);
    const Num push = D::select(pushed, D::divide(D::select(pushed, vtime - end, Num(0)), push_divisor), Num(0));
    return Stamps{start + push, end + push};
  }

  /// Virtual time after `service` sectors while entities of this weight sum have a share.
  static Num advance(Num vtime, Num service, Num weight_sum) { return vtime + delta(service, weight_sum); }
  /// The threshold of a lookup: virtual time, or the least start if nobody is eligible.
  static Num jump(Num vtime, Num least_start) { return D::select(D::after(least_start, vtime), least_start, vtime); }
  static Bool eligible(Num start, Num vtime) { return !D::after(start, vtime); }
  /// Whether an idle entity of that finish is forgotten: its service is paid for.
  static Bool forgotten(Num finish, Num vtime) { return !D::after(finish, vtime); }

  static Bool stamps_ordered(const Stamps& stamps) { return stamps.start <= stamps.finish; }
  static Bool served_within(Num service, Num budget) { return Num(0) <= service && service <= budget; }
};

}  // namespace elvcheck::bfq
