// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the device idles for an empty queue in service, and whether the scenario is asymmetric.
//
// Mirrors idling_boosts_thr_without_issues, idling_needed_for_service_guarantees, bfq_better_to_idle,
// bfq_asymmetric_scenario and the weights tree of block/bfq-iosched.c (6.1).
//
// Promise (Documentation/block/bfq-iosched.rst): queues of equal weight, class and kind need no idling for their shares;
// others are waited for.
#include "model/scheduler/bfq/scheduler.hpp"

namespace elvcheck::bfq {

/// Whether queues differ so that equal turns would not give each its share. Different weights do not count for the lightest.
/// Kept as it is: a queue whose class changes while it is busy is counted into one class and out of another, whose count
/// drops below zero; unsigned in the kernel, that means "some".
bool Scheduler::asymmetric_scenario(const Queue* bfqq) const {
  const bool smallest =
      bfqq != nullptr && bfqq->weight_counter != 0 && queue_weights_tree_.is_smallest(bfqq->weight_counter);
  if (!smallest && queue_weights_tree_.varied()) return true;
  const int classes_busy = (busy_[0] != 0 ? 1 : 0) + (busy_[1] != 0 ? 1 : 0) + (busy_[2] != 0 ? 1 : 0);
  return classes_busy > 1 || wf2q_.groups_with_pending_reqs >= features_.pending_groups_are_asymmetric;
}

/// Idling pays: the queue's next request is near, or the device has nothing else to reorder. hw_tag is -1 until it is known,
/// which counts as "queues requests".
bool Scheduler::idling_boosts_throughput(const Queue& bfqq) const {
  if (!features_.idling_for_throughput || bfqq.process_refs() == 0) return false;
  const bool rotational_without_queueing = rotational_ && hw_tag_ == 0;
  const bool sequential_and_io_bound = !bfqq.seeky() && bfqq.io_bound && bfqq.has_short_ttime;
  const bool boosts = rotational_without_queueing || ((rotational_ || hw_tag_ == 0) && sequential_and_io_bound);
  return boosts && wr_busy_queues_ == 0;
}

/// Idling keeps the queue's share: it is raised among others, or the scenario is asymmetric, or it is the only busy one.
bool Scheduler::idling_needed_for_guarantees(const Queue& bfqq) const {
  if (!features_.idling_for_guarantees || bfqq.process_refs() == 0) return false;
  const int busy = busy_queues();
  return (bfqq.raised() && (wr_busy_queues_ < busy || in_driver_ >= bfqq.dispatched + 4)) || asymmetric_scenario(&bfqq) ||
         busy == 1;
}

bool Scheduler::better_to_idle(const Queue& bfqq) const {
  if (bfqq.process_refs() == 0) return false;
  if (tunables_.strict_guarantees) return true;
  if (tunables_.slice_idle == 0 || !bfqq.sync || bfqq.class_idle()) return false;
  return idling_boosts_throughput(bfqq) || idling_needed_for_guarantees(bfqq);
}

// The weights tree counts queues that are busy or have requests at the device and are not raised. A counted queue is
// referenced.

void Scheduler::weight_counted(Queue& bfqq) {
  if (bfqq.weight_counter != 0) return;
  bfqq.weight_counter = bfqq.entity.weight;
  queue_weights_tree_.add(bfqq.weight_counter);
  ++bfqq.ref;
}

void Scheduler::weight_uncounted(Queue& bfqq) {
  if (bfqq.weight_counter == 0) return;
  queue_weights_tree_.remove(bfqq.weight_counter);
  bfqq.weight_counter = 0;
  put_queue(bfqq);
}

/// bfq_weights_tree_remove(): the queue has no request left; neither, then, have groups of which nothing is scheduled.
void Scheduler::weights_tree_remove(Queue& bfqq) {
  for (Entity* entity = bfqq.entity.parent; entity != nullptr; entity = entity->parent) {
    const SchedData& inside = *entity->my_sched_data;
    if (inside.next_in_service != nullptr || inside.in_service_entity != nullptr) break;
    if (!entity->in_groups_with_pending_reqs) continue;
    entity->in_groups_with_pending_reqs = false;
    --wf2q_.groups_with_pending_reqs;
  }
  weight_uncounted(bfqq);
}

}  // namespace elvcheck::bfq
