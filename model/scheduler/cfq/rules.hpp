// SPDX-License-Identifier: GPL-2.0-or-later
// The decisions of CFQ that can be seen to be taken. Queues are named by the process that they were made for.
#pragma once

#include <span>

#include "model/core/trace.hpp"

namespace elvcheck::cfq::rules {

// Which queue is served.
extern const DecisionRule keep_queue, keep_to_drain, wait_idle_timer, wait_in_flight, wait_group, select_next,
    select_cooperator, nothing_to_select;
// Which group and workload.
extern const DecisionRule workload_continues, workload_new, workload_idle_class;
// Why a queue is expired.
extern const DecisionRule expire_slice_used, expire_wait_busy, expire_nothing_queued, expire_cooperator, expire_completion,
    expire_preempted, expire_idle_timer, expire_async_quota, expire_idle_class, expire_forced, expire_exit, expire_freed;
// Idling.
extern const DecisionRule idle_armed, idle_armed_group, idle_cancelled, idle_small_request, idle_fired_must_dispatch,
    idle_fired_used, idle_fired_queued, idle_fired_expire, idle_window_on, idle_window_off, deep_seeky_stopped, wait_busy;
// Preemption.
extern const DecisionRule preempt_idle_class, preempt_async, preempt_slice_used, preempt_rt, preempt_noidle, preempt_urgent,
    preempt_unidled, preempt_close;
// Cooperators.
extern const DecisionRule merge_scheduled, merge_taken, split_marked, split_taken, split_undone;
// Dispatch.
extern const DecisionRule dispatch_next, dispatch_expired, dispatch_alias, dispatch_forced, dispatch_refused, dispatch_bug,
    delayed_sync, queueing_detected;
// Yield.
extern const DecisionRule yield_marked, yield_refused, yield_taken, yield_elsewhere, preempt_yield, expire_yield;
// Binding.
extern const DecisionRule bind_new, prio_boosted;

/// All of them, for the registry.
std::span<const DecisionRule* const> all();

}  // namespace elvcheck::cfq::rules
