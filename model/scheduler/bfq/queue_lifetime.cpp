// SPDX-License-Identifier: GPL-2.0-or-later
// Queues and I/O contexts: creation, references, priorities, and what a process leaves behind.
//
// Mirrors bfq_get_queue, bfq_init_bfqq, bfq_put_queue, bfq_release_process_ref, bfq_set_next_ioprio_data,
// bfq_check_ioprio_change and bfq_exit_icq of block/bfq-iosched.c (6.1). Asynchronous queues are shared by all processes of
// one class and level and stay.
#include <algorithm>
#include <memory>

#include "model/scheduler/bfq/scheduler.hpp"

namespace elvcheck::bfq {

namespace {
constexpr std::size_t default_level = 4;  // IOPRIO_BE_NORM; also what nice 0 gives
constexpr std::size_t worst_level = 7;
}  // namespace

// Contexts.

IoContext& Scheduler::context(ProcessId process) {
  const auto before = [](const auto& entry, ProcessId pid) { return entry.first < pid; };
  const auto at = std::lower_bound(context_index_.begin(), context_index_.end(), process, before);
  if (at != context_index_.end() && at->first == process) return *at->second;
  IoContext& bic = contexts_.emplace_back();
  bic.pid = process;
  context_index_.insert(at, {process, &bic});
  return bic;
}

/// The process's context if it has had a request here (ioc_lookup_icq).
IoContext* Scheduler::linked_context(ProcessId process) {
  IoContext& bic = context(process);
  return bic.linked ? &bic : nullptr;
}

void Scheduler::ioprio_changed(ProcessId process, IoPrio prio) {
  if (prio.io_class == IoClass::none) prio.level = 0;  // it has no levels (ioprio_check_cap)
  context(process).process_ioprio = prio;
}

void Scheduler::prepare_request(Request& rq, const Bio& bio) {
  IoContext& bic = context(bio.process);
  bic.linked = true;
  set_bic(rq, &bic);
  set_bfqq(rq, nullptr);
}

// Queues.

Queue& Scheduler::new_queue(IoContext& bic, bool sync) {
  if (free_queues_.empty()) {
    free_queues_.push_back(&queue_storage_.emplace_back());
  } else {
    std::destroy_at(free_queues_.back());
    std::construct_at(free_queues_.back());
  }
  Queue& bfqq = *free_queues_.back();
  free_queues_.pop_back();
  bfqq.id = ++queues_made_;
  bfqq.pid = bic.pid;
  set_next_ioprio(bfqq, bic);
  bfqq.sync = sync;
  bfqq.has_short_ttime = sync;
  bfqq.just_created = sync;
  bfqq.ttime.last_end_request = time_.ns() + 1;
  bfqq.intensity.io_start_time = time_.ns();
  bfqq.creation_time = time_.jiffies();
  bfqq.max_budget = Budgets::initial(max_budget());
  bfqq.budget_timeout = time_.long_ago();
  bfqq.wr.last_wr_start_finish = time_.jiffies();
  bfqq.wr.wr_start_at_switch_to_srt = time_.long_ago();
  bfqq.split_time = time_.long_ago();
  bfqq.soft_rt_next_start = time_.jiffies();
  if (features_.inject_clock_starts_now) bfqq.inject.decrease_time_jif = time_.jiffies();
  // bfq_init_entity()
  bfqq.entity.queue = &bfqq;
  bfqq.entity.sched_data = &wf2q_.root;
  bfqq.entity.weight = bfqq.entity.orig_weight = bfqq.entity.new_weight;
  bfqq.ioprio = bfqq.new_ioprio;
  bfqq.ioprio_class = bfqq.new_ioprio_class;
  return bfqq;
}

Queue*& Scheduler::async_queue(IoPrio ioprio) {
  switch (ioprio.io_class) {
    case IoClass::rt:
      return async_bfqq_[0][ioprio.level];
    case IoClass::idle:
      return async_idle_bfqq_;
    case IoClass::none:
      return async_bfqq_[1][default_level];
    case IoClass::be:
      break;
  }
  return async_bfqq_[1][ioprio.level];
}

/// The queue for the context's requests, with a reference for the process.
/// @param respawn it replaces one that was split or whose priority changed
Queue& Scheduler::get_queue(IoContext& bic, bool sync, bool respawn) {
  if (!sync) {
    Queue*& shared = async_queue(bic.ioprio);
    if (shared == nullptr) {
      shared = &new_queue(bic, false);
      ++shared->ref;
    }
    ++shared->ref;
    return *shared;
  }
  Queue& bfqq = new_queue(bic, true);
  ++bfqq.ref;
  return respawn || !features_.stable_merging ? bfqq : early_stable_merge(bfqq, bic);
}

void Scheduler::put_queue(Queue& bfqq) {
  if (--bfqq.ref > 0) return;
  if (bfqq.burst_list_node.linked()) {
    decltype(burst_list_)::unlink(bfqq);
    if (bfqq.bic != nullptr && burst_size_ > 0) --burst_size_;
  }
  using WokenList = decltype(bfqq.woken_list);
  WokenList::unlink(bfqq);
  while (Queue* woken = bfqq.woken_list.front()) {
    woken->waker_bfqq = nullptr;
    WokenList::unlink(*woken);
  }
  if (last_completed_rq_bfqq_ == &bfqq) last_completed_rq_bfqq_ = nullptr;
  free_queues_.push_back(&bfqq);
}

void Scheduler::put_stable_ref(Queue& bfqq) {
  --bfqq.stable_ref;
  put_queue(bfqq);
}

void Scheduler::reassign_last_bfqq(const Queue& bfqq, Queue* to) {
  if (last_bfqq_created_ == &bfqq) last_bfqq_created_ = to;
}

void Scheduler::release_process_ref(Queue& bfqq) {
  if (bfqq.busy && bfqq.empty() && &bfqq != in_service_queue_) del_busy(bfqq, false);
  reassign_last_bfqq(bfqq, nullptr);
  put_queue(bfqq);
}

/// Gives back the references that were taken, for one process, along the chain of merges to come.
void Scheduler::put_cooperator(const Queue& bfqq) {
  for (Queue* at = bfqq.new_bfqq; at != nullptr && at != &bfqq;) {
    Queue* next = at->new_bfqq;
    put_queue(*at);
    at = next;
  }
}

void Scheduler::set_bic_queue(IoContext& bic, bool sync, Queue* bfqq) {
  Queue* old = bic.bfqq[sync];
  if (old != nullptr && old->bic == &bic) old->bic = nullptr;
  bic.bfqq[sync] = bfqq;
  if (bfqq != nullptr && bic.stable_merge_bfqq == bfqq) {
    bic.stable_merge_bfqq = nullptr;
    put_stable_ref(*bfqq);
  }
}

// Priorities.

void Scheduler::set_next_ioprio(Queue& bfqq, const IoContext& bic) {
  switch (bic.ioprio.io_class) {
    case IoClass::none:  // from nice 0 and the ordinary scheduling policy
      bfqq.new_ioprio = default_level;
      bfqq.new_ioprio_class = IoClass::be;
      break;
    case IoClass::idle:
      bfqq.new_ioprio = worst_level;
      bfqq.new_ioprio_class = IoClass::idle;
      break;
    case IoClass::rt:
    case IoClass::be:
      bfqq.new_ioprio = bic.ioprio.level;
      bfqq.new_ioprio_class = bic.ioprio.io_class;
      break;
  }
  bfqq.entity.new_weight = Weights::of_ioprio(bfqq.new_ioprio);
  bfqq.entity.prio_changed = true;
}

void Scheduler::check_ioprio_change(IoContext& bic) {
  if (bic.ioprio == bic.process_ioprio) return;
  bic.ioprio = bic.process_ioprio;
  if (Queue* old = bic.bfqq[0]) {
    set_bic_queue(bic, false, &get_queue(bic, false, true));
    release_process_ref(*old);
  }
  if (Queue* bfqq = bic.bfqq[1]) set_next_ioprio(*bfqq, bic);
}

// Exit.

void Scheduler::exit_queue(IoContext& bic, bool sync) {
  Queue* bfqq = bic.bfqq[sync];
  if (bfqq == nullptr) return;
  set_bic_queue(bic, sync, nullptr);
  if (bfqq == in_service_queue_) {
    end_service(*bfqq, Expiration::budget_timeout);
    schedule_dispatch();
  }
  put_cooperator(*bfqq);
  release_process_ref(*bfqq);
}

void Scheduler::exit_process(ProcessId process) {
  IoContext* bic = linked_context(process);
  if (bic == nullptr) return;
  bic->active = false;
  if (bic->stable_merge_bfqq != nullptr) put_stable_ref(*bic->stable_merge_bfqq);
  bic->stable_merge_bfqq = nullptr;
  exit_queue(*bic, true);
  exit_queue(*bic, false);
}

}  // namespace elvcheck::bfq
