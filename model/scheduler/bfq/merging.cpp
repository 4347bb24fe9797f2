// SPDX-License-Identifier: GPL-2.0-or-later
// Merging of queues: processes whose requests interleave, or that were created close together, share a queue; a shared queue
// that turns seeky is split.
//
// Mirrors bfq_setup_cooperator, bfq_setup_merge, bfq_merge_bfqqs, the position tree, bfq_do_or_sched_stable_merge,
// bfq_split_bfqq, bfq_bfqq_save_state and bfq_bfqq_resume_state of block/bfq-iosched.c (6.1; stable merges and splits also
// of 6.12).
//
// A merge is set up for a whole queue (new_bfqq, with a reference for each of its processes) and carried out process by
// process, as each comes with its next request. Chains of set-up merges are followed to their end and have no cycles.
#include <algorithm>

#include "model/scheduler/bfq/scheduler.hpp"

namespace elvcheck::bfq {

namespace {
constexpr Sector close_threshold = 8 * 1024;                // BFQQ_CLOSE_THR
constexpr std::int64_t activation_stable_merging_ms = 600;  // bfq_activation_stable_merging
constexpr std::int64_t late_stable_merging_ms = 600;        // bfq_late_stable_merging
constexpr std::int64_t burst_interval_ms = 180;             // bfq_burst_interval

bool close(Sector a, Sector b) { return (a > b ? a - b : b - a) <= close_threshold; }
}  // namespace

// Who is near.

/// A queue may merge only in the first 100 ms of its backlog.
bool Scheduler::too_late_for_merging(const Queue& bfqq) const {
  return bfqq.service_from_backlogged > 0 && time_.before_now(bfqq.first_io_time + time_.hz() / 10);
}

void Scheduler::pos_tree_remove(Queue& bfqq) {
  if (bfqq.pos_node.linked) rq_pos_tree_.erase(bfqq);
}

/// The queue's next request has changed. Of two queues at one position the second is left out.
void Scheduler::pos_tree_add_move(Queue& bfqq) {
  pos_tree_remove(bfqq);
  if (too_late_for_merging(bfqq) || bfqq.class_idle() || bfqq.next_rq == nullptr) return;
  if (rq_pos_tree_.find(bfqq.next_rq->sector) == nullptr) rq_pos_tree_.insert(bfqq);
}

/// The queue whose next request is close to the sector: that at the end of the descent, or its neighbour on the other side.
Queue* Scheduler::find_close(Sector sector) const {
  const auto found = rq_pos_tree_.descend(sector);
  if (found.exact || found.last == nullptr) return found.last;
  Queue* bfqq = found.last;
  if (close(bfqq->next_rq->sector, sector)) return bfqq;
  bfqq = bfqq->next_rq->sector < sector ? rq_pos_tree_.next(*bfqq) : rq_pos_tree_.prev(*bfqq);
  return bfqq != nullptr && close(bfqq->next_rq->sector, sector) ? bfqq : nullptr;
}

bool Scheduler::may_be_close_cooperator(const Queue& bfqq, const Queue& other) const {
  return !too_late_for_merging(other) && !bfqq.class_idle() && !other.class_idle() &&
         bfqq.ioprio_class == other.ioprio_class && !bfqq.seeky() && !other.seeky() && bfqq.sync && other.sync;
}

// Setting up.

/// The end of the chain that starts with `into`, if the merge could be set up.
Queue* Scheduler::setup_merge(Queue& bfqq, Queue& into) {
  if (into.process_refs() == 0) return nullptr;
  Queue* target = &into;
  while (target->new_bfqq != nullptr) {
    if (target->new_bfqq == &bfqq) return nullptr;
    target = target->new_bfqq;
  }
  const int processes = bfqq.process_refs();
  if (processes == 0 || target->process_refs() == 0) return nullptr;
  note(rules::merge_scheduled, nullptr, bfqq.pid, target->pid, processes);
  bfqq.new_bfqq = target;
  target->ref += processes;
  return target;
}

/// The queue that the process's requests should go to instead, given one at this sector; null: none.
Queue* Scheduler::setup_cooperator(Queue& bfqq, Sector sector, IoContext& bic) {
  if (bfqq.new_bfqq != nullptr) {
    Queue* target = bfqq.new_bfqq;
    while (target->new_bfqq != nullptr) target = target->new_bfqq;
    return target;
  }
  // Flash that queues requests gains nothing from merging.
  if (nonrot_with_queueing_) return nullptr;
  if (bfqq.sync && bic.stable_merge_bfqq != nullptr && !bfqq.just_created &&
      time_.before_now(bfqq.split_time + time_.ms(late_stable_merging_ms)) &&
      time_.before_now(bfqq.creation_time + time_.ms(late_stable_merging_ms)))
    return setup_delayed_stable_merge(bfqq, bic);
  if (!features_.cooperator_merging || too_late_for_merging(bfqq) || busy_queues() == 1) return nullptr;

  Queue* serving = in_service_queue_;
  if (serving != nullptr && serving != &bfqq && close(sector, in_serv_last_pos_) &&
      may_be_close_cooperator(bfqq, *serving)) {
    if (Queue* target = setup_merge(bfqq, *serving)) return target;
  }
  Queue* near = find_close(sector);
  if (near == nullptr || near == &bfqq || !may_be_close_cooperator(bfqq, *near)) return nullptr;
  return setup_merge(bfqq, *near);
}

// Stable merges.

Queue* Scheduler::setup_delayed_stable_merge(Queue& bfqq, IoContext& bic) {
  Queue& with = *bic.stable_merge_bfqq;
  const int processes = std::min(bfqq.process_refs(), with.process_refs());
  bic.stable_merge_bfqq = nullptr;
  if (!features_.stable_ref_held_to_end) put_stable_ref(with);
  Queue* target = nullptr;
  if (!idling_boosts_throughput(bfqq) && processes > 0) target = setup_merge(bfqq, with);
  if (target != nullptr) {
    bic.stably_merged = true;
    if (target->bic != nullptr) target->bic->stably_merged = true;
  }
  if (features_.stable_ref_held_to_end) put_stable_ref(with);
  return target;
}

/// bfq_do_or_sched_stable_merge(): a new queue is compared with the one created before it.
Queue& Scheduler::early_stable_merge(Queue& bfqq, IoContext& bic) {
  Queue* last = last_bfqq_created_;
  if (last == nullptr || last->creation_time + time_.ms(activation_stable_merging_ms) < bfqq.creation_time ||
      bfqq.ioprio != last->ioprio || bfqq.ioprio_class != last->ioprio_class) {
    last_bfqq_created_ = &bfqq;
    return bfqq;
  }
  if (last->creation_time + time_.ms(burst_interval_ms) < bfqq.creation_time) return bfqq;
  if (!nonrot_with_queueing_) {
    ++last->ref;
    ++last->stable_ref;
    bic.stable_merge_bfqq = last;
    return bfqq;
  }
  Queue* target = setup_merge(bfqq, *last);
  if (target == nullptr) return bfqq;
  if (target->bic != nullptr) target->bic->stably_merged = true;
  bic.stably_merged = true;
  bfqq.bic = &bic;
  return merge_bfqqs(bic, bfqq);
}

// Carrying out.

/// Moves the process from the queue to the one it is to be merged into.
Queue& Scheduler::merge_bfqqs(IoContext& bic, Queue& bfqq) {
  Queue& target = *bfqq.new_bfqq;
  note(rules::merged, nullptr, bic.pid, target.pid);
  save_state(bfqq);
  save_state(target);
  if (bfqq.io_bound) target.io_bound = true;
  bfqq.io_bound = false;
  if (bfqq.waker_bfqq != nullptr && target.waker_bfqq == nullptr && bfqq.waker_bfqq != &target) {
    target.tentative_waker_bfqq = nullptr;
    link_to_waker(target, bfqq.waker_bfqq);
  }
  // Raising moves with the process.
  if (target.wr.wr_coeff == 1 && bfqq.raised()) {
    const std::int64_t service = target.wr.service_from_wr;
    target.wr = bfqq.wr;
    target.wr.service_from_wr = service;
    if (target.busy) ++wr_busy_queues_;
    target.entity.prio_changed = true;
  }
  if (bfqq.raised()) {
    bfqq.wr.wr_coeff = 1;
    bfqq.entity.prio_changed = true;
    if (bfqq.busy) --wr_busy_queues_;
  }
  set_bic_queue(bic, true, &target);
  target.coop = true;
  target.bic = nullptr;
  target.pid = -1;
  bfqq.bic = nullptr;
  reassign_last_bfqq(bfqq, &target);
  release_process_ref(bfqq);
  return target;
}

void Scheduler::save_state(Queue& bfqq) {
  if (bfqq.bic == nullptr) return;
  SavedState& saved = bfqq.bic->saved;
  saved.inject = bfqq.inject;
  saved.weight = bfqq.entity.orig_weight;
  saved.ttime = bfqq.ttime;
  saved.has_short_ttime = bfqq.has_short_ttime;
  saved.io_bound = bfqq.io_bound;
  saved.intensity = bfqq.intensity;
  saved.in_large_burst = bfqq.in_large_burst;
  saved.was_in_burst_list = bfqq.burst_list_node.linked();
  if (bfqq.just_created && !bfqq.in_large_burst && tunables_.low_latency) {
    // It would have been raised with the request that it is merged for.
    saved.wr.wr_coeff = interactive_coeff;
    saved.wr.wr_start_at_switch_to_srt = time_.long_ago();
    saved.wr.wr_cur_max_time = wr_duration();
    saved.wr.last_wr_start_finish = time_.jiffies();
  } else {
    saved.wr = bfqq.wr;
  }
}

/// @param existed the queue was not made for the split: it may be busy
void Scheduler::resume_state(Queue& bfqq, const IoContext& bic, bool existed) {
  const SavedState& saved = bic.saved;
  std::int64_t old_coeff = 1;
  bfqq.has_short_ttime = saved.has_short_ttime;
  bfqq.io_bound = saved.io_bound;
  bfqq.inject = saved.inject;
  bfqq.entity.new_weight = saved.weight;
  bfqq.ttime = saved.ttime;
  bfqq.intensity = saved.intensity;
  const std::int64_t coeff = bfqq.wr.wr_coeff;
  bfqq.wr = saved.wr;
  if (tunables_.low_latency)
    old_coeff = coeff;
  else
    bfqq.wr.wr_coeff = coeff;
  if (bfqq.raised() && (bfqq.in_large_burst || time_.before_now(bfqq.wr.last_wr_start_finish + bfqq.wr.wr_cur_max_time))) {
    if (is_soft_rt(bfqq) && !bfqq.in_large_burst && !time_.before_now(bfqq.wr.wr_start_at_switch_to_srt + wr_duration()))
      switch_back_to_interactive(bfqq);
    else
      bfqq.wr.wr_coeff = 1;
  }
  bfqq.entity.prio_changed = true;
  if (existed && bfqq.busy) count_raised(bfqq, old_coeff);
}

// Splitting.

/// A process leaves its shared queue. If nobody else uses it and no merge is pending, the queue becomes its own again.
Queue& Scheduler::queue_after_split(IoContext& bic, Queue& bfqq, bool& existed) {
  Queue* waker = surviving_waker(bfqq);
  if (bfqq.in_large_burst) bic.saved.in_large_burst = true;
  existed = bfqq.process_refs() == 1 && bfqq.new_bfqq == nullptr;
  note(rules::split, nullptr, bic.pid, existed);
  if (existed) {
    bfqq.pid = bic.pid;
    bfqq.coop = bfqq.split_coop = false;
    if (features_.split_always_resumes) resume_state(bfqq, bic, true);
    return bfqq;
  }
  set_bic_queue(bic, true, nullptr);
  put_cooperator(bfqq);
  release_process_ref(bfqq);
  Queue& own = respawn_queue(bic);
  if (features_.split_always_resumes) resume_state(own, bic, false);
  if (waker != nullptr) link_to_waker(own, waker);
  return own;
}

/// A new queue for a process that left a shared one, with the burst state it had before.
Queue& Scheduler::respawn_queue(IoContext& bic) {
  Queue& bfqq = get_queue(bic, true, true);
  set_bic_queue(bic, true, &bfqq);
  const SavedState& saved = bic.saved;
  bfqq.in_large_burst = (saved.was_in_burst_list && large_burst_) || saved.in_large_burst;
  if (!bfqq.in_large_burst && saved.was_in_burst_list) burst_list_.push_front(bfqq);
  bfqq.split_time = time_.jiffies();
  return bfqq;
}

}  // namespace elvcheck::bfq
