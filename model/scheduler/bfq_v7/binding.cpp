// SPDX-License-Identifier: GPL-2.0-or-later
// Binding: which queue a process's request belongs to, and how long a queue lives.
//
// Mirrors bfq_set_request, bfq_get_queue, bfq_find_alloc_queue, bfq_init_bfqq, bfq_init_prio_data, bfq_changed_ioprio,
// bfq_may_queue, bfq_put_request, bfq_put_queue, bfq_exit_bfqq, bfq_exit_icq and bfq_init_icq. Kept as it is: after a change
// of priority a process's async requests still go to the queue of the priority before, for one change; a process that exits
// ends the slot of the async queue it shares with others.
#include <algorithm>
#include <limits>
#include <memory>

#include "model/scheduler/bfq_v7/scheduler.hpp"

namespace elvcheck::bfq_v7 {

IoContext& Scheduler::context(ProcessId process) {
  if (latest_context_ != nullptr && latest_context_->pid == process) return *latest_context_;
  IoContext& bic = contexts_[process];
  bic.pid = process;
  latest_context_ = &bic;
  return bic;
}

IoContext* Scheduler::known_context(ProcessId process) {
  IoContext& bic = context(process);
  return bic.known ? &bic : nullptr;
}

void Scheduler::ioprio_changed(ProcessId process, IoPrio prio) {
  if (prio.io_class == IoClass::none) prio.level = 0;
  context(process).process_ioprio = prio;
}

void Scheduler::changed_ioprio(IoContext& bic) {
  if (bic.ioprio == bic.process_ioprio) return;
  if (Queue* old = bic.bfqq[false]; old != nullptr) {
    bic.bfqq[false] = &get_queue(bic, false);
    put_queue(*old);
  }
  if (bic.bfqq[true] != nullptr) bic.bfqq[true]->ioprio_pending = true;
  bic.ioprio = bic.process_ioprio;
}

bool Scheduler::may_queue(ProcessId process, const Bio& bio) {
  const IoContext* bic = known_context(process);
  if (bic == nullptr) return false;
  Queue* bfqq = bic->bfqq[op_is_sync(bio.op, bio.flags)];
  if (bfqq == nullptr) return false;
  init_prio_data(*bfqq, *bic);
  if (!bfqq->wait_request || !bfqq->must_alloc) return false;
  bfqq->must_alloc = false;
  return true;
}

void Scheduler::set_request(Request& rq, const Bio& bio) {
  IoContext& bic = context(bio.process);
  if (!bic.known) {
    bic.known = true;
    bic.ttime.last_end_request = time_.jiffies();
    bic.wr_time_left = 1;
  }
  changed_ioprio(bic);
  const bool sync = is_sync(rq);
  bool was_split = false;
  Queue* bfqq = bic.bfqq[sync];
  if (bfqq != nullptr && bfqq->coop && bfqq->split_coop) {
    bfqq = split(bic, *bfqq);
    was_split = true;
  }
  if (bfqq == nullptr) {
    bfqq = &get_queue(bic, sync);
    bic.bfqq[sync] = bfqq;
  } else if (!features_.early_queue_merge && bfqq->new_bfqq != nullptr) {
    Queue& target = *bfqq->new_bfqq;
    note(rules::merged, nullptr, bfqq->pid, target.pid);
    bic.bfqq[true] = &target;
    target.coop = true;
    put_queue(*bfqq);
    bfqq = &target;
  }
  ++bfqq->allocated;
  ++bfqq->ref;
  rq.elv_priv[0] = reinterpret_cast<std::uintptr_t>(&bic);
  rq.elv_priv[1] = reinterpret_cast<std::uintptr_t>(bfqq);
  if (!features_.early_queue_merge || bfqq->process_refs() != 1) return;
  bfqq->bic = &bic;
  if (was_split) {
    bfqq->just_split = true;
    resume_state(*bfqq, bic);
  }
}

void Scheduler::put_request(Request& rq) {
  Queue& bfqq = queue_of_request(rq);
  --bfqq.allocated;
  put_queue(bfqq);
}

Queue*& Scheduler::async_slot(IoPrio ioprio) {
  if (ioprio.io_class == IoClass::idle) return async_idle_bfqq_;
  if (ioprio.io_class == IoClass::none) return async_bfqq_[1][4];
  return async_bfqq_[ioprio.io_class == IoClass::rt ? 0 : 1].at(ioprio.level);
}

Queue& Scheduler::get_queue(IoContext& bic, bool sync) {
  if (sync) {
    Queue& bfqq = new_queue(bic, true);
    ++bfqq.ref;
    return bfqq;
  }
  Queue*& slot = async_slot(bic.ioprio);
  if (slot == nullptr) {
    // As in the kernel, where the process has an async queue already, the new slot gets that one.
    slot = bic.bfqq[false] != nullptr ? bic.bfqq[false] : &new_queue(bic, false);
    ++slot->ref;
  }
  ++slot->ref;
  return *slot;
}

Queue& Scheduler::new_queue(IoContext& bic, bool sync) {
  if (free_queues_.empty()) free_queues_.push_back(&queues_.emplace_back());
  Queue& bfqq = *free_queues_.back();
  free_queues_.pop_back();
  std::destroy_at(&bfqq);
  std::construct_at(&bfqq);
  bfqq.ioprio_pending = true;
  bfqq.sync = bfqq.idle_window = sync;
  bfqq.max_budget = Budgets::initial(max_budget());
  bfqq.pid = bic.pid;
  bfqq.soft_rt_next_start = time_.jiffies() + std::numeric_limits<Jiffies>::max() / 2;
  init_prio_data(bfqq, bic);
  bfqq.ioprio = bfqq.new_ioprio;
  bfqq.ioprio_class = bfqq.new_ioprio_class;
  return bfqq;
}

void Scheduler::init_prio_data(Queue& bfqq, const IoContext& bic) {
  if (!bfqq.ioprio_pending) return;
  const IoPrio prio = bic.ioprio;
  const bool none = prio.io_class == IoClass::none;
  bfqq.new_ioprio_class = none ? IoClass::be : prio.io_class;
  bfqq.new_ioprio = none ? 4 : prio.io_class == IoClass::idle ? 7 : prio.level;
  if (prio.io_class == IoClass::idle) bfqq.idle_window = false;
  bfqq.prio_changed = true;
  bfqq.ioprio_pending = false;
}

void Scheduler::put_queue(Queue& bfqq) {
  if (--bfqq.ref == 0) free_queues_.push_back(&bfqq);
}

void Scheduler::exit_queue(Queue& bfqq) {
  if (&bfqq == in_service_queue_) {
    end_service(bfqq);
    schedule_dispatch();
  }
  put_cooperator(bfqq);
  put_queue(bfqq);
}

void Scheduler::exit_process(ProcessId process) {
  IoContext& bic = context(process);
  bic.alive = false;
  for (const bool sync : {false, true}) {
    if (bic.bfqq[sync] == nullptr) continue;
    exit_queue(*bic.bfqq[sync]);
    bic.bfqq[sync] = nullptr;
  }
}

}  // namespace elvcheck::bfq_v7
