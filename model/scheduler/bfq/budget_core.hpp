// SPDX-License-Identifier: GPL-2.0-or-later
// The decision core of BFQ's budgets: how much a queue may be served in one slot, and what it learns from the slot.
//
// Mirrors bfq_max_budget, bfq_min_budget, bfq_calc_max_budget, __bfq_bfqq_recalc_budget and bfq_bfqq_charge_time
// (block/bfq-iosched.c and bfq-wf2q.c, 6.1). Amounts are sectors.
//
// Invariant: a budget that starts within [min, limit] stays there whatever the slots end with, if min <= limit.
#pragma once

#include "model/domain/domain.hpp"

namespace elvcheck::bfq {

/// enum bfqq_expiration: why a slot ended; the numbers are the kernel's.
enum class Expiration { too_idle = 0, budget_timeout = 1, budget_exhausted = 2, no_more_requests = 3, preempted = 4 };

inline constexpr std::int64_t default_max_budget = 16 * 1024;  ///< bfq_default_max_budget
inline constexpr std::int64_t stats_min_budgets = 194;         ///< bfq_stats_min_budgets
inline constexpr std::int64_t async_charge_factor = 3;         ///< bfq_async_charge_factor
inline constexpr unsigned rate_shift = 16;                     ///< BFQ_RATE_SHIFT

template <ArithmeticDomain D>
struct BudgetCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;

  static Num min(Num a, Num b) { return D::select(b < a, b, a); }
  static Num max(Num a, Num b) { return D::select(a < b, b, a); }

  /// The count of budgets assigned after one more; it saturates below 256.
  static Num assigned_next(Num assigned) { return D::divide(assigned * Num(7) + Num(256), Num(8)); }
  /// Whether enough budgets were assigned for the device's maximum to be used.
  static Bool trusted(Num assigned) { return Num(stats_min_budgets) <= assigned; }
  static Num max_in_use(Num assigned, Num device_max) {
    return D::select(trusted(assigned), device_max, Num(default_max_budget));
  }
  static Num min_in_use(Num assigned, Num device_max) { return D::divide(max_in_use(assigned, device_max), Num(32)); }
  /// A new queue's budget.
  static Num initial(Num max_in_use) { return D::divide(Num(2) * max_in_use, Num(3)); }
  /// The autotuned maximum: what the device can transfer within the budget timeout.
  /// @param peak_rate sectors a microsecond, times 2^16
  static Num autotuned(Num peak_rate, Num timeout_ms) {
    return D::divide(peak_rate * Num(1000) * timeout_ms, Num(std::int64_t{1} << rate_shift));
  }

  /// The queue's next budget after a slot of a sync queue that is not weight-raised. Not for a preemption, which teaches
  /// nothing.
  /// @param in_flight whether requests of the queue are still at the device
  static Num feedback(Expiration reason, Num budget, Num service, Bool in_flight, Num least, Num device_max) {
    switch (reason) {
      case Expiration::too_idle: {
        const Num grown = min(budget * Num(2), device_max);
        const Num shrunk = D::select(Num(5) * least < budget, budget - Num(4) * least, least);
        return D::select(in_flight, grown, shrunk);
      }
      case Expiration::budget_timeout:
        return min(budget * Num(2), device_max);
      case Expiration::budget_exhausted:
        return min(budget * Num(4), device_max);
      case Expiration::no_more_requests:
        return max(service, least);
      case Expiration::preempted:
        break;
    }
    return budget;
  }

  /// Sectors that a slow queue is charged for its time: the share of the device's maximum that the time has of the timeout.
  static Num time_charge(Num device_max, Num elapsed_ms, Num timeout_ms) {
    return D::divide(device_max * min(elapsed_ms, timeout_ms), timeout_ms);
  }

  static Bool within(Num budget, Num least, Num limit) { return least <= budget && budget <= limit; }
};

}  // namespace elvcheck::bfq
