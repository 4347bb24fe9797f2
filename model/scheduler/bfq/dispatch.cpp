// SPDX-License-Identifier: GPL-2.0-or-later
// Which queue is served, and which of its requests.
//
// Mirrors bfq_choose_req, bfq_check_fifo, bfq_find_next_rq, bfq_updated_next_req, bfq_remove_request, bfq_select_queue,
// bfq_dispatch_rq_from_bfqq and __bfq_dispatch_request of block/bfq-iosched.c (6.1).
//
// Promise: the queue in service is served until its budget, its time or its requests end
// (Documentation/block/bfq-iosched.rst); while it is empty and waited for, others are served only by injection.
#include "model/scheduler/bfq/scheduler.hpp"

namespace elvcheck::bfq {

// Requests of a queue.

/// The better of two requests for a head that stands at `last`: synchronous before asynchronous, metadata before data, then
/// the nearer one, where distances backwards count more and too far behind counts as "after wrapping around".
Request* Scheduler::choose_req(Request* rq1, Request* rq2, Sector last) const {
  if (rq1 == nullptr || rq1 == rq2) return rq2;
  if (rq2 == nullptr) return rq1;
  if (is_sync(*rq1) != is_sync(*rq2)) return is_sync(*rq1) ? rq1 : rq2;
  const bool meta1 = (rq1->flags & REQ_META) != 0;
  if (meta1 != ((rq2->flags & REQ_META) != 0)) return meta1 ? rq1 : rq2;

  struct Distance {
    bool wraps;
    Sector sectors;
  };
  const auto distance = [&](Sector sector) {
    const auto back_max = static_cast<Sector>(tunables_.back_seek_max) * 2;
    if (sector >= last) return Distance{false, sector - last};
    if (sector + back_max >= last)
      return Distance{false, (last - sector) * static_cast<Sector>(tunables_.back_seek_penalty)};
    return Distance{true, 0};
  };
  const Distance d1 = distance(rq1->sector);
  const Distance d2 = distance(rq2->sector);
  if (d1.wraps != d2.wraps) return d1.wraps ? rq2 : rq1;
  if (d1.wraps) return rq1->sector <= rq2->sector ? rq1 : rq2;
  if (d1.sectors != d2.sectors) return d1.sectors < d2.sectors ? rq1 : rq2;
  return rq1->sector >= rq2->sector ? rq1 : rq2;
}

/// Once in a slot: the oldest request, if it is expired and not the one that is leaving.
Request* Scheduler::check_fifo(Queue& bfqq, const Request& last) {
  if (bfqq.fifo_expire || !features_.fifo_expiry) return nullptr;
  bfqq.fifo_expire = true;
  Request* rq = bfqq.fifo.front();
  if (rq == &last || time_.ns() < static_cast<std::int64_t>(rq->fifo_time)) return nullptr;
  note(rules::fifo_expired, rq, bfqq.pid);
  return rq;
}

/// What follows a request that is leaving; null if nothing is left.
Request* Scheduler::find_next_rq(Queue& bfqq, Request& last) {
  if (Request* expired = check_fifo(bfqq, last)) return expired;
  Request* next = RequestTree::next(last);
  Request* prev = RequestTree::prev(last);
  if (next == nullptr) {
    Request* first = bfqq.sort_list.first();
    if (first != &last) next = first;
  }
  return choose_req(next, prev, last.sector);
}

/// A waiting queue's budget must cover its next request.
void Scheduler::updated_next_req(Queue& bfqq) {
  if (bfqq.next_rq == nullptr || &bfqq == in_service_queue_) return;
  const std::int64_t budget =
      Budgets::max(Budgets::max(bfqq.max_budget, serv_to_charge(*bfqq.next_rq, bfqq)), bfqq.entity.service);
  if (bfqq.entity.budget == budget) return;
  bfqq.entity.budget = budget;
  wf2q_.requeue(bfqq, false, false);
}

void Scheduler::remove_request(Request& rq) {
  Queue& bfqq = *bfqq_of(rq);
  if (bfqq.next_rq == &rq) {
    bfqq.next_rq = find_next_rq(bfqq, rq);
    updated_next_req(bfqq);
  }
  if (rq.queuelist.list != nullptr) rq.queuelist.list->remove(rq);
  --bfqq.queued[is_sync(rq)];
  --queued_;
  bfqq.sort_list.erase(rq);
  host_.forget_merge_target(rq);
  if (bfqq.empty()) {
    bfqq.next_rq = nullptr;
    if (bfqq.busy && &bfqq != in_service_queue_) {
      del_busy(bfqq, false);
      bfqq.entity.budget = bfqq.entity.service = 0;
    }
    pos_tree_remove(bfqq);
  } else if (!nonrot_with_queueing_) {
    pos_tree_add_move(bfqq);
  }
}

// Queues.

/// bfq_set_in_service_queue().
Queue* Scheduler::set_in_service_queue() {
  Queue* bfqq = busy_queues() > 0 ? &wf2q_.next_queue() : nullptr;
  if (bfqq != nullptr) {
    bfqq->fifo_expire = false;
    budgets_assigned_ = Budgets::assigned_next(budgets_assigned_);
    hold_softrt_period(*bfqq);
    set_budget_timeout(*bfqq);
    note(rules::select, nullptr, bfqq->pid, bfqq->entity.budget, bfqq->entity.weight, bfqq->wr.wr_coeff);
    note(rules::stamps, nullptr, bfqq->pid, bfqq->entity.start, bfqq->entity.finish, Wf2q::service_tree(bfqq->entity).vtime);
  }
  in_service_queue_ = bfqq;
  in_serv_last_pos_ = 0;
  return bfqq;
}

/// The queue to take a request from, or null: then nothing is to be dispatched now.
Queue* Scheduler::select_queue() {
  Queue* bfqq = in_service_queue_;
  if (bfqq != nullptr && may_expire_for_budget_timeout(*bfqq) && !must_idle(*bfqq)) {
    expire(*bfqq, false, Expiration::budget_timeout);
    bfqq = nullptr;
  }
  for (;;) {
    if (bfqq == nullptr) bfqq = set_in_service_queue();
    if (bfqq == nullptr) return nullptr;
    if (bfqq->next_rq != nullptr && fits_budget(*bfqq)) {
      if (bfqq->wait_request) {
        bfqq->wait_request = false;
        idle_slice_timer_.cancel();
      }
      return bfqq;
    }
    if (bfqq->next_rq == nullptr && (bfqq->wait_request || (bfqq->dispatched != 0 && better_to_idle(*bfqq))))
      return queue_to_inject(*bfqq);
    expire(*bfqq, false, bfqq->next_rq != nullptr ? Expiration::budget_exhausted : Expiration::no_more_requests);
    bfqq = nullptr;
  }
}

Request& Scheduler::dispatch_from(Queue& bfqq) {
  Request& rq = *bfqq.next_rq;
  served(bfqq, serv_to_charge(rq, bfqq));
  if (&bfqq == in_service_queue_ && wait_dispatch_) {
    wait_dispatch_ = false;
    waited_rq_ = &rq;
  }
  ++bfqq.dispatched;
  update_peak_rate(rq);
  remove_request(rq);
  if (&bfqq != in_service_queue_) return rq;
  update_wr_data(bfqq);
  // An idle-class queue gets one request at a time while others wait.
  if (busy_queues() > 1 && bfqq.class_idle()) expire(bfqq, false, Expiration::budget_exhausted);
  return rq;
}

void Scheduler::update_peak_rate(const Request& rq) {
  const bool seeky = is_seeky_step(last_position_, rq);
  if (features_.peak_rate && peak_rate_.dispatched(time_.ns(), rq.sectors, seeky, in_driver_)) update_device_max_budget();
  last_position_ = rq.end();
  if (bfqq_of(rq) == in_service_queue_) in_serv_last_pos_ = last_position_;
}

Request* Scheduler::dispatch_request() {
  Request* rq = dispatch_.pop_front();
  if (rq != nullptr) {
    note(rules::head_inserted, rq);
    rq->started = true;
    if (bfqq_of(*rq) == nullptr) return rq;
    ++bfqq_of(*rq)->dispatched;
    ++in_driver_;
    return rq;
  }
  if (busy_queues() == 0 || (tunables_.strict_guarantees && in_driver_ > 0)) return nullptr;
  Queue* bfqq = select_queue();
  if (bfqq == nullptr) return nullptr;
  rq = &dispatch_from(*bfqq);
  ++in_driver_;
  rq->started = true;
  return rq;
}

}  // namespace elvcheck::bfq
