// SPDX-License-Identifier: GPL-2.0-or-later
// The decision core of mq-deadline above DeadlineCore: which priority is served.
//
// Mirrors dd_dispatch_request() and dd_dispatch_prio_aged_requests() of block/mq-deadline.c (6.1). Two passes. The aging pass, only
// while requests of at least two priorities are owned, offers best-effort and then idle a dispatch that is refused unless the
// chosen request was inserted at least prio_aging_expire ago. The ordinary pass goes from real-time to idle and stops at the
// first priority that dispatches or owns a request, even one that is at the device.
//
// Promises: a lower priority waits while a higher one has requests, but not much longer than prio_aging_expire.
#pragma once

#include <array>

#include "model/domain/domain.hpp"

namespace elvcheck {

/// dd_prio: real-time, best-effort (also: no priority), idle.
inline constexpr std::size_t dd_prio_count = 3;

template <Domain D>
struct MqDeadlinePrioCore {
  using Bool = typename D::Bool;

  /// Whether the aging pass is entered. @param owned for each priority, whether a request of it was inserted and not finished
  static Bool aging_pass(const std::array<Bool, dd_prio_count>& owned) {
    return (owned[0] && owned[1]) || (owned[0] && owned[2]) || (owned[1] && owned[2]);
  }
  /// Whether the ordinary pass goes on to the next priority after this one.
  static Bool passes_on(Bool dispatched, Bool owned) { return !dispatched && !owned; }
  /// Whether a dispatch of a request that started at `start` is refused by the pass that wants it no later than `latest`; both
  /// in jiffies on one axis that does not wrap.
  static Bool refused(typename D::Num start, typename D::Num latest) { return latest < start; }
};

}  // namespace elvcheck
