// SPDX-License-Identifier: GPL-2.0-or-later
// How many requests of the active queue may be inside the device.
//
// Mirrors cfq_may_dispatch() and cfq_slice_used_soon() of block/cfq-iosched.c (2.6.34 to 4.19). A queue that will be idled
// on waits for async requests to leave the device first; an async queue waits for sync ones. Half the quantum may always be
// inside, the full quantum while the slice is young, no limit for a queue that is alone. Under low_latency the depth of an
// async queue grows by one for each slice_sync that passes without a delayed sync request. Promises: an idle-class queue has
// one request inside at most; the async ramp starts at one.
#pragma once

#include "model/domain/domain.hpp"

namespace elvcheck::cfq {

/// What the decision knows of the active queue and the device.
template <Domain D>
struct DispatchView {
  using Num = typename D::Num;
  using Bool = typename D::Bool;

  Bool must_dispatch;  ///< an expired request waits, and the version lets that decide (4.4 and later)
  Bool idled_on;       ///< should_idle()
  Bool sync;
  Bool idle_class;
  Bool slice_new;     ///< the slice's clock has not started
  Num slice_left;     ///< slice_end - now; meaningless if slice_new
  Num inside;         ///< requests of this queue in the dispatch list or the device
  Num async_inside;   ///< of all async queues
  Num sync_inside;    ///< of all sync queues
  Bool alone;         ///< no other queue is busy
  Bool sole_sync;     ///< the only busy sync queue, and the version lets that decide (2.6.39 and later)
  Num since_delayed;  ///< time since a sync request was delayed
};

template <ArithmeticDomain D>
struct DispatchCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;

  Num quantum;     ///< requests
  Num slice_idle;  ///< time units
  Num slice_sync;
  Bool low_latency;

  Bool may_dispatch(const DispatchView<D>& v) const {
    const Bool drain_async = v.idled_on && Num(0) < v.async_inside;
    const Bool wait_for_sync = !v.sync && Num(0) < v.sync_inside;
    const Num half = D::select(v.idle_class, Num(1), greatest<D>(D::halve(quantum), Num(1)));
    const Bool beyond_half = half <= v.inside;
    // Every request inside will need about slice_idle of what is left of the slice.
    const Bool used_soon = v.slice_new || v.slice_left < slice_idle * v.inside;
    const Bool unlimited = v.alone || v.sole_sync;
    const Bool refused = beyond_half && (v.idle_class || (used_soon && !unlimited));
    const Bool below_quantum = D::select(beyond_half, unlimited || v.inside < quantum, Bool(true));
    const Bool below_ramp = v.sync || !low_latency || v.inside < async_depth(v.since_delayed, v.inside);
    return v.must_dispatch || (!drain_async && !wait_for_sync && !refused && below_quantum && below_ramp);
  }

  /// The async ramp: requests of an async queue that may be inside, `since` after the latest delayed sync request.
  Num async_depth(Num since, Num inside) const {
    const Num grown = D::divide(since, slice_sync);
    return D::select(grown == Num(0) && inside == Num(0), Num(1), grown);
  }
};

}  // namespace elvcheck::cfq
