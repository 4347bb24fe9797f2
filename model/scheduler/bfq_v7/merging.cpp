// SPDX-License-Identifier: GPL-2.0-or-later
// Cooperators: processes whose requests interleave share a queue while they do.
//
// Mirrors bfq_rq_pos_tree_add, bfqq_close, bfq_close_cooperator, bfq_setup_merge, bfq_split_bfqq, and with Early Queue Merge
// bfq_setup_cooperator, bfq_merge_bfqqs, bfq_bfqq_save_state, bfq_bfqq_resume_state. Without that patch queues are paired
// when the next one is chosen, near where the head is; with it at each insertion and each try to merge a bio, near the
// queue in service or to any waiting one. The tree of positions follows next requests at insertions and expirations only, so
// that its order can be stale; its exact shape decides what is found.
#include "model/core/mutant.hpp"
#include "model/scheduler/bfq_v7/scheduler.hpp"

namespace elvcheck::bfq_v7 {

namespace {

constexpr Sector close_sectors = 8 * 1024;           // BFQQ_SEEK_THR
constexpr unsigned coop_thresh = 2;                  // bfq_coop_thresh
constexpr unsigned most_failed_cooperations = 7000;  // bfq_failed_cooperations

Sector distance(Sector a, Sector b) { return a < b ? b - a : a - b; }

bool is_close(const Queue& bfqq, Sector sector) { return distance(bfqq.next_rq->sector, sector) <= close_sectors; }

}  // namespace

/// Of two queues at one sector the second stays outside.
void Scheduler::pos_tree_add(Queue& bfqq) {
  pos_tree_remove(bfqq);
  if (bfqq.idle_class() || bfqq.next_rq == nullptr) return;
  if (rq_pos_tree_.find(bfqq.next_rq->sector) != nullptr) return;
  rq_pos_tree_.insert(bfqq);
  bfqq.in_pos_tree = true;
}

void Scheduler::pos_tree_remove(Queue& bfqq) {
  if (!bfqq.in_pos_tree) return;
  rq_pos_tree_.erase(bfqq);
  bfqq.in_pos_tree = false;
}

Queue* Scheduler::close_queue(Sector sector) const {
  const auto found = rq_pos_tree_.descend(sector);
  if (found.last == nullptr || found.exact || is_close(*found.last, sector)) return found.last;
  Queue* neighbour =
      found.last->next_rq->sector < sector ? PositionTree::next(*found.last) : PositionTree::prev(*found.last);
  return neighbour != nullptr && is_close(*neighbour, sector) ? neighbour : nullptr;
}

Queue* Scheduler::close_cooperator(Queue& bfqq, Sector sector) const {
  if (bfqq.idle_class() || !bfqq.sync || bfqq.seeky() || busy_queues_ == 1) return nullptr;
  Queue* close = close_queue(sector);
  if (close == nullptr || close == &bfqq || !close->sync || close->seeky()) return nullptr;
  return close->rt() == bfqq.rt() ? close : nullptr;
}

/// The queue is to be merged into the end of the target's chain; without Early Queue Merge the one with fewer processes into
/// the other. Null if that cannot be.
Queue* Scheduler::setup_merge(Queue& bfqq, Queue& target) {
  if (target.process_refs() == 0) return nullptr;
  Queue* into = &target;
  while (into->new_bfqq != nullptr) {
    if (into->new_bfqq == &bfqq) return nullptr;
    into = into->new_bfqq;
  }
  Queue* from = &bfqq;
  if (from->process_refs() == 0 || into->process_refs() == 0) return nullptr;
  if (!features_.early_queue_merge && into->process_refs() < from->process_refs()) std::swap(from, into);
  note(rules::merge_scheduled, nullptr, from->pid, into->pid, from->process_refs());
  into->ref += from->process_refs();
  from->new_bfqq = into;
  return into;
}

/// Early Queue Merge: with whom a request at `sector` should share a queue.
Queue* Scheduler::setup_cooperator(Queue& bfqq, Sector sector) {
  if (bfqq.new_bfqq != nullptr) return bfqq.new_bfqq;
  Queue* serving = in_service_queue_;
  if (serving != nullptr && serving != &bfqq && in_service_bic_ != nullptr && !serving->idle_class() && !bfqq.idle_class() &&
      serving->rt() == bfqq.rt() && distance(sector, last_position_) <= close_sectors && serving->sync && bfqq.sync) {
    if (Queue* target = setup_merge(bfqq, *serving); target != nullptr) return target;
  }
  Queue* waiting = close_cooperator(bfqq, sector);
  return waiting != nullptr ? setup_merge(bfqq, *waiting) : nullptr;
}

/// The process goes over to the target.
void Scheduler::merge_queues(IoContext& bic, Queue& bfqq, Queue& target) {
  note(rules::merged, nullptr, bfqq.pid, target.pid);
  save_state(bfqq);
  save_state(target);
  if (features_.io_bound) {
    if (bfqq.io_bound) target.io_bound = true;
    bfqq.io_bound = false;
  }
  bic.bfqq[true] = &target;
  target.coop = true;
  target.bic = nullptr;
  bfqq.bic = nullptr;
  put_queue(bfqq);
}

/// A request that was bound to `bfqq` goes to the queue that its process uses from now on.
Queue& Scheduler::redirect(Request& rq, IoContext& bic, Queue& bfqq, Queue& target) {
  const bool moves_now = bic.bfqq[true] == &bfqq;
  Queue& to = moves_now ? target : *bic.bfqq[true];
  ++to.allocated;
  --bfqq.allocated;
  ++to.ref;
  put_queue(bfqq);
  if (moves_now) merge_queues(bic, bfqq, to);
  rq.elv_priv[1] = reinterpret_cast<std::uintptr_t>(&to);
  return to;
}

void Scheduler::save_state(Queue& bfqq) {
  IoContext* bic = bfqq.bic;
  if (bic == nullptr) return;
  if (bic->wr_time_left != 0) {
    bic->wr_time_left = wr_duration();  // it is merged before its first request is in
  } else if (bfqq.raised()) {
    const Jiffies elapsed = time_.jiffies() - bfqq.last_wr_start_finish;
    bic->wr_time_left = bfqq.wr_cur_max_time <= elapsed ? 0 : bfqq.wr_cur_max_time - elapsed;
    end_wr(bfqq);
  }
  bic->saved_idle_window = bfqq.idle_window;
  bic->saved_io_bound = bfqq.io_bound;
  ++bic->cooperations;
  bic->failed_cooperations = 0;
}

void Scheduler::resume_state(Queue& bfqq, IoContext& bic) {
  bfqq.idle_window = bic.saved_idle_window;
  if (features_.io_bound) bfqq.io_bound = bic.saved_io_bound;
  if (bic.wr_time_left != 0 && tunables_.low_latency && !too_cooperative(bfqq)) {
    if (bfqq.busy) ++wr_busy_queues_;
    bfqq.wr_coeff = tunables_.wr_coeff;
    bfqq.wr_cur_max_time = bic.wr_time_left;
    bfqq.last_wr_start_finish = time_.jiffies();
    bfqq.prio_changed = true;
  }
  bic.wr_time_left = 0;
}

/// v7r5: its process has been merged so often that it is no interactive application.
bool Scheduler::too_cooperative(const Queue& bfqq) const {
  return features_.cooperation_limit && bfqq.bic != nullptr && bfqq.bic->cooperations >= coop_thresh;
}

void Scheduler::cooperation_failed(Queue& bfqq) const {
  if (!too_cooperative(bfqq)) return;
  if (++bfqq.bic->failed_cooperations >= most_failed_cooperations) bfqq.bic->cooperations = 0;
}

/// A process will not take the merges that were set up for its queue.
void Scheduler::put_cooperator(Queue& bfqq) {
  for (Queue* at = bfqq.new_bfqq; at != nullptr && at != &bfqq;) {
    Queue* next = at->new_bfqq;
    put_queue(*at);
    at = next;
  }
}

/// The process leaves a shared queue, or keeps it if it is alone there. Null: it needs another one.
Queue* Scheduler::split(IoContext& bic, Queue& bfqq) {
  const bool alone = bfqq.process_refs() == 1;
  note(rules::split, nullptr, bic.pid, alone);
  if (alone) {
    bfqq.pid = bic.pid;
    bfqq.coop = bfqq.split_coop = false;
    return &bfqq;
  }
  bic.bfqq[true] = nullptr;
  put_cooperator(bfqq);
  put_queue(bfqq);
  return nullptr;
}

}  // namespace elvcheck::bfq_v7
