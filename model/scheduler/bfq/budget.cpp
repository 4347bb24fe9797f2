// SPDX-License-Identifier: GPL-2.0-or-later
// Budgets: what a slot may cost, what it is charged, and what happens when it ends.
//
// Mirrors bfq_serv_to_charge, bfq_bfqq_update_budg_for_activation, bfq_set_budget_timeout, __bfq_bfqq_recalc_budget,
// bfq_bfqq_is_slow, bfq_bfqq_expire and __bfq_bfqq_expire of block/bfq-iosched.c, and bfq_bfqq_served, bfq_bfqq_charge_time,
// bfq_add_bfqq_busy and bfq_del_bfqq_busy of block/bfq-wf2q.c (6.1). The arithmetic is BudgetCore.
//
// Kept as it is: the time charge and the slow test use the timeout and slice_idle that were compiled in, not the tunables.
// Promise (Documentation/block/bfq-iosched.rst): a queue's share does not depend on its budget.
#include <algorithm>

#include "model/scheduler/bfq/scheduler.hpp"

namespace elvcheck::bfq {

std::int64_t Scheduler::serv_to_charge(const Request& rq, const Queue& bfqq) const {
  const std::int64_t sectors = rq.sectors;
  if (!features_.async_charge || bfqq.sync || bfqq.raised() || asymmetric_scenario(&bfqq)) return sectors;
  return sectors * async_charge_factor;
}

/// Whether the next request fits what is left of the budget. The kernel compares unsigned, so an overdrawn budget fits all.
bool Scheduler::fits_budget(const Queue& bfqq) const {
  return static_cast<std::uint64_t>(serv_to_charge(*bfqq.next_rq, bfqq)) <= static_cast<std::uint64_t>(bfqq.budget_left());
}

/// True if the queue goes on with the budget it had: then it deserves its old place in the order, too.
bool Scheduler::update_budget_for_activation(Queue& bfqq, bool arrived_in_time) {
  Entity& entity = bfqq.entity;
  if (features_.budget_resume && bfqq.non_blocking_wait_rq && arrived_in_time && bfqq.budget_left() > 0) {
    entity.budget = Budgets::min(bfqq.budget_left(), bfqq.max_budget);
    entity.service = 0;
    note(rules::resume_budget, nullptr, bfqq.pid, entity.budget);
    return true;
  }
  entity.service = 0;
  entity.budget = Budgets::max(bfqq.max_budget, serv_to_charge(*bfqq.next_rq, bfqq));
  bfqq.non_blocking_wait_rq = false;
  return false;
}

void Scheduler::set_budget_timeout(Queue& bfqq) {
  last_budget_start_ = time_.ns();
  const std::int64_t coeff = Weights::timeout_coeff(is_soft_rt(bfqq), bfqq.entity.weight, bfqq.entity.orig_weight);
  bfqq.budget_timeout = time_.jiffies() + tunables_.timeout * coeff;
}

/// A queue that is waited for is not expired for time unless a third of its budget is left.
bool Scheduler::may_expire_for_budget_timeout(const Queue& bfqq) const {
  return (!bfqq.wait_request || bfqq.budget_left() >= bfqq.entity.budget / 3) && budget_timed_out(bfqq);
}

void Scheduler::update_device_max_budget() {
  if (tunables_.max_budget != 0) return;
  device_max_budget_ = Budgets::autotuned(peak_rate_.value(), time_.to_ms(tunables_.timeout));
  note(rules::peak_rate, nullptr, peak_rate_.value(), device_max_budget_);
}

void Scheduler::recalc_budget(Queue& bfqq, Expiration reason) {
  std::int64_t budget = bfqq.raised() ? 2 * min_budget() : bfqq.max_budget;
  if (!bfqq.sync) {
    budget = device_max_budget_;
  } else if (!bfqq.raised()) {
    if (reason == Expiration::preempted) return;
    if (features_.budget_feedback)
      budget = Budgets::feedback(reason, budget, bfqq.entity.service, bfqq.dispatched > 0, min_budget(), device_max_budget_);
  }
  bfqq.max_budget = budget;
  if (Budgets::trusted(budgets_assigned_) && tunables_.max_budget == 0)
    bfqq.max_budget = Budgets::min(bfqq.max_budget, device_max_budget_);
  if (bfqq.next_rq != nullptr) bfqq.entity.budget = Budgets::max(bfqq.max_budget, serv_to_charge(*bfqq.next_rq, bfqq));
}

/// Whether the queue was served too slowly for its sectors to be a fair measure.
/// @param compensate the slot ended by the idle timer: idling does not count
/// @param delta_ms out: time in service
bool Scheduler::is_slow(const Queue& bfqq, bool compensate, std::int64_t& delta_ms) const {
  constexpr std::int64_t flash_default_ms = 2;  // BFQ_MIN_TT
  if (!bfqq.sync) return false;
  const std::int64_t usecs = ((compensate ? last_idling_start_ : time_.ns()) - last_budget_start_) / 1000;
  if (usecs < 1000) {
    delta_ms = rotational_ ? default_slice_idle_ms : flash_default_ms;
    return bfqq.seeky();
  }
  delta_ms = usecs / 1000;
  return usecs > 20'000 ? bfqq.entity.service < device_max_budget_ / 2 : bfqq.seeky();
}

void Scheduler::charge_time(Queue& bfqq, std::int64_t time_ms) {
  const std::int64_t compiled_timeout_ms = time_.to_ms(time_.hz() / 8);
  const std::int64_t for_time = Budgets::time_charge(device_max_budget_, time_ms, compiled_timeout_ms);
  const std::int64_t total = Budgets::max(for_time, bfqq.entity.service);
  bfqq.entity.budget = Budgets::max(bfqq.entity.budget, total);
  note(rules::time_charged, nullptr, bfqq.pid, total - bfqq.entity.service, time_ms);
  served(bfqq, total - bfqq.entity.service);
}

void Scheduler::served(Queue& bfqq, std::int64_t sectors) {
  if (bfqq.service_from_backlogged == 0) bfqq.first_io_time = time_.jiffies();
  if (bfqq.raised()) bfqq.wr.service_from_wr += sectors;
  bfqq.service_from_backlogged += sectors;
  wf2q_.served(bfqq, sectors);
}

/// Ends the slot of the queue in service.
void Scheduler::expire(Queue& bfqq, bool compensate, Expiration reason) {
  std::int64_t delta_ms = 0;
  const bool slow = is_slow(bfqq, compensate, delta_ms);
  const bool timed_out_early = reason == Expiration::budget_timeout && bfqq.budget_left() >= bfqq.entity.budget / 3;
  if (features_.time_charge && !bfqq.raised() && (slow || timed_out_early)) charge_time(bfqq, delta_ms);
  if (tunables_.low_latency && !bfqq.raised()) bfqq.wr.last_wr_start_finish = time_.jiffies();
  if (tunables_.low_latency && bfqq.empty()) {
    if (bfqq.dispatched == 0)
      bfqq.soft_rt_next_start = softrt_next_start(bfqq);
    else
      bfqq.softrt_update = true;
  }
  note(rules::expire, nullptr, bfqq.pid, static_cast<std::int64_t>(reason), bfqq.entity.service, bfqq.max_budget);
  rqs_injected_ = wait_dispatch_ = false;
  waited_rq_ = nullptr;
  recalc_budget(bfqq, reason);
  if (end_service(bfqq, reason)) return;
  if (!bfqq.busy && reason != Expiration::budget_timeout && reason != Expiration::budget_exhausted)
    bfqq.non_blocking_wait_rq = true;
  else
    bfqq.entity.service = 0;
  for (Entity* entity = bfqq.entity.parent; entity != nullptr; entity = entity->parent) entity->service = 0;
}

/// __bfq_bfqq_expire(): the queue leaves service, for the idle tree or for another turn. True if that was its end.
bool Scheduler::end_service(Queue& bfqq, Expiration reason) {
  if (bfqq.coop && bfqq.seeky()) bfqq.split_coop = true;
  if (bfqq.empty() && !(reason == Expiration::preempted && idling_needed_for_guarantees(bfqq))) {
    if (bfqq.dispatched == 0) bfqq.budget_timeout = time_.jiffies();
    del_busy(bfqq, true);
  } else {
    wf2q_.requeue(bfqq, &bfqq == in_service_queue_, true);
    if (!nonrot_with_queueing_ && !bfqq.empty()) pos_tree_add_move(bfqq);
  }
  bfqq.wait_request = false;
  idle_slice_timer_.cancel();
  in_service_queue_ = nullptr;
  Wf2q::reset_in_service(bfqq);
  if (bfqq.entity.on_st_or_in_serv) return false;
  const bool last_reference = bfqq.ref == 1;
  put_queue(bfqq);
  return last_reference;
}

void Scheduler::add_busy(Queue& bfqq) {
  wf2q_.activate(bfqq);
  bfqq.busy = true;
  ++busy_[bfqq.class_index()];
  if (bfqq.dispatched == 0 && !bfqq.raised()) weight_counted(bfqq);
  if (bfqq.raised()) ++wr_busy_queues_;
  if (bfqq.woken_list_node.linked() && &bfqq != bfqq.waker_bfqq->woken_list.front()) link_to_waker(bfqq, bfqq.waker_bfqq);
}

void Scheduler::del_busy(Queue& bfqq, bool expiration) {
  bfqq.busy = false;
  --busy_[bfqq.class_index()];
  if (bfqq.raised()) --wr_busy_queues_;
  wf2q_.deactivate(bfqq, true, expiration);
  if (bfqq.dispatched == 0) weights_tree_remove(bfqq);
}

}  // namespace elvcheck::bfq
