// SPDX-License-Identifier: GPL-2.0-or-later
// Idling: when the device waits for a request that is likely to come.
//
// Mirrors cfq_should_idle, cfq_arm_slice_timer, cfq_should_wait_busy, cfq_group_idle's tests in cfq_select_queue, and
// cfq_idle_slice_timer. A queue with an idle window is waited for; so is the last queue of a sync tree, on behalf of the
// tree; from 2.6.36 on also the last queue of a group. Fast devices that queue commands are not idled on. In 2.6.35 the
// sync-noidle tree is idled on only if one of its requests was not NOIDLE, and slice_idle 0 still holds up the switch while
// requests are inside.
#include "model/scheduler/cfq/rules.hpp"
#include "model/scheduler/cfq/scheduler.hpp"

namespace elvcheck::cfq {

bool Cfq::should_idle(const Queue& queue) const {
  if (features_.zero_slice_idle_never_idles && slice_.slice_idle == 0) return false;
  if (queue.idle_class()) return false;
  if (queue.idle_window && !fast_device()) return true;
  const ServiceTree& tree = *queue.service_tree;
  if (tree.count != 1 || !queue.sync) return false;
  return !features_.tree_think_time || !tree.think.longer_than(slice_.slice_idle);
}

/// The slice is over or the queue empty, but the group would leave the tree while requests of it are inside.
bool Cfq::group_still_busy(const Queue& queue) const {
  const Group& group = *queue.group;
  if (tunables_.group_idle == 0 || group.queues != 1 || group.dispatched == 0) return false;
  if (group.think.longer_than(tunables_.group_idle)) return false;
  host_.note(rules::wait_group, nullptr, queue.pid, group.dispatched);
  return true;
}

/// Whether this completion is an occasion to idle (2.6.35: by type of the tree and by what ran on it).
bool Cfq::worth_arming(const Request& rq) {
  if (features_.noidle_on_noidle_tree) return true;
  noidle_tree_requires_idle_ = noidle_tree_requires_idle_ || !is_noidle(rq);
  return serving_type_ == Type::sync || noidle_tree_requires_idle_ || active_->group->queues == 1;
}

/// The process thinks for longer on average than its slice will last.
bool Cfq::too_little_left(const Queue& queue) {
  const Time left = queue.slice_end - now();
  return active_context_ != nullptr && left >= 0 && active_context_->think.longer_than(left);
}

void Cfq::arm_idle_timer() {
  Queue& queue = *active_;
  if (fast_device() && !(features_.group_idle_on_fast && tunables_.group_idle != 0)) return;
  Time wait = slice_.slice_idle;
  bool for_group = false;
  if (!should_idle(queue)) {
    if (tunables_.group_idle == 0) return;
    wait = tunables_.group_idle;
    for_group = true;
  } else if (wait == 0) {
    return;  // 2.6.35: should_idle() does not look at slice_idle
  }
  if (queue.dispatched > 0) return;
  if (active_context_ == nullptr || !active_context_->alive || too_little_left(queue)) return;
  if (for_group &&
      (queue.group->queues > 1 || (features_.group_idle_think_time && queue.service_tree->think.longer_than(wait))))
    return;
  queue.wait_request = true;
  idle_timer_.arm(units_.when(now() + (planted(Mutant::cfq_idles_twice_as_long) ? 2 * wait + 10 * units_.tick() : wait)));
  note(for_group ? rules::idle_armed_group : rules::idle_armed, queue, wait);
}

/// Whether to prolong the slice of a group's only queue, so that the group does not lose its place for want of one request.
bool Cfq::should_wait_busy(const Queue& queue) {
  if (features_.wait_busy_only_empty && !queue.empty()) return false;
  if (queue.group->queues > 1) return false;
  if (features_.tree_think_time && features_.group_scheduling && queue.group->think.longer_than(tunables_.group_idle))
    return false;
  if (slice_used(queue) || too_little_left(queue)) return true;
  const Time left = queue.slice_end - now();
  return features_.wait_busy_below_tick ? left <= units_.tick() : left == units_.tick();
}

void Cfq::idle_timer_fired() {
  if (active_ != nullptr) {
    Queue& queue = *active_;
    if (queue.must_dispatch) {
      note(rules::idle_fired_must_dispatch, queue);
    } else if (slice_used(queue)) {
      note(rules::idle_fired_used, queue);
      expire(queue, false, rules::expire_idle_timer);
    } else if (busy_queues_ == 0) {
      return;
    } else if (!queue.empty()) {
      note(rules::idle_fired_queued, queue);
    } else {
      note(rules::idle_fired_expire, queue);
      queue.deep = false;
      expire(queue, false, rules::expire_idle_timer);
      if (planted(Mutant::cfq_idle_timer_does_not_kick)) return;
    }
  }
  kick();
}

}  // namespace elvcheck::cfq
