// SPDX-License-Identifier: GPL-2.0-or-later
// A request's way out, whether the device queues requests, and the idle timer.
//
// Mirrors bfq_finish_requeue_request, bfq_completed_request, bfq_update_hw_tag, bfq_arm_slice_timer and
// bfq_idle_slice_timer_body of block/bfq-iosched.c (6.1).
//
// Promise: an empty queue in service is either waited for with the timer armed or expired; with requests queued and none at
// the device the queue is run.
#include <algorithm>

#include "model/scheduler/bfq/scheduler.hpp"

namespace elvcheck::bfq {

namespace {
constexpr int hw_queue_threshold = 3;                   // BFQ_HW_QUEUE_THRESHOLD
constexpr int hw_queue_samples = 32;                    // BFQ_HW_QUEUE_SAMPLES
constexpr std::int64_t seeky_slice_idle = 2'000'000;    // BFQ_MIN_TT, ns
constexpr std::int64_t raised_slice_idle = 20'000'000;  // ns, at least
}  // namespace

void Scheduler::finish_request(Request& rq) { finish(rq); }

void Scheduler::requeue_request(Request& rq) { finish(rq); }

void Scheduler::finish(Request& rq) {
  Queue* bfqq = bfqq_of(rq);
  if (bfqq == nullptr) return;
  if (rq.started) {
    if (&rq == waited_rq_) update_inject_limit(*bfqq);
    request_completed(*bfqq);
  }
  --bfqq->entity.allocated;
  put_queue(*bfqq);
  --bic_of(rq)->requests;
  set_bfqq(rq, nullptr);
}

/// Whether the device takes several requests at once; learnt from 32 completions at which enough requests were about.
void Scheduler::update_hw_tag() {
  max_in_driver_ = std::max(max_in_driver_, in_driver_);
  if (hw_tag_ == 1 || in_driver_ + queued_ <= hw_queue_threshold) return;
  const Queue* bfqq = in_service_queue_;
  if (bfqq != nullptr && bfqq->has_short_ttime &&
      bfqq->dispatched + bfqq->queued[0] + bfqq->queued[1] < hw_queue_threshold && in_driver_ < hw_queue_threshold)
    return;
  if (hw_tag_samples_++ < hw_queue_samples) return;
  hw_tag_ = max_in_driver_ > hw_queue_threshold ? 1 : 0;
  max_in_driver_ = 0;
  hw_tag_samples_ = 0;
  nonrot_with_queueing_ = !rotational_ && hw_tag_ != 0;
}

void Scheduler::request_completed(Queue& bfqq) {
  update_hw_tag();
  --in_driver_;
  --bfqq.dispatched;
  if (bfqq.dispatched == 0 && !bfqq.busy) {
    bfqq.budget_timeout = time_.jiffies();
    weights_tree_remove(bfqq);
  }
  bfqq.ttime.last_end_request = time_.ns();
  if (peak_rate_.completed(time_.ns())) update_device_max_budget();
  last_completed_rq_bfqq_ = bfqq.coop ? nullptr : &bfqq;
  if (bfqq.softrt_update && bfqq.dispatched == 0 && bfqq.empty() && bfqq.wr.wr_coeff != interactive_coeff)
    bfqq.soft_rt_next_start = softrt_next_start(bfqq);

  if (&bfqq == in_service_queue_) {
    if (must_idle(bfqq)) {
      if (bfqq.dispatched == 0) arm_slice_timer();
      return;
    }
    if (may_expire_for_budget_timeout(bfqq))
      expire(bfqq, false, Expiration::budget_timeout);
    else if (bfqq.empty() && (bfqq.dispatched == 0 || !better_to_idle(bfqq)))
      expire(bfqq, false, Expiration::no_more_requests);
  }
  if (in_driver_ == 0) schedule_dispatch();
}

void Scheduler::schedule_dispatch() {
  if (queued_ != 0) host_.run_queue(true);
}

void Scheduler::arm_slice_timer() {
  Queue& bfqq = *in_service_queue_;
  bfqq.wait_request = true;
  std::int64_t slice = tunables_.slice_idle;
  if (bfqq.seeky() && !bfqq.raised() && !asymmetric_scenario(&bfqq))
    slice = std::min(slice, seeky_slice_idle);
  else if (bfqq.raised())
    slice = std::max(slice, raised_slice_idle);
  last_idling_start_ = time_.ns();
  last_idling_start_jiffies_ = time_.jiffies();
  idle_slice_timer_.arm(host_.now() + Nanoseconds(slice));
  note(rules::idle_armed, nullptr, bfqq.pid, slice);
}

void Scheduler::on_event(std::uint64_t) {
  Queue* bfqq = in_service_queue_;
  if (bfqq == nullptr) return;
  note(rules::idle_fired, nullptr, bfqq->pid);
  bfqq->wait_request = false;
  if (budget_timed_out(*bfqq))
    expire(*bfqq, true, Expiration::budget_timeout);
  else if (bfqq->queued[0] == 0 && bfqq->queued[1] == 0)
    expire(*bfqq, true, Expiration::too_idle);
  schedule_dispatch();
}

}  // namespace elvcheck::bfq
