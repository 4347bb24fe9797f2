// SPDX-License-Identifier: GPL-2.0-or-later
// Selection: which queue is served, and when it is expired.
//
// Mirrors cfq_select_queue, cfq_choose_cfqg, choose_service_tree (choose_wl_class_and_type), cfq_set_active_queue,
// __cfq_slice_expired and cfq_group_served. The slice's clock starts at the first completion in it, not here. A queue that
// is expired on time keeps what it has left or has overrun as a residual; one that idles out forfeits it. Two defects
// of 2.6.35 live here: a class that appears is served under the old class's type and workload slice, and a queue preempted
// before its slice began gets nothing back.
#include <algorithm>

#include "model/scheduler/cfq/class_core.hpp"
#include "model/scheduler/cfq/rules.hpp"
#include "model/scheduler/cfq/scheduler.hpp"

namespace elvcheck::cfq {

namespace {
std::int64_t number(Class c) { return static_cast<std::int64_t>(c); }
std::int64_t number(Type t) { return static_cast<std::int64_t>(t); }
}  // namespace

Queue* Cfq::select_queue() {
  if (active_ == nullptr) return select_new(nullptr);
  if (queued_ == 0) return nullptr;
  Queue& queue = *active_;
  if (queue.wait_busy && !queue.empty()) return replace_active(rules::expire_wait_busy, nullptr);
  if (slice_used(queue) && !queue.must_dispatch) {
    if (queue.group->queues == 1 && queue.empty() && queue.dispatched > 0 && should_idle(queue)) {
      note(rules::keep_to_drain, queue, queue.dispatched);
      return nullptr;
    }
    return group_still_busy(queue) ? nullptr : replace_active(rules::expire_slice_used, nullptr);
  }
  if (!queue.empty()) {
    note(rules::keep_queue, queue, queue.slice_end - now());
    return &queue;
  }
  if (queue.yield_to != nullptr) {
    Queue* target = yield_target(queue);
    if (target != nullptr && target->group != queue.group) {
      note(rules::yield_elsewhere, queue, target->pid);
      return replace_active(rules::expire_yield, nullptr);
    }
    if (target != nullptr && !target->empty()) {
      note(rules::yield_taken, queue, target->pid);
      return replace_active(rules::expire_yield, target);
    }
  }
  if (Queue* close = close_cooperator(queue); close != nullptr) {
    if (queue.merge_target == nullptr) schedule_merge(queue, *close);
    return replace_active(rules::expire_cooperator, close);
  }
  if (idle_timer_.pending()) {
    note(rules::wait_idle_timer, queue);
    return nullptr;
  }
  if (features_.stop_fast_seeky_idle && queue.seeks.seeky() && queue.idle_window &&
      (queue.slice_new || queue.slice_end - now() > now() - queue.slice_start)) {
    queue.deep = queue.idle_window = false;
    note(rules::deep_seeky_stopped, queue);
  }
  if (queue.dispatched > 0 && should_idle(queue)) {
    note(rules::wait_in_flight, queue, queue.dispatched);
    return nullptr;
  }
  return group_still_busy(queue) ? nullptr : replace_active(rules::expire_nothing_queued, nullptr);
}

Queue* Cfq::replace_active(const DecisionRule& reason, Queue* cooperator) {
  expire(*active_, false, reason);
  return select_new(cooperator);
}

/// The cooperator, or the first queue of the workload that is chosen. With a cooperator the served group and workload stay.
Queue* Cfq::select_new(Queue* cooperator) {
  if (cooperator != nullptr) {
    note(rules::select_cooperator, *cooperator);
    set_active(cooperator);
    return cooperator;
  }
  choose_workload();
  Queue* queue = queued_ == 0 ? nullptr : serving_group_->tree(serving_class_, serving_type_).queues.first();
  if (queue != nullptr)
    note(rules::select_next, *queue, number(serving_class_), number(serving_type_), queue->key);
  else
    host_.note(rules::nothing_to_select, nullptr, number(serving_class_), number(serving_type_));
  set_active(queue);
  return queue;
}

void Cfq::choose_workload() {
  if (groups_.empty()) return;
  Group& group = groups_.leftmost();
  serving_group_ = &group;
  if (group.saved_slice != 0) {
    workload_expires_ = now() + group.saved_slice;
    serving_type_ = group.saved_type;
    serving_class_ = group.saved_class;
  } else {
    workload_expires_ = now() - 1;
  }
  const Class class_before = serving_class_;
  const bool real_time = group.busy(Class::rt) > 0 && !(group.busy(Class::be) > 0 && planted(Mutant::cfq_rt_waits));
  const bool best_effort =
      group.busy(Class::be) > 0 && !(group.idle_tree.count > 0 && planted(Mutant::cfq_best_effort_waits));
  serving_class_ = static_cast<Class>(ClassCore<Concrete>::served(real_time, best_effort));
  if (serving_class_ == Class::idle) {
    workload_expires_ = now() + units_.tick();
    host_.note(rules::workload_idle_class, nullptr);
    return;
  }
  const bool class_stays = !features_.new_workload_on_class_change || class_before == serving_class_;
  if (class_stays && group.tree(serving_class_, serving_type_).count > 0 && now() <= workload_expires_) {
    host_.note(rules::workload_continues, nullptr, number(serving_class_), number(serving_type_), workload_expires_ - now());
    return;
  }
  choose_type(group);
}

/// The type whose first queue waits for longest gets a new workload slice.
void Cfq::choose_type(Group& group) {
  const Queue* best = nullptr;
  serving_type_ = Type::sync_noidle;
  for (const Type type : {Type::async, Type::sync_noidle, Type::sync}) {
    const Queue* first = group.tree(serving_class_, type).queues.first();
    if (first == nullptr || (best != nullptr && best->key <= first->key)) continue;
    best = first;
    serving_type_ = type;
  }
  const unsigned class_busy = group.busy(serving_class_);
  const Time average = group.busy_average[static_cast<std::size_t>(serving_class_)].average;
  const Time length = slice_.workload_slice(serving_type_ == Type::async, group_slice(group),
                                            group.tree(serving_class_, serving_type_).count,
                                            std::max<Time>(average, class_busy), group.async_count(), busy_queues_);
  workload_expires_ = now() + length;
  noidle_tree_requires_idle_ = false;
  host_.note(rules::workload_new, nullptr, number(serving_class_), number(serving_type_), length);
}

void Cfq::set_active(Queue* queue) {
  active_ = queue;
  if (queue == nullptr) return;
  queue->dispatch_start = now();
  queue->slice_start = queue->slice_end = queue->allocated_slice = queue->slice_dispatch = 0;
  queue->wait_request = queue->must_dispatch = queue->must_alloc_slice = queue->fifo_checked = false;
  queue->slice_new = true;
  queue->yield_to = nullptr;
  idle_timer_.cancel();
}

/// @param timed_out the queue keeps what is left of its slice, or owes what it overran
void Cfq::expire(Queue& queue, bool timed_out, const DecisionRule& reason) {
  if (queue.wait_request) idle_timer_.cancel();
  queue.wait_request = queue.wait_busy = false;
  queue.yield_to = nullptr;
  if (queue.service_tree != nullptr) {
    queue.service_tree->expired_at = now();
    queue.service_tree->expired_pid = queue.pid;
  }
  if (queue.coop && queue.seeks.seeky()) {
    queue.split_coop = true;
    note(rules::split_marked, queue);
  }
  if (timed_out) {
    if (!queue.slice_new)
      queue.residual = queue.slice_end - now();
    else if (features_.resid_when_unstarted)
      queue.residual = scaled_slice(queue);
  }
  Group& group = *queue.group;
  const Time used = features_.group_scheduling ? charge(queue) : 0;
  note(reason, queue, queue.residual, used);
  if (features_.group_scheduling && !planted(Mutant::cfq_group_not_charged)) groups_.charge(group, used);
  group.saved_slice = std::max<Time>(workload_expires_ - now(), 0);
  group.saved_type = serving_type_;
  group.saved_class = serving_class_;
  if (queue.on_rr && queue.empty()) remove_busy(queue);
  resort(queue);
  if (&queue == active_) active_ = nullptr;
  active_context_ = nullptr;
}

/// What the group pays for the queue's slice: requests in IOPS mode, else the time used. The whole slice, if async queues
/// have the group to themselves.
Time Cfq::charge(const Queue& queue) {
  if (iops_mode()) return queue.slice_dispatch;
  const Group& group = *queue.group;
  if (!queue.sync && group.queues == group.async_count() + group.idle_tree.count) return queue.allocated_slice;
  if (queue.slice_start == 0 || queue.slice_start == now()) return std::max(now() - queue.dispatch_start, units_.tick());
  return std::min(now() - queue.slice_start, queue.allocated_slice);
}

Time Cfq::scaled_slice(Queue& queue) {
  const Time level = planted(Mutant::cfq_slice_of_level_4)        ? 4
                     : planted(Mutant::cfq_slice_levels_inverted) ? 7 - queue.level
                                                                  : queue.level;
  if (!tunables_.low_latency) return slice_.slice(queue.sync, level);
  Group& group = *queue.group;
  const Class of = queue.rt() ? Class::rt : Class::be;
  const Time average = group.busy_average[static_cast<std::size_t>(of)].update(group.busy(of));
  return slice_.scaled_slice(queue.sync, level, average, group_slice(group));
}

}  // namespace elvcheck::cfq
