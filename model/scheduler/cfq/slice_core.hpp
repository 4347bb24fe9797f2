// SPDX-License-Identifier: GPL-2.0-or-later
// The arithmetic of slices: how long a queue, a workload and a group may be served, and where a queue waits in its tree.
//
// Mirrors cfq_prio_slice(), cfq_scaled_cfqq_slice(), cfq_slice_offset(), cfq_group_slice(), the second half of
// choose_service_tree() (choose_wl_class_and_type()) and cfq_prio_to_maxrq() of block/cfq-iosched.c (2.6.34 to 4.19). All
// times are in the unit of the version, ticks or nanoseconds; divisions truncate where the kernel's do. Promises: a better
// level has a longer slice and a smaller offset; a scaled slice is no longer than the plain one.
#pragma once

#include "model/domain/domain.hpp"

namespace elvcheck::cfq {

template <ArithmeticDomain D>
struct SliceCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;

  // Tunables, in time units.
  Num slice_sync;
  Num slice_async;
  Num slice_async_rq;  ///< requests
  Num slice_idle;
  Num target_latency;
  Num shortest_workload;  ///< CFQ_MIN_TT: two ticks

  /// A queue's slice by its level, 0 (best) to 7. The fifth is truncated before it is multiplied, so that an async slice of
  /// 4 ticks (HZ = 100) is the same for every level.
  Num slice(Bool sync, Num level) const {
    const Num base = D::select(sync, slice_sync, slice_async);
    return base + D::divide(base, Num(5)) * (Num(4) - level);
  }

  /// The slice under low_latency, when `average_busy` queues of its class share `group_slice`. Not below twice slice_idle,
  /// scaled like the slice itself, so that idling still pays.
  Num scaled_slice(Bool sync, Num level, Num average_busy, Num group_slice) const {
    const Num plain = slice(sync, level);
    const Num expected = slice_sync * average_busy;
    const Num floor = least<D>(plain, D::divide((slice_idle + slice_idle) * plain, slice_sync));
    const Num share = D::divide(plain * group_slice, greatest<D>(expected, Num(1)));
    return D::select(group_slice < expected, greatest<D>(share, floor), plain);
  }

  /// How far behind `now` a queue is put: the worse its level, the further, for each of the other queues of its group.
  /// @param counted queues of the group that are counted already. The queue itself may not be one of them, and then the
  /// offset of
  ///        the first queue of a group is negative: a defect that puts a first async queue before a first sync one.
  Num key_offset(Bool sync, Num level, Num counted) const {
    return (counted - Num(1)) * (slice(Bool(true), Num(0)) - slice(sync, level));
  }

  /// Where a queue waits: `residual` (left of its last slice, or negative, what it overran) moves it forward.
  Num service_key(Num now, Bool sync, Num level, Num counted, Num residual) const {
    return place(now, key_offset(sync, level, counted), residual);
  }
  static Num place(Num now, Num offset, Num residual) { return now + offset - residual; }

  /// Whether a slice is over. One whose clock has not started (`fresh`) is not.
  static Bool over(Bool fresh, Num now, Num end) { return !fresh && end <= now; }

  /// Time for a workload type of a class: its part of the group's time by number of queues.
  /// @param queues of this type; class_busy: of the class, average or present, the larger
  /// @param async_queues of the group; all_busy: busy queues of the device
  Num workload_slice(Bool async, Num group_slice, Num queues, Num class_busy, Num async_queues, Num all_busy) const {
    const Num part = D::divide(group_slice * queues, class_busy);
    const Num async_most = D::divide(target_latency * async_queues, all_busy);
    const Num async_part = D::divide(least<D>(part, async_most) * slice_async, slice_sync);
    const Num sync_part = greatest<D>(part, slice_idle + slice_idle);
    return greatest<D>(D::select(async, async_part, sync_part), shortest_workload);
  }

  /// Most requests of an async queue in one slice while others are busy.
  Num most_async_requests(Num level) const { return (slice_async_rq + slice_async_rq) * (Num(8) - level); }

  /// A group's part of target_latency: its weight among those on the tree (2.6.35), or its fraction in 4096ths.
  Num group_slice(Num weight, Num total_weight) const { return D::divide(target_latency * weight, total_weight); }
};

}  // namespace elvcheck::cfq
