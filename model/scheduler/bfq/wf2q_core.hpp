// SPDX-License-Identifier: GPL-2.0-or-later
// The decision core of B-WF2Q+: time stamps of entities and the virtual time of a service tree.
//
// Mirrors the arithmetic of block/bfq-wf2q.c (6.1): bfq_delta, bfq_calc_finish, __bfq_activate_entity,
// bfq_update_fin_time_enqueue, bfq_calc_vtime_jump, bfq_bfqq_served, bfq_forget_idle. Virtual time counts 2^-22 sectors for
// each unit of weight; services and budgets are sectors. The trees and the search for the entity to serve are in
// service_tree.hpp.
//
// Promise (theorem bfq.lag, with the repaired search): a busy flow's start lags the virtual time by at most the largest
// budget over its weight.
#pragma once

#include <concepts>

#include "model/domain/domain.hpp"

namespace elvcheck::bfq {

/// What time stamps need of a domain: service (Num), points of virtual time, and weights, by which service becomes virtual
/// time.
template <class D>
concept VirtualTimeDomain = requires(typename D::Num service, typename D::Bool b, typename D::VirtualTime t,
                                     typename D::Weight weight) {
  { D::select(b, t, t) } -> std::same_as<typename D::VirtualTime>;
  { D::after(t, t) } -> std::same_as<typename D::Bool>;
  { D::forward(t, service, weight) } -> std::same_as<typename D::VirtualTime>;
  { service <= service } -> std::same_as<typename D::Bool>;
};

/// WFQ_SERVICE_SHIFT: fractional bits of virtual time.
inline constexpr unsigned wfq_service_shift = 22;

/// Virtual time and weights as whole numbers of a domain, rounded as in the kernel.
template <ArithmeticDomain D>
struct FixedPointOver : D {
  using Num = typename D::Num;
  using VirtualTime = Num;
  using Weight = Num;
  /// Virtual time that `service` sectors take at `weight`, rounded down.
  static VirtualTime delta(Num service, Weight weight) {
    return D::divide(service * Num(std::int64_t{1} << wfq_service_shift), weight);
  }
  static VirtualTime forward(VirtualTime from, Num service, Weight weight) { return from + delta(service, weight); }
};

/// The domain of the simulation.
using FixedPoint = FixedPointOver<Concrete>;

template <VirtualTimeDomain D>
struct Wf2qCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;
  using VirtualTime = typename D::VirtualTime;
  using Weight = typename D::Weight;

  struct Stamps {
    VirtualTime start;
    VirtualTime finish;
  };

  static VirtualTime finish(VirtualTime start, Num service, Weight weight) { return D::forward(start, service, weight); }
  /// Stamps of a backlogged entity with this budget.
  static Stamps stamps(VirtualTime start, Num budget, Weight weight) { return {start, finish(start, budget, weight)}; }
  /// Stamps of an entity whose slot ends after `service`, whatever its budget was: it starts anew where the service got it.
  static Stamps charged(VirtualTime start, Num service, Weight weight) {
    const VirtualTime end = finish(start, service, weight);
    return {end, end};
  }
  /// Whether a is served before b, if both are eligible.
  static Bool precedes(const Stamps& a, const Stamps& b) { return D::after(b.finish, a.finish); }

  /// Whether an activation restores the old stamps: the queue came back in time with budget left over, and virtual time has
  /// passed its finish.
  static Bool backshifts(Bool resumes_budget, VirtualTime vtime, VirtualTime old_finish) {
    return resumes_budget && D::after(vtime, old_finish);
  }
  /// Start of an entity that becomes backlogged.
  /// @param remembered whether it is still in the idle tree, that is, its weight still counts
  static VirtualTime activation_start(VirtualTime vtime, VirtualTime old_finish, Bool remembered, Bool backshifted) {
    const VirtualTime least = D::select(backshifted, old_finish, vtime);
    const Bool keeps_finish = remembered && !D::after(least, old_finish);
    return D::select(keeps_finish, old_finish, least);
  }
  /// Stamps with this budget; a back-shifted entity whose finish lies behind virtual time is pushed forward, a weight-raised
  /// queue by 1/push_divisor of the distance only.
  static Stamps enqueue(VirtualTime start, Num budget, Weight weight, VirtualTime vtime, Bool backshifted,
                        Num push_divisor) requires ArithmeticDomain<D> {
    const Stamps plain = stamps(start, budget, weight);
    const Bool pushed = backshifted && D::after(vtime, plain.finish);
    const Num push = D::select(pushed, D::divide(D::select(pushed, vtime - plain.finish, Num(0)), push_divisor), Num(0));
    return Stamps{plain.start + push, plain.finish + push};
  }

  /// Virtual time after `service` sectors while entities of this weight sum have a share.
  static VirtualTime advance(VirtualTime vtime, Num service, Weight weight_sum) {
    return D::forward(vtime, service, weight_sum);
  }
  /// The threshold of a lookup: virtual time, or the least start if nobody is eligible.
  static VirtualTime jump(VirtualTime vtime, VirtualTime least_start) {
    return D::select(D::after(least_start, vtime), least_start, vtime);
  }
  static Bool eligible(VirtualTime start, VirtualTime vtime) { return !D::after(start, vtime); }
  /// Whether an idle entity of that finish is forgotten: its service is paid for.
  static Bool forgotten(VirtualTime finish, VirtualTime vtime) { return !D::after(finish, vtime); }

  /// What a search for the next entity does at a node of the active tree.
  struct SearchStep {
    Bool takes;      ///< the node is the best so far
    Bool goes_left;  ///< the search goes on in the left subtree
    Bool ends;       ///< it ends; otherwise, unless it goes left, it goes right
  };
  /// The shipped search (bfq_first_active_entity). @param left_least least start in the left subtree; @param found whether
  /// there is a best so far
  static SearchStep shipped_step(VirtualTime start, Bool has_left, VirtualTime left_least, VirtualTime threshold,
                                 Bool found) {
    const Bool takes = eligible(start, threshold);
    const Bool goes_left = has_left && eligible(left_least, threshold);
    return {takes, goes_left, !goes_left && (found || takes)};
  }
  /// The repaired search: a node counts only if nobody in its left subtree is eligible.
  static SearchStep repaired_step(VirtualTime start, Bool has_left, VirtualTime left_least, VirtualTime threshold, Bool) {
    const Bool goes_left = has_left && eligible(left_least, threshold);
    const Bool takes = !goes_left && eligible(start, threshold);
    return {takes, goes_left, takes};
  }

  static Bool stamps_ordered(const Stamps& stamps) { return !D::after(stamps.start, stamps.finish); }
};

}  // namespace elvcheck::bfq
