// SPDX-License-Identifier: GPL-2.0-or-later
// Injection: which other queue is served while the one in service is empty and waited for, and how much of it does no harm.
//
// Mirrors bfq_check_waker, bfq_waker_bfqq, bfq_reset_inject_limit, bfq_update_inject_limit, bfq_choose_bfqq_for_injection
// and the injection part of bfq_select_queue (block/bfq-iosched.c, 6.1; the scan also of 6.12).
//
// Kept as it is: the scan's "idle for slice_idle" adds nanoseconds to jiffies and so hardly ever holds; in 6.1 the limit of
// 1 that it would allow is lost again for small requests.
#include <algorithm>

#include "model/scheduler/bfq/scheduler.hpp"

namespace elvcheck::bfq {

namespace {
constexpr std::int64_t waker_window = 4'000'000;      // ns between a completion and the arrival it may have caused
constexpr std::int64_t waker_detection_slices = 128;  // a detection takes at most that many slice_idle
constexpr unsigned waker_detections = 3;
constexpr SectorCount large_for_flash = 2 * 32;  // BFQQ_SECT_THR_NONROT
}  // namespace

// Wakers.

/// A request has arrived at a queue of a process that thinks long, and its only one. The queue whose request was done just
/// before may be what the process waits for; three times the same, and it is.
void Scheduler::check_waker(Queue& bfqq) {
  Queue* last = last_completed_rq_bfqq_;
  if (!features_.waker_detection || last == nullptr || last == &bfqq || bfqq.has_short_ttime ||
      time_.ns() - peak_rate_.last_completion() >= waker_window)
    return;
  if (last != bfqq.tentative_waker_bfqq ||
      time_.ns() > bfqq.waker_detection_started + waker_detection_slices * tunables_.slice_idle) {
    bfqq.tentative_waker_bfqq = last;
    bfqq.num_waker_detections = 1;
    bfqq.waker_detection_started = time_.ns();
  } else {
    ++bfqq.num_waker_detections;
  }
  if (bfqq.num_waker_detections != waker_detections) return;
  bfqq.tentative_waker_bfqq = nullptr;
  link_to_waker(bfqq, last);
  note(rules::waker_found, nullptr, bfqq.pid, last->pid);
}

/// Makes the queue the first that its waker wakes.
void Scheduler::link_to_waker(Queue& bfqq, Queue* waker) {
  decltype(waker->woken_list)::unlink(bfqq);
  bfqq.waker_bfqq = waker;
  waker->woken_list.push_front(bfqq);
}

/// The waker that a queue split off from this one inherits: one that keeps a process when this one's references are gone.
Queue* Scheduler::surviving_waker(Queue& bfqq) const {
  Queue* waker = bfqq.waker_bfqq;
  if (waker == nullptr) return nullptr;
  for (const Queue* at = bfqq.new_bfqq; at != nullptr; at = at->new_bfqq) {
    if (at == waker) return waker->process_refs() == 1 ? nullptr : waker;
  }
  return waker->process_refs() == 0 ? nullptr : waker;
}

// The limit.

/// A request arrives that may show what injection costs: the time from now to its completion is measured if the device is
/// empty (then it is the baseline), or if injected requests are in the way.
void Scheduler::sample_injection(Queue& bfqq) {
  if (time_.reached(bfqq.inject.decrease_time_jif + time_.ms(1000))) reset_inject_limit(bfqq);
  const bool telling = in_driver_ == 0 || (bfqq.inject.last_serv_time_ns > 0 && rqs_injected_);
  if (&bfqq != in_service_queue_ || !telling || !time_.reached(bfqq.inject.decrease_time_jif + time_.ms(10))) return;
  last_empty_occupied_ns_ = time_.ns();
  wait_dispatch_ = true;
  if (in_driver_ == 0) rqs_injected_ = false;
}

void Scheduler::reset_inject_limit(Queue& bfqq) {
  bfqq.inject.last_serv_time_ns = 0;
  waited_rq_ = nullptr;
  bfqq.inject.inject_limit = bfqq.has_short_ttime ? 0 : 1;
  bfqq.inject.decrease_time_jif = time_.jiffies();
}

/// The measured request is done, and not yet counted out of the device.
void Scheduler::update_inject_limit(Queue& bfqq) {
  InjectState& inject = bfqq.inject;
  const std::int64_t total = time_.ns() - last_empty_occupied_ns_;
  const unsigned old_limit = inject.inject_limit;
  if (inject.last_serv_time_ns > 0 && rqs_injected_) {
    const std::int64_t tolerable = inject.last_serv_time_ns * 3 / 2;
    if (total >= tolerable && old_limit > 0) {
      --inject.inject_limit;
      inject.decrease_time_jif = time_.jiffies();
    } else if (total < tolerable && old_limit <= static_cast<unsigned>(max_in_driver_)) {
      ++inject.inject_limit;
    }
  }
  const bool alone = in_driver_ == 1;
  if ((inject.last_serv_time_ns == 0 && alone) || total < inject.last_serv_time_ns) {
    if (inject.last_serv_time_ns == 0) inject.inject_limit = std::max(1U, old_limit);
    inject.last_serv_time_ns = total;
  } else if (!rqs_injected_ && alone) {
    inject.last_serv_time_ns = total;
  }
  waited_rq_ = nullptr;
  rqs_injected_ = false;
}

// The choice.

bool Scheduler::injectable(const Queue* bfqq) const {
  return bfqq != nullptr && bfqq->busy && bfqq->next_rq != nullptr && fits_budget(*bfqq);
}

/// What to serve in the hole that the queue in service leaves; null: nothing.
Queue* Scheduler::queue_to_inject(Queue& in_service) {
  if (!features_.injection) return nullptr;
  Queue* chosen = nullptr;
  int why = 0;
  Queue* async = in_service.bic != nullptr ? in_service.bic->bfqq[false] : nullptr;
  if (async != nullptr && async->next_rq != nullptr && bic_of(*async->next_rq) == in_service.bic && injectable(async)) {
    chosen = async;
  } else if (injectable(in_service.waker_bfqq)) {
    chosen = in_service.waker_bfqq;
    why = 1;
  } else if (injectable(in_service.woken_list.front())) {
    chosen = in_service.woken_list.front();
    why = 2;
  } else if (!idling_boosts_throughput(in_service) &&
             (!in_service.raised() || wr_busy_queues_ > 1 || !in_service.has_short_ttime)) {
    chosen = scan_for_injection(in_service);
    why = 3;
  }
  if (chosen != nullptr)
    note(rules::injected, chosen->next_rq, chosen->pid, in_service.pid, why, in_service.inject.inject_limit);
  return chosen;
}

Queue* Scheduler::scan_for_injection(const Queue& in_service) {
  unsigned limit = in_service.inject.inject_limit;
  const bool any = !in_service.raised() || !in_service.has_short_ttime;
  if (limit == 0 && in_service.inject.last_serv_time_ns == 0 && in_service.wait_request &&
      time_.reached(last_idling_start_jiffies_ + tunables_.slice_idle))
    limit = 1;
  const auto at_device = static_cast<unsigned>(in_driver_);
  if (at_device >= limit) return nullptr;
  for (Queue* bfqq = wf2q_.active_list.front(); bfqq != nullptr; bfqq = Wf2q::QueueList::next(*bfqq)) {
    if (bfqq->empty() || !(any || bfqq->raised()) || !fits_budget(*bfqq)) continue;
    const bool large = !rotational_ && bfqq->next_rq->sectors >= large_for_flash;
    if (features_.inject_skips_large) {
      if (large && at_device >= 1) continue;
    } else {
      limit = large ? std::min(1U, limit) : in_service.inject.inject_limit;
      if (at_device >= limit) continue;
    }
    rqs_injected_ = true;
    return bfqq;
  }
  return nullptr;
}

}  // namespace elvcheck::bfq
