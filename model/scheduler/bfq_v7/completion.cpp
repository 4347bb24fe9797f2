// SPDX-License-Identifier: GPL-2.0-or-later
// Completion: a request's way out, what the device is found to be, and whether it idles for a queue.
//
// Mirrors bfq_completed_request, bfq_update_hw_tag, bfq_bfqq_must_not_expire, bfq_arm_slice_timer, bfq_idle_slice_timer and
// bfq_schedule_dispatch. Kept as it is: a raised queue is waited for whatever the device, three times as long as others;
// before v7r5 so is every queue that pauses for less than slice_idle, however little it asks for.
#include <algorithm>

#include "model/scheduler/bfq_v7/scheduler.hpp"

namespace elvcheck::bfq_v7 {

void Scheduler::completed_request(Request& rq) {
  Queue& bfqq = queue_of_request(rq);
  update_hw_tag();
  --rq_in_driver_;
  --bfqq.dispatched;
  if (bfqq.dispatched == 0 && !bfqq.busy) in_flight_or_busy_no_more(bfqq);
  if (bfqq.sync) {
    --sync_flight_;
    context_of(rq).ttime.last_end_request = time_.jiffies();
  }
  if (bfqq.softrt_update && bfqq.dispatched == 0 && bfqq.empty()) bfqq.soft_rt_next_start = softrt_next_start(bfqq);
  if (&bfqq == in_service_queue_) {
    if (bfqq.budget_new) set_budget_timeout(bfqq);
    if (must_idle(bfqq)) {
      arm_slice_timer();
      return;
    }
    if (may_expire_for_budget_timeout(bfqq))
      expire(bfqq, false, Expiration::budget_timeout);
    else if (bfqq.empty() && (bfqq.dispatched == 0 || !must_not_expire(bfqq)))
      expire(bfqq, false, Expiration::no_more_requests);
  }
  if (rq_in_driver_ == 0) schedule_dispatch();
}

/// Whether the device queues commands itself: once enough samples were taken under load, by the deepest it went.
void Scheduler::update_hw_tag() {
  constexpr int deep = 4;  // BFQ_HW_QUEUE_THRESHOLD
  constexpr int samples = 32;
  max_rq_in_driver_ = std::max(max_rq_in_driver_, rq_in_driver_);
  if (hw_tag_ == 1 || rq_in_driver_ + queued_ < deep) return;
  if (hw_tag_samples_++ < samples) return;
  hw_tag_ = max_rq_in_driver_ > deep ? 1 : 0;
  max_rq_in_driver_ = 0;
  hw_tag_samples_ = 0;
}

/// Whether the queue keeps the device although it has nothing to send.
bool Scheduler::must_not_expire(const Queue& bfqq) const {
  if (!bfqq.sync) return false;
  if (bfqq.raised()) return true;
  if ((features_.io_bound && !bfqq.io_bound) || !bfqq.idle_window) return false;
  if (hw_tag_ == 0) return true;
  const bool seeky_on_disk = bfqq.constantly_seeky && busy_in_flight_queues_ == const_seeky_busy_in_flight_queues_;
  const bool others_fill_device = !weights_tree_.varied() && (!rotational_ || seeky_on_disk);
  return wr_busy_queues_ == 0 && !others_fill_device;
}

void Scheduler::arm_slice_timer() {
  Queue& bfqq = *in_service_queue_;
  if (in_service_bic_ == nullptr || !in_service_bic_->alive) return;
  bfqq.wait_request = true;
  constexpr std::int64_t shortest_ms = 2;  // BFQ_MIN_TT
  Jiffies wait = tunables_.slice_idle;
  const bool far = (bfqq.seeky() && bfqq.service > max_budget() / 8) || bfqq.constantly_seeky;
  if (bfqq.raised())
    wait *= 3;
  else if (bfqq.seek.valid() && far)
    wait = std::min(wait, time_.ms(shortest_ms));
  last_idling_start_ns_ = time_.ns();
  const auto tick = static_cast<std::uint64_t>(time_.jiffies() + wait);
  idle_slice_timer_.arm(host_.clock().tick_start(tick));
  note(rules::idle_armed, nullptr, bfqq.pid, wait * 1'000'000'000 / time_.hz());
}

void Scheduler::idle_timer_fired() {
  if (Queue* bfqq = in_service_queue_; bfqq != nullptr) {
    note(rules::idle_fired, nullptr, bfqq->pid);
    if (budget_timed_out(*bfqq))
      expire(*bfqq, true, Expiration::budget_timeout);
    else if (bfqq->queued[0] == 0 && bfqq->queued[1] == 0)
      expire(*bfqq, true, Expiration::too_idle);
  }
  schedule_dispatch();
}

void Scheduler::schedule_dispatch() {
  if (queued_ != 0) unplug_work_.arm_now();
}

}  // namespace elvcheck::bfq_v7
