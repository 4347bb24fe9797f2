// SPDX-License-Identifier: GPL-2.0-or-later
// A request's way in: it is bound to a queue, tried against queued requests, counted in the queue's statistics, put in its
// order, and it may make its queue busy, which may end the slot of the queue in service.
//
// Mirrors bfq_insert_request, bfq_init_rq, __bfq_insert_request, bfq_add_request, bfq_bfqq_handle_idle_busy_switch,
// bfq_rq_enqueued and the statistics bfq_update_io_thinktime, _io_seektime, _has_short_ttime and _io_intensity of
// block/bfq-iosched.c (6.1), in the kernel's order.
#include "model/block/request_pool.hpp"
#include "model/scheduler/bfq/scheduler.hpp"

namespace elvcheck::bfq {

namespace {

constexpr Sector seek_threshold = 8 * 100;              // BFQQ_SEEK_THR
constexpr SectorCount small_for_flash = 2 * 32;         // BFQQ_SECT_THR_NONROT
constexpr SectorCount small_request = 32;               // a request below it does not end idling
constexpr std::int64_t burst_forgotten_ms = 10'000;     // after that long idle a queue leaves its burst
constexpr std::int64_t intensity_window = 200'000'000;  // ns

}  // namespace

void Scheduler::insert_request(Request& rq, bool at_head) {
  init_rq(rq);
  if (host_.try_insert_merge(rq)) return;
  if (host_.trace().watched()) host_.trace().emit(request_event(EventKind::insert, rq, host_.now()));
  if (at_head) {
    dispatch_.push_front(rq);
  } else if (bfqq_of(rq) == nullptr) {
    dispatch_.push_back(rq);
  } else {
    queue_request(rq);
    host_.add_merge_target(rq);
  }
}

/// bfq_init_rq(): the request gets its queue.
void Scheduler::init_rq(Request& rq) {
  if (bic_of(rq) == nullptr || bfqq_of(rq) != nullptr) return;
  IoContext& bic = *bic_of(rq);
  const bool sync = is_sync(rq);
  check_ioprio_change(bic);

  Queue* bfqq = bic.bfqq[sync];
  bool split = false;
  bool existed = false;
  if (bfqq == nullptr) {
    bfqq = &get_queue(bic, sync, false);
    set_bic_queue(bic, sync, bfqq);
  } else if (features_.queue_splitting && bfqq->coop && bfqq->split_coop && !bic.stably_merged) {
    bfqq = &queue_after_split(bic, *bfqq, existed);
    split = true;
  }

  ++bfqq->entity.allocated;
  ++bfqq->ref;
  ++bic.requests;
  set_bfqq(rq, bfqq);
  if (bfqq->new_bfqq == nullptr && bfqq->process_refs() == 1) {
    bfqq->bic = &bic;
    if (split && !features_.split_always_resumes) resume_state(*bfqq, bic, existed);
  }
  if (features_.burst_detection && bfqq->just_created && (burst_size_ > 0 || busy_queues() == 0)) handle_burst(*bfqq);
}

/// __bfq_insert_request().
void Scheduler::queue_request(Request& rq) {
  Queue* bfqq = bfqq_of(rq);
  IoContext& bic = *bic_of(rq);
  if (Queue* merged = setup_cooperator(*bfqq, rq.sector, bic)) {
    Queue* const old = bfqq;
    ++merged->entity.allocated;
    --bfqq->entity.allocated;
    ++merged->ref;
    if (bic.bfqq[true] == bfqq) {
      while (bfqq != merged) bfqq = &merge_bfqqs(bic, *bfqq);
    }
    old->just_created = false;
    put_queue(*old);
    set_bfqq(rq, merged);
  }
  update_io_thinktime(*bfqq);
  update_has_short_ttime(*bfqq, bic);
  update_io_seektime(*bfqq, rq);
  add_request(rq);
  rq.fifo_time = static_cast<std::uint64_t>(time_.ns() + tunables_.fifo_expire[is_sync(rq)]);
  bfqq->fifo.push_back(rq);
  rq_enqueued(*bfqq, rq);
}

// Statistics.

void Scheduler::update_io_thinktime(Queue& bfqq) {
  if (bfqq.dispatched != 0 || bfqq.busy) return;
  bfqq.ttime.arrival(time_.ns(), 2 * tunables_.slice_idle);
}

void Scheduler::update_has_short_ttime(Queue& bfqq, const IoContext& bic) {
  if (!bfqq.sync || bfqq.class_idle() || tunables_.slice_idle == 0) return;
  if (!time_.before_now(bfqq.split_time + min_idle_time_)) return;  // the saved verdict holds for a while after a split
  const bool thinks_long = features_.think_time && bfqq.ttime.long_for(tunables_.slice_idle);
  const bool is_short = bic.active && !thinks_long;
  const bool changed = is_short != bfqq.has_short_ttime;
  bfqq.has_short_ttime = is_short;
  if (changed && bfqq.inject.last_serv_time_ns == 0 &&
      (time_.reached(bfqq.inject.decrease_time_jif + time_.ms(100)) || !is_short))
    reset_inject_limit(bfqq);
}

/// BFQ_RQ_SEEKY: far from the last position, and on flash small as well.
bool Scheduler::is_seeky_step(Sector last, const Request& rq) const {
  const Sector distance = last == 0 ? 0 : rq.sector > last ? rq.sector - last : last - rq.sector;
  return distance > seek_threshold && (rotational_ || rq.sectors < small_for_flash);
}

void Scheduler::update_io_seektime(Queue& bfqq, const Request& rq) {
  bfqq.seek_history = bfqq.seek_history << 1 | (is_seeky_step(bfqq.last_request_pos, rq) ? 1U : 0U);
  if (bfqq.raised() && is_soft_rt(bfqq) && bfqq.totally_seeky()) end_or_switch_back(bfqq);
}

/// A queue is I/O bound when it has requests for at least four fifths of the time. Times are unsigned and wrap, as in the
/// kernel: a new queue's idle time starts at -1.
void Scheduler::update_io_intensity(Queue& bfqq) {
  IoIntensity& io = bfqq.intensity;
  const std::int64_t total = time_.ns() - io.io_start_time;
  if (bfqq.empty() && bfqq.dispatched == 0)
    io.tot_idle_time += static_cast<std::uint64_t>(time_.ns() - bfqq.ttime.last_end_request);
  if (bfqq.just_created) return;
  bfqq.io_bound = !features_.io_bound || io.tot_idle_time * 5 <= static_cast<std::uint64_t>(total);
  if (total > intensity_window) {
    io.io_start_time = time_.ns() - (total >> 1);
    io.tot_idle_time >>= 1;
  }
}

// Queueing.

void Scheduler::add_request(Request& rq) {
  Queue& bfqq = *bfqq_of(rq);
  const std::int64_t old_coeff = bfqq.wr.wr_coeff;
  ++bfqq.queued[is_sync(rq)];
  ++queued_;
  if (bfqq.sync && bic_of(rq)->requests <= 1) {
    check_waker(bfqq);
    sample_injection(bfqq);
  }
  if (bfqq.sync) update_io_intensity(bfqq);

  bfqq.sort_list.insert(rq);
  Request* const old_next = bfqq.next_rq;
  bfqq.next_rq = choose_req(bfqq.next_rq, &rq, last_position_);
  const bool next_changed = old_next != bfqq.next_rq;
  if (!nonrot_with_queueing_ && next_changed) pos_tree_add_move(bfqq);

  bool interactive = false;
  if (!bfqq.busy) {
    interactive = handle_idle_busy_switch(bfqq, rq, old_coeff);
  } else {
    raise_busy_async(bfqq, rq, old_coeff);
    if (next_changed) updated_next_req(bfqq);
  }
  if (tunables_.low_latency && (old_coeff == 1 || !bfqq.raised() || interactive))
    bfqq.wr.last_wr_start_finish = time_.jiffies();
}

/// The queue becomes busy. True if it counts as interactive.
bool Scheduler::handle_idle_busy_switch(Queue& bfqq, const Request& rq, std::int64_t old_coeff) {
  const bool idle_for_long = bfqq.dispatched == 0 && time_.before_now(bfqq.budget_timeout + min_idle_time_);
  const auto in_time = static_cast<std::uint32_t>(tunables_.slice_idle * 3);
  const bool arrived_in_time = time_.ns() <= bfqq.ttime.last_end_request + std::int64_t{in_time};
  const bool in_burst = bfqq.in_large_burst;
  const bool default_weight_set = bfqq.entity.new_weight == default_weight;
  const bool soft_rt = features_.soft_rt_raising && !bfqq.totally_seeky() && !in_burst &&
                       time_.before_now(bfqq.soft_rt_next_start) && bfqq.dispatched == 0 && default_weight_set;
  const bool interactive = features_.interactive_raising && !in_burst && idle_for_long && default_weight_set;
  const bool own_or_stable = bfqq.bic != nullptr || bic_of(rq)->stably_merged;
  const bool deserves = tunables_.low_latency && (bfqq.raised() || (bfqq.sync && own_or_stable && (interactive || soft_rt)));

  const bool wants_to_preempt = update_budget_for_activation(bfqq, arrived_in_time);
  if (!bfqq.just_created && idle_for_long && time_.before_now(bfqq.budget_timeout + time_.ms(burst_forgotten_ms))) {
    decltype(burst_list_)::unlink(bfqq);
    bfqq.in_large_burst = false;
  }
  bfqq.just_created = false;
  if (tunables_.low_latency) {
    if (time_.jiffies() < bfqq.split_time) bfqq.split_time = time_.jiffies() - min_idle_time_ - 1;
    if (time_.before_now(bfqq.split_time + min_idle_time_)) {
      raise_on_arrival(bfqq, old_coeff, deserves, interactive, in_burst, soft_rt);
      if (old_coeff != bfqq.wr.wr_coeff) bfqq.entity.prio_changed = true;
    }
  }
  bfqq.last_idle_bklogged = time_.jiffies();
  bfqq.service_from_backlogged = 0;
  bfqq.softrt_update = false;
  add_busy(bfqq);
  preempt_if_due(bfqq, wants_to_preempt);
  return interactive;
}

/// A newly busy queue ends the slot in service if it takes up its budget again at the same or a higher raise, if it is of a
/// better class or heavier, or if the queue in service need not be waited for; and only if selection would then fall on
/// another entity.
void Scheduler::preempt_if_due(Queue& bfqq, bool wants_to_preempt) {
  Queue* serving = in_service_queue_;
  if (serving == nullptr || !features_.preemption) return;
  const bool resumes = wants_to_preempt && bfqq.wr.wr_coeff >= serving->wr.wr_coeff;
  const bool higher = bfqq.ioprio_class < serving->ioprio_class || bfqq.entity.weight > serving->entity.weight;
  if (!(resumes || higher || !better_to_idle(*serving)) || !wf2q_.next_queue_may_preempt()) return;
  note(rules::preempt, nullptr, bfqq.pid, serving->pid, resumes, higher);
  expire(*serving, false, Expiration::preempted);
}

/// The queue in service has got what it was waited for.
void Scheduler::rq_enqueued(Queue& bfqq, const Request& rq) {
  bfqq.last_request_pos = rq.end();
  if (&bfqq != in_service_queue_ || !bfqq.wait_request) return;
  const bool small = bfqq.queued[is_sync(rq)] == 1 && rq.sectors < small_request;
  const bool timed_out = budget_timed_out(bfqq);
  if (features_.small_request_rule && small && idling_boosts_throughput(bfqq) && !timed_out) return;
  bfqq.wait_request = false;
  idle_slice_timer_.cancel();
  if (timed_out) expire(bfqq, false, Expiration::budget_timeout);
}

}  // namespace elvcheck::bfq
