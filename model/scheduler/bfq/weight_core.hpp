// SPDX-License-Identifier: GPL-2.0-or-later
// The decision core of BFQ's weights: from ioprio to weight, and weight raising.
//
// Mirrors bfq_ioprio_to_weight (block/bfq-wf2q.c) and the constants and time arithmetic of weight raising in
// block/bfq-iosched.c (6.1): bfq_wr_duration, bfq_bfqq_softrt_next_start, bfq_set_budget_timeout. Times are jiffies.
#pragma once

#include "model/scheduler/bfq/budget_core.hpp"

namespace elvcheck::bfq {

inline constexpr std::int64_t ioprio_levels = 8;        ///< IOPRIO_NR_LEVELS
inline constexpr std::int64_t weight_conversion = 10;   ///< BFQ_WEIGHT_CONVERSION_COEFF
inline constexpr std::int64_t default_weight = 40;      ///< weight of best-effort level 4; only this one is ever raised
inline constexpr std::int64_t min_weight = 1;           ///< BFQ_MIN_WEIGHT
inline constexpr std::int64_t max_weight = 1000;        ///< BFQ_MAX_WEIGHT
inline constexpr std::int64_t interactive_coeff = 30;   ///< bfq_wr_coeff
inline constexpr std::int64_t softrt_coeff = 30 * 100;  ///< with BFQ_SOFTRT_WEIGHT_FACTOR
inline constexpr std::int64_t max_service_from_wr = 120'000;  ///< sectors in one interactive period
inline constexpr std::int64_t max_softrt_rate = 7000;         ///< bfq_wr_max_softrt_rate, sectors a second

template <ArithmeticDomain D>
struct WeightCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;
  using Budget = BudgetCore<D>;

  static Num of_ioprio(Num level) { return (Num(ioprio_levels) - level) * Num(weight_conversion); }
  static Num to_ioprio(Num weight) {
    return Budget::max(Num(0), Num(ioprio_levels) - D::divide(weight, Num(weight_conversion)));
  }
  static Num clamped(Num weight) { return Budget::min(Budget::max(weight, Num(min_weight)), Num(max_weight)); }
  /// What a queue competes with while it is raised by `coeff` (1: not raised).
  static Num raised(Num weight, Num coeff) { return weight * coeff; }

  /// How long an interactive queue stays raised: the time in which the reference device loads the reference application,
  /// scaled by this device's peak rate, within 3 s and 25 s.
  static Num duration(Num rate_duration_product, Num peak_rate, Num least, Num most) {
    return Budget::min(Budget::max(D::divide(rate_duration_product, peak_rate), least), most);
  }
  /// From when on the next arrival counts as soft real-time: the queue must not be faster than max_softrt_rate.
  /// @param backlogged when the queue last became backlogged; @param service what it got since
  static Num softrt_next_start(Num old_value, Num backlogged, Num service, Num now, Num hz, Num slice_idle) {
    const Num by_rate = backlogged + D::divide(hz * service, Num(max_softrt_rate));
    return Budget::max(old_value, Budget::max(by_rate, now + slice_idle + Num(4)));
  }
  /// The factor on the budget timeout: soft real-time queues get none, others in proportion to their raised weight.
  static Num timeout_coeff(Bool soft_rt, Num weight, Num original_weight) {
    return D::select(soft_rt, Num(1), D::divide(weight, original_weight));
  }
};

}  // namespace elvcheck::bfq
