// SPDX-License-Identifier: GPL-2.0-or-later
// Budgets: what a slot may cost, what it is charged, what is learnt from it; the device's peak rate; weight raising's end.
//
// Mirrors bfq_serv_to_charge, bfq_set_budget_timeout, bfq_update_peak_rate, __bfq_bfqq_recalc_budget, bfq_bfqq_expire,
// __bfq_bfqq_expire, bfq_wr_duration, bfq_bfqq_softrt_next_start, and of block/bfq-sched.c bfq_add_bfqq_busy,
// bfq_del_bfqq_busy. Kept as it is: the test for slow queues finds the fast ones - those that at the measured rate would
// use up their budget well before the timeout - and charges them in full, against what its comment says; after a new
// estimate of the peak rate it is made with an eighth of the measured rate.
#include <algorithm>
#include <limits>

#include "model/scheduler/bfq/weight_core.hpp"
#include "model/scheduler/bfq_v7/scheduler.hpp"

namespace elvcheck::bfq_v7 {

std::int64_t Scheduler::serv_to_charge(const Request& rq, const Queue& bfqq) {
  constexpr std::int64_t async_factor = 11;  // 1 + bfq_async_charge_factor
  return rq.sectors * (!bfqq.sync && !bfqq.raised() ? async_factor : 1);
}

/// The slot's clock starts with its first completion.
void Scheduler::set_budget_timeout(Queue& bfqq) {
  const bool soft_rt = bfqq.wr_cur_max_time == tunables_.wr_rt_max_time;
  const std::int64_t coeff = soft_rt ? 1 : bfqq.weight / bfqq.orig_weight;
  last_budget_start_ns_ = time_.ns();
  bfqq.budget_new = false;
  bfqq.budget_timeout = time_.jiffies() + tunables_.timeout[bfqq.sync] * coeff;
}

/// A queue that is waited for is not expired for time unless a third of its budget is left.
bool Scheduler::may_expire_for_budget_timeout(const Queue& bfqq) const {
  return (!bfqq.wait_request || bfqq.budget_left() >= bfqq.budget / 3) && budget_timed_out(bfqq);
}

/// Measures the slot that ends. True if the queue counts as slow.
bool Scheduler::update_peak_rate(const Queue& bfqq, bool compensate, Expiration reason) {
  if (!bfqq.sync || bfqq.budget_new) return false;
  const std::int64_t usecs = ((compensate ? last_idling_start_ns_ : time_.ns()) - last_budget_start_ns_) / 1000;
  if (usecs < 100) return false;
  std::int64_t bandwidth = (bfqq.service << bfq::rate_shift) / usecs;
  const std::int64_t timeout_ms = time_.to_ms(tunables_.timeout[true]);
  if (usecs > 20'000) {
    const bool counts = bandwidth > peak_rate_ || (!bfqq.seeky() && reason == Expiration::budget_timeout);
    bool too_small = false;
    filter_peak_rate(bandwidth, counts && features_.peak_rate, timeout_ms, too_small);
    if (too_small) return false;
  }
  if (bfqq.budget <= max_budget() / 8) return false;
  return Budgets::autotuned(bandwidth, timeout_ms) > 4 * bfqq.budget / 3;
}

/// @param bandwidth  of the slot; what counts of it remains
/// @param counts     whether the estimate moves
/// @param too_small  out: there is nothing to count
void Scheduler::filter_peak_rate(std::int64_t& bandwidth, bool counts, std::int64_t timeout_ms, bool& too_small) {
  constexpr int trusted_samples = 32;  // BFQ_PEAK_RATE_SAMPLES
  if (counts) {
    bandwidth /= 8;
    too_small = bandwidth == 0;
    if (too_small) return;
    peak_rate_ = peak_rate_ * 7 / 8 + bandwidth;
  }
  const bool update = counts || peak_rate_samples_ == trusted_samples - 1;
  if (peak_rate_samples_ < trusted_samples) ++peak_rate_samples_;
  if (peak_rate_samples_ < trusted_samples || !update) return;
  if (tunables_.user_max_budget == 0) device_max_budget_ = Budgets::autotuned(peak_rate_, timeout_ms);
  const DeviceSpeed& speed = speed_of(rotational_);
  if (fast_device_ ? peak_rate_ < speed.threshold() : peak_rate_ > speed.threshold()) {
    fast_device_ = !fast_device_;
    rt_product_ = rt_product(speed, fast_device_);
  }
  note(rules::peak_rate, nullptr, peak_rate_, device_max_budget_);
}

std::int64_t Scheduler::rt_product(const DeviceSpeed& speed, bool fast) const {
  return fast ? speed.fast_rate * time_.ms(speed.fast_ms) : speed.slow_rate * time_.ms(speed.slow_ms);
}

/// How long an interactive queue stays raised: as long as the reference application takes to start on such a device.
Jiffies Scheduler::wr_duration() const {
  if (tunables_.wr_max_time > 0) return tunables_.wr_max_time;
  return rt_product_ / peak_rate_;
}

/// From when on the next arrival counts as soft real-time.
Jiffies Scheduler::softrt_next_start(const Queue& bfqq) const {
  const Jiffies by_rate = bfqq.last_idle_bklogged + time_.hz() * bfqq.service_from_backlogged / tunables_.wr_max_softrt_rate;
  return std::max(by_rate, time_.jiffies() + tunables_.slice_idle + 4);
}

void Scheduler::end_wr(Queue& bfqq) {
  if (bfqq.busy) --wr_busy_queues_;
  bfqq.wr_coeff = 1;
  bfqq.wr_cur_max_time = 0;
  bfqq.prio_changed = true;
  note(rules::raise_ended, nullptr, bfqq.pid);
}

void Scheduler::recalc_budget(Queue& bfqq, Expiration reason) {
  std::int64_t budget = device_max_budget_;
  if (bfqq.sync) {
    if (reason == Expiration::no_more_requests) return;
    budget = features_.budget_feedback ? Budgets::feedback(reason, bfqq.max_budget, bfqq.service, bfqq.dispatched > 0,
                                                           min_budget(), device_max_budget_)
                                       : bfqq.max_budget;
  }
  bfqq.max_budget = budget;
  if (Budgets::trusted(budgets_assigned_) && tunables_.user_max_budget == 0)
    bfqq.max_budget = std::min(bfqq.max_budget, device_max_budget_);
  bfqq.budget = bfqq.max_budget;
  if (bfqq.next_rq != nullptr) bfqq.budget = std::max(bfqq.budget, serv_to_charge(*bfqq.next_rq, bfqq));
}

/// Ends the slot of the queue in service.
/// @param compensate the idle timer ended it: the time spent idling does not count
void Scheduler::expire(Queue& bfqq, bool compensate, Expiration reason) {
  const bool slow = update_peak_rate(bfqq, compensate, reason);
  const bool timed_out_early = reason == Expiration::budget_timeout && bfqq.budget_left() >= bfqq.budget / 3;
  if (features_.full_budget_charge && (slow || timed_out_early)) {
    note(rules::time_charged, nullptr, bfqq.pid, bfqq.budget_left());
    wf2q_.served(bfqq, bfqq.budget_left());
  }
  bfqq.service_from_backlogged += bfqq.service;
  if (bfqq.seeky() && reason == Expiration::budget_timeout && !bfqq.constantly_seeky) {
    bfqq.constantly_seeky = true;
    if (rotational_) ++const_seeky_busy_in_flight_queues_;
  }
  if (features_.io_bound && reason == Expiration::too_idle && bfqq.service <= 2 * bfqq.budget / 10) bfqq.io_bound = false;
  if (tunables_.low_latency && !bfqq.raised()) bfqq.last_wr_start_finish = time_.jiffies();
  if (tunables_.low_latency && tunables_.wr_max_softrt_rate > 0 && bfqq.empty()) {
    const bool drained = bfqq.dispatched == 0;
    bfqq.soft_rt_next_start = drained ? softrt_next_start(bfqq) : time_.jiffies() + std::numeric_limits<Jiffies>::max() / 2;
    if (!drained) bfqq.softrt_update = true;
  }
  note(rules::expire, nullptr, bfqq.pid, static_cast<std::int64_t>(reason), bfqq.service, bfqq.max_budget);
  recalc_budget(bfqq, reason);
  end_service(bfqq);
}

/// __bfq_bfqq_expire(): the queue leaves service, for the idle tree or for another turn.
void Scheduler::end_service(Queue& bfqq) {
  in_service_bic_ = nullptr;
  in_service_queue_ = nullptr;
  idle_slice_timer_.cancel();
  if (bfqq.coop && bfqq.seeky() && features_.queue_splitting) bfqq.split_coop = true;
  if (bfqq.empty()) {
    bfqq.budget_timeout = time_.jiffies();
    del_busy(bfqq);
  } else {
    wf2q_.activate(bfqq);
    pos_tree_add(bfqq);
  }
}

void Scheduler::add_busy(Queue& bfqq) {
  wf2q_.activate(bfqq);
  bfqq.busy = true;
  ++busy_queues_;
  if (bfqq.dispatched == 0) {
    if (!bfqq.raised()) weight_counted(bfqq);
    if (rotational_) {
      ++busy_in_flight_queues_;
      if (bfqq.constantly_seeky) ++const_seeky_busy_in_flight_queues_;
    }
  }
  if (bfqq.raised()) ++wr_busy_queues_;
}

void Scheduler::del_busy(Queue& bfqq) {
  bfqq.busy = false;
  --busy_queues_;
  if (bfqq.dispatched == 0) in_flight_or_busy_no_more(bfqq);
  if (bfqq.raised()) --wr_busy_queues_;
  wf2q_.deactivate(bfqq);
}

void Scheduler::in_flight_or_busy_no_more(Queue& bfqq) {
  weight_uncounted(bfqq);
  if (!rotational_) return;
  --busy_in_flight_queues_;
  if (bfqq.constantly_seeky) --const_seeky_busy_in_flight_queues_;
}

/// Weights are counted only once the device is known to queue commands, or nothing is known.
void Scheduler::weight_counted(Queue& bfqq) {
  if (hw_tag_ == 0 || bfqq.weight_counter != 0) return;
  bfqq.weight_counter = bfqq.weight;
  weights_tree_.add(bfqq.weight);
}

void Scheduler::weight_uncounted(Queue& bfqq) {
  if (bfqq.weight_counter == 0) return;
  weights_tree_.remove(bfqq.weight_counter);
  bfqq.weight_counter = 0;
}

}  // namespace elvcheck::bfq_v7
