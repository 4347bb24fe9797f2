// SPDX-License-Identifier: GPL-2.0-or-later
// Dispatch: what the active queue may send, what comes back, and what the device is found to be.
//
// Mirrors cfq_dispatch_requests, cfq_dispatch_request, cfq_dispatch_insert, cfq_check_fifo, cfq_forced_dispatch, the
// activate and completed hooks, and cfq_update_hw_tag. One request goes out with each call. The fifo is looked at once in a
// slice; up to 2.6.35 only after it is known that the queue may dispatch, so that an expired async request can wait behind
// sync ones for ever.
#include "model/scheduler/cfq/rules.hpp"
#include "model/scheduler/cfq/scheduler.hpp"

namespace elvcheck::cfq {

unsigned Cfq::dispatch(bool force) {
  if (busy_queues_ == 0) return 0;
  if (force) return forced_dispatch();
  Queue* selected = select_queue();
  if (selected == nullptr) return 0;
  Queue& queue = *selected;
  if (queue.empty()) {  // reached with merge-across-queues and without drop-emptied-queue, as in 2.6.39
    note(rules::dispatch_bug, queue);
    expire(queue, false, rules::expire_nothing_queued);
    kick();
    return 0;
  }
  Request* expired = nullptr;
  if (features_.forced_fifo) {
    expired = check_fifo(queue);
    if (expired != nullptr) queue.must_dispatch = true;
  }
  if (!may_dispatch(queue)) {
    note(rules::dispatch_refused, queue, queue.dispatched, inside_[false], inside_[true]);
    return 0;
  }
  if (!features_.forced_fifo) expired = check_fifo(queue);
  Request& rq = expired != nullptr ? *expired : *queue.next;
  if (expired != nullptr)
    note(rules::dispatch_expired, queue, queue.dispatched, queue.slice_dispatch, now() - static_cast<Time>(rq.fifo_time),
         &rq);
  else
    note(rules::dispatch_next, queue, queue.dispatched, queue.slice_dispatch, 0, &rq);
  move_to_dispatch(rq);
  if (active_context_ == nullptr) active_context_ = &context_of(rq);
  ++queue.slice_dispatch;
  queue.must_dispatch = false;
  if (busy_queues_ > 1) {
    if (queue.idle_class())
      expire(queue, false, rules::expire_idle_class);
    else if (!queue.sync && !planted(Mutant::cfq_async_quota_ignored) &&
             queue.slice_dispatch >= slice_.most_async_requests(planted(Mutant::cfq_async_quota_of_best) ? 0 : queue.level))
      expire(queue, false, rules::expire_async_quota);
  }
  return 1;
}

bool Cfq::may_dispatch(Queue& queue) {
  if (features_.forced_fifo && queue.must_dispatch) return true;
  DispatchView<Concrete> view{};
  view.idled_on = should_idle(queue);
  view.sync = queue.sync;
  view.idle_class = queue.idle_class() && !planted(Mutant::cfq_idle_class_unlimited);
  view.slice_new = queue.slice_new;
  view.slice_left = queue.slice_end - now();
  view.inside = planted(Mutant::cfq_quantum_ignored)                            ? 0
                : queue.dispatched > 0 && planted(Mutant::cfq_quantum_one_more) ? queue.dispatched - 1
                                                                                : queue.dispatched;
  view.async_inside = inside_[false];
  view.sync_inside = inside_[true];
  view.alone = busy_queues_ == 1;
  view.sole_sync = features_.sole_sync_unlimited && queue.sync && busy_sync_queues_ == 1;
  view.since_delayed = planted(Mutant::cfq_async_ramp_ignored) ? units_.second() * 1000 : now() - last_delayed_sync_;
  return dispatch_.may_dispatch(view);
}

/// The oldest request if it is expired; asked once in a slice.
Request* Cfq::check_fifo(Queue& queue) {
  if (queue.fifo_checked) return nullptr;
  queue.fifo_checked = true;
  Request* oldest = queue.fifo.front();
  if (oldest == nullptr || planted(Mutant::cfq_fifo_never_checked)) return nullptr;
  return now() >= static_cast<Time>(oldest->fifo_time) || planted(Mutant::cfq_fifo_always_expired) ? oldest : nullptr;
}

/// cfq_dispatch_insert().
void Cfq::move_to_dispatch(Request& rq) {
  Queue& queue = queue_of(rq);
  queue.next = find_next(queue, rq);
  remove_request(rq);
  ++queue.dispatched;
  ++queue.group->dispatched;
  rq.elv_priv[2] = reinterpret_cast<std::uintptr_t>(queue.group);
  host_.dispatch_sort(rq);
  ++inside_[queue.sync];
}

/// Empties every queue into the dispatch list, group by group and tree by tree.
unsigned Cfq::forced_dispatch() {
  if (active_ != nullptr) expire(*active_, false, rules::expire_forced);
  unsigned moved = 0;
  while (!groups_.empty()) {
    Queue* queue = first_of_any(groups_.leftmost());
    if (queue == nullptr) break;
    set_active(queue);
    for (; queue->next != nullptr; ++moved) {
      note(rules::dispatch_forced, *queue, 0, 0, 0, queue->next);
      move_to_dispatch(*queue->next);
    }
    expire(*queue, false, rules::expire_forced);
  }
  return moved;
}

Queue* Cfq::first_of_any(Group& group) {
  for (auto& by_type : group.trees) {
    for (ServiceTree& tree : by_type) {
      if (tree.count > 0) return tree.queues.first();
    }
  }
  return group.idle_tree.queues.first();
}

void Cfq::activate_request(Request& rq) {
  ++in_driver_;
  last_position_ = rq.end();
}

void Cfq::deactivate_request(Request& rq) {
  (void)rq;
  --in_driver_;
}

void Cfq::completed_request(Request& rq) {
  Queue& queue = queue_of(rq);
  const bool sync = is_sync(rq);
  detect_queueing();
  --in_driver_;
  if (!planted(Mutant::cfq_completion_does_not_count)) --queue.dispatched;
  --reinterpret_cast<Group*>(rq.elv_priv[2])->dispatched;
  --inside_[queue.sync];
  if (sync) {
    context_of(rq).think.last_end = now();
    if (features_.tree_think_time) (queue.on_rr ? *queue.service_tree : tree_for(queue)).think.last_end = now();
    const Time age = now() - units_.at(rq.start_time);
    if (age >= tunables_.fifo_expire[true]) {
      last_delayed_sync_ = now();
      note(rules::delayed_sync, queue, age, 0, 0, &rq);
    }
  }
  if (features_.group_scheduling) queue.group->think.last_end = now();
  if (&queue == active_) end_of_active_request(queue, rq);
  if (in_driver_ == 0) kick();
}

/// A request of the active queue has been completed: the slice begins, is over, or the queue is idled on.
void Cfq::end_of_active_request(Queue& queue, const Request& rq) {
  const bool empty = queue.empty();
  if (queue.slice_new) start_slice(queue);
  if (should_wait_busy(queue)) {
    queue.slice_end = now() + (slice_.slice_idle != 0 ? slice_.slice_idle : tunables_.group_idle);
    queue.wait_busy = true;
    note(rules::wait_busy, queue, queue.slice_end);
  }
  if (slice_used(queue) || queue.idle_class())
    expire(queue, true, rules::expire_completion);
  else if (is_sync(rq) && empty && close_cooperator(queue) == nullptr && worth_arming(rq))
    arm_idle_timer();
}

/// cfq_set_prio_slice(): the clock starts.
void Cfq::start_slice(Queue& queue) {
  const Time slice = scaled_slice(queue);
  queue.slice_start = now();
  queue.slice_end = now() + slice;
  queue.allocated_slice = slice;
  queue.slice_new = false;
}

/// Whether the device queues commands itself: once enough samples were taken under load, by the deepest it went. A "yes"
/// stays.
void Cfq::detect_queueing() {
  constexpr unsigned deep = 5;  // CFQ_HW_QUEUE_MIN
  constexpr unsigned samples = 50;
  if (in_driver_ > deepest_) deepest_ = in_driver_;
  if (queueing_ == 1) return;
  if (queued_ <= deep && in_driver_ <= deep) return;
  // An active queue that is idled on and has little to send says nothing about the device.
  if (active_ != nullptr && active_->idle_window &&
      active_->dispatched + active_->queued[false] + active_->queued[true] < deep && in_driver_ < deep)
    return;
  if (queueing_samples_++ < samples) return;
  const int found = deepest_ >= deep ? 1 : 0;
  if (found == queueing_) return;
  queueing_ = found;
  host_.note(rules::queueing_detected, nullptr, queueing_, deepest_);
}

}  // namespace elvcheck::cfq
