// SPDX-License-Identifier: GPL-2.0-or-later
// Preemption: when the queue that a request has just come to takes the slice of the active one.
//
// Mirrors cfq_should_preempt and cfq_preempt_queue. The first rule that matches decides; the order has changed with the
// versions. A preempting queue is put before all others of its tree, it is not made active here: in 2.6.35 the saved
// workload slice is restored at the next choice, so that a preemption across workload types comes to nothing while the old
// type has queues.
#include "model/scheduler/cfq/rules.hpp"
#include "model/scheduler/cfq/scheduler.hpp"

namespace elvcheck::cfq {

namespace {

bool is_same_or_ancestor(const Group& group, const Group& of) {
  for (const Group* at = &of; at != nullptr; at = at->parent) {
    if (at == &group) return true;
  }
  return false;
}

}  // namespace

/// The rule by which `queue`, which `rq` has just come to, preempts the active queue; null: it does not.
const DecisionRule* Cfq::preempt_rule(const Queue& queue, const Request& rq) {
  if (active_ == nullptr || queue.idle_class()) return nullptr;
  const Queue& current = *active_;
  if (current.idle_class()) return &rules::preempt_idle_class;
  if (current.rt() && !queue.rt()) return nullptr;
  if (is_sync(rq) && !current.sync && !(features_.forced_fifo && current.must_dispatch) &&
      !planted(Mutant::cfq_async_not_preempted))
    return &rules::preempt_async;
  const bool group_may =
      features_.ancestor_preempts ? is_same_or_ancestor(*queue.group, *current.group) : queue.group == current.group;
  if (!group_may) return nullptr;
  if (slice_used(current)) return &rules::preempt_slice_used;
  if (current.yield_to != nullptr && &queue == yield_target(current) && queue.group == current.group)
    return &rules::preempt_yield;

  const bool rt = queue.rt() && !current.rt() && !planted(Mutant::cfq_rt_does_not_preempt);
  if (rt && features_.rt_preempts_first) return &rules::preempt_rt;
  if (serving_type_ == Type::sync_noidle && queue.type() == Type::sync_noidle && current.empty() &&
      (!features_.noidle_preempts_pair_only || queue.service_tree->count == 2))
    return &rules::preempt_noidle;
  if (is_urgent(rq.flags) && current.urgent == 0) return &rules::preempt_urgent;
  if (rt) return &rules::preempt_rt;
  if (features_.preempt_unidled_empty && current.empty() && !should_idle(current)) return &rules::preempt_unidled;
  if (active_context_ == nullptr || !current.wait_request) return nullptr;
  return is_close(rq) ? &rules::preempt_close : nullptr;
}

void Cfq::preempt(Queue& queue, const DecisionRule& rule) {
  note(rule, queue, active_->pid);
  const Type old_type = active_->type();
  const bool yielded = &rule == &rules::preempt_yield;
  expire(*active_, !yielded || features_.yield_keeps_residual, yielded ? rules::expire_yield : rules::expire_preempted);
  if (yielded || (features_.preempt_resets_workload && old_type != queue.type())) queue.group->saved_slice = 0;
  add_to_service_tree(queue, true);
  queue.slice_end = 0;
  queue.slice_new = true;
}

}  // namespace elvcheck::cfq
