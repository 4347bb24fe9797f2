// SPDX-License-Identifier: GPL-2.0-or-later
// Dispatch: which queue is served, and which of its requests goes out.
//
// Mirrors bfq_dispatch_requests, bfq_select_queue, bfq_dispatch_request, bfq_dispatch_insert, bfq_check_fifo,
// bfq_forced_dispatch, bfq_update_wr_data and the activate hooks. One request goes out with each call. Kept as it is: the
// count against max_budget_async_rq starts anew with each call, so that it ends a slot only if it is 1; an expired request
// that does not fit the budget ends the slot and nothing goes out. Promise: the queue in service is served until its budget,
// its time or its requests end, and nothing else while it is waited for.
#include "model/scheduler/bfq_v7/scheduler.hpp"

namespace elvcheck::bfq_v7 {

unsigned Scheduler::dispatch(bool force) {
  if (busy_queues_ == 0) return 0;
  if (force) return forced_dispatch();
  Queue* bfqq = select_queue();
  if (bfqq == nullptr) return 0;
  std::int64_t most = bfqq->idle_class() ? 1 : tunables_.quantum;
  if (!bfqq->sync) most = tunables_.max_budget_async_rq;
  if (bfqq->dispatched >= most && (busy_queues_ > 1 || bfqq->dispatched >= 4 * most)) return 0;
  if (sync_flight_ != 0 && !bfqq->sync) return 0;
  bfqq->wait_request = false;
  return dispatch_from(*bfqq) ? 1 : 0;
}

Queue* Scheduler::select_queue() {
  Queue* bfqq = in_service_queue_;
  if (bfqq == nullptr) return next_in_service(nullptr);
  Queue* cooperator = features_.early_queue_merge ? nullptr : close_cooperator(*bfqq, last_position_);
  if (cooperator != nullptr && bfqq->new_bfqq == nullptr) setup_merge(*bfqq, *cooperator);
  Expiration reason = Expiration::budget_timeout;
  const bool timed_out = may_expire_for_budget_timeout(*bfqq) && !idle_slice_timer_.pending() && !must_idle(*bfqq);
  if (!timed_out) {
    if (bfqq->next_rq != nullptr && serv_to_charge(*bfqq->next_rq, *bfqq) > bfqq->budget_left()) {
      reason = Expiration::budget_exhausted;
    } else if (bfqq->next_rq != nullptr) {
      if (idle_slice_timer_.pending()) {
        bfqq->wait_request = false;
        idle_slice_timer_.cancel();
      }
      if (cooperator == nullptr) return bfqq;
    } else {
      const bool waits = idle_slice_timer_.pending() || (bfqq->dispatched != 0 && must_not_expire(*bfqq));
      if (waits && cooperator == nullptr) return nullptr;
      if (cooperator != nullptr && idle_slice_timer_.pending()) {
        bfqq->wait_request = false;
        idle_slice_timer_.cancel();
      }
      reason = Expiration::no_more_requests;
    }
  }
  expire(*bfqq, false, reason);
  return next_in_service(cooperator);
}

/// bfq_set_in_service_queue(): the cooperator, or by B-WF2Q+; null if nobody waits.
Queue* Scheduler::next_in_service(Queue* cooperator) {
  if (cooperator == nullptr && busy_queues_ == 0) return nullptr;
  if (cooperator != nullptr) wf2q_.take(*cooperator);
  Queue& bfqq = cooperator != nullptr ? *cooperator : wf2q_.next_queue();
  bfqq.must_alloc = true;
  bfqq.budget_new = true;
  bfqq.fifo_checked = false;
  budgets_assigned_ = Budgets::assigned_next(budgets_assigned_);
  in_service_queue_ = &bfqq;
  note(rules::select, bfqq.next_rq, bfqq.pid, bfqq.budget, bfqq.weight, bfqq.wr_coeff);
  note(rules::stamps, nullptr, bfqq.pid, bfqq.start, bfqq.finish, wf2q_.vtime_of(bfqq));
  return &bfqq;
}

/// The oldest request if it is expired; asked once in a slot.
Request* Scheduler::check_fifo(Queue& bfqq) const {
  if (bfqq.fifo_checked || !features_.fifo_expiry) return nullptr;
  bfqq.fifo_checked = true;
  Request* oldest = bfqq.fifo.front();
  if (oldest == nullptr || time_.jiffies() < static_cast<Jiffies>(oldest->fifo_time)) return nullptr;
  return oldest;
}

/// bfq_dispatch_request(): whether a request went out.
bool Scheduler::dispatch_from(Queue& bfqq) {
  Request* expired = check_fifo(bfqq);
  Request& rq = expired != nullptr ? *expired : *bfqq.next_rq;
  if (expired != nullptr) note(rules::fifo_expired, expired, bfqq.pid);
  const std::int64_t charge = serv_to_charge(rq, bfqq);
  if (charge > bfqq.budget_left()) {
    bfqq.next_rq = &rq;
    if (rq_in_driver_ == 0) schedule_dispatch();
    expire(bfqq, false, Expiration::budget_exhausted);
    return false;
  }
  wf2q_.served(bfqq, charge);
  dispatch_insert(rq);
  update_wr_data(bfqq);
  if (in_service_bic_ == nullptr) in_service_bic_ = &context_of(rq);
  const bool async_quota = !bfqq.sync && tunables_.max_budget_async_rq <= 1;
  if (busy_queues_ > 1 && (async_quota || bfqq.idle_class())) expire(bfqq, false, Expiration::budget_exhausted);
  return true;
}

void Scheduler::dispatch_insert(Request& rq) {
  Queue& bfqq = queue_of_request(rq);
  ++bfqq.dispatched;
  remove_request(rq);
  host_.dispatch_sort(rq);
  if (bfqq.sync) ++sync_flight_;
}

/// Weight raising ends with its time; a change of weight takes effect at once.
void Scheduler::update_wr_data(Queue& bfqq) {
  bool ended = false;
  if (bfqq.raised() && (too_cooperative(bfqq) || time_.before_now(bfqq.last_wr_start_finish + bfqq.wr_cur_max_time))) {
    bfqq.last_wr_start_finish = time_.jiffies();
    end_wr(bfqq);
    ended = true;
  }
  const bool differs = (bfqq.weight > bfqq.orig_weight) != bfqq.raised();
  if (features_.early_queue_merge ? differs : ended) wf2q_.update_weight_prio(bfqq);
}

/// Empties every queue into the dispatch list.
unsigned Scheduler::forced_dispatch() {
  unsigned moved = 0;
  if (in_service_queue_ != nullptr) end_service(*in_service_queue_);
  for (Queue* bfqq = wf2q_.active_list.front(); bfqq != nullptr;) {
    Queue* next = Wf2q::QueueList::next(*bfqq);
    for (; bfqq->next_rq != nullptr; ++moved) dispatch_insert(*bfqq->next_rq);
    bfqq->max_budget = max_budget();
    wf2q_.forget_idle_beside(*bfqq);
    bfqq = next;
  }
  return moved;
}

void Scheduler::activate_request(Request& rq) {
  ++rq_in_driver_;
  last_position_ = rq.end();
}

void Scheduler::deactivate_request(Request& rq) {
  (void)rq;
  --rq_in_driver_;
}

}  // namespace elvcheck::bfq_v7
