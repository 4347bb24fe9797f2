// SPDX-License-Identifier: GPL-2.0-or-later
// Binding: which queue a process's request belongs to.
//
// Mirrors cfq_set_request, cfq_get_queue, cfq_init_prio_data, cfq_may_queue, cfq_put_request, cfq_put_queue and the exit of
// an io context. The queue is bound when the request is allocated, before any plug: a merge or split of cooperators, an
// ioprio change or a move to another cgroup shows at the next allocation only. Two defects live here. Up to 2.6.35, a
// changed process takes its old async queue along into the slot of its new level if that is empty, and with it everybody
// else of that level. In 4.x its async I/O follows one change late.
#include <algorithm>
#include <memory>

#include "model/scheduler/cfq/rules.hpp"
#include "model/scheduler/cfq/scheduler.hpp"

namespace elvcheck::cfq {

IoContext& Cfq::context(ProcessId process) {
  if (latest_context_ != nullptr && latest_context_->pid == process) return *latest_context_;
  IoContext& ioc = contexts_[process];
  ioc.pid = process;
  latest_context_ = &ioc;
  return ioc;
}

IoContext* Cfq::known_context(ProcessId process) {
  IoContext& ioc = context(process);
  return ioc.known ? &ioc : nullptr;
}

void Cfq::ioprio_changed(ProcessId process, IoPrio prio) {
  if (prio.io_class == IoClass::none) prio.level = 0;
  context(process).ioprio = prio;
}

bool Cfq::may_queue(ProcessId process, const Bio& bio) {
  GroupTree::born(group_of(bio.group), now());
  const IoContext* ioc = known_context(process);
  if (ioc == nullptr) return false;
  Queue* queue = ioc->queues[op_is_sync(bio.op, bio.flags)];
  if (queue == nullptr) return false;
  if (queue->prio_changed) init_priority(*queue, *ioc);
  if (features_.prio_boost) boost(*queue, is_urgent(bio.flags));
  if (!queue->wait_request || queue->must_alloc_slice) return false;
  queue->must_alloc_slice = true;
  return true;
}

/// A queue that holds up an urgent request is lifted until its process submits something else. It is not moved in its tree.
void Cfq::boost(Queue& queue, bool urgent) {
  if (!urgent) {
    queue.io_class = queue.original_class;
    queue.level = queue.original_level;
    return;
  }
  if (!queue.idle_class() && queue.level <= 4) return;
  if (queue.idle_class()) queue.io_class = IoClass::be;
  queue.level = std::min<std::uint8_t>(queue.level, 4);
  note(rules::prio_boosted, queue, static_cast<std::int64_t>(queue.io_class), queue.level);
}

void Cfq::set_request(Request& rq, const Bio& bio) {
  IoContext& ioc = context(bio.process);
  if (!ioc.known) {
    ioc.known = true;
    ioc.think.last_end = now();
    ioc.seen_ioprio = ioc.ioprio;
    ioc.group = bio.group;
  }
  follow_changes(ioc, bio.group);
  Queue& queue = queue_for(ioc, is_sync(rq), bio);
  ++queue.allocated;
  rq.elv_priv[0] = reinterpret_cast<std::uintptr_t>(&ioc);
  rq.elv_priv[1] = reinterpret_cast<std::uintptr_t>(&queue);
}

void Cfq::put_request(Request& rq) {
  Queue& queue = queue_of(rq);
  --queue.allocated;
  release(queue);
}

/// Takes note of an ioprio or cgroup that has changed since the process's latest request.
void Cfq::follow_changes(IoContext& ioc, std::uint32_t group) {
  if (ioc.seen_ioprio != ioc.ioprio) {
    if (Queue* old = ioc.queues[false]; old != nullptr) {
      ioc.queues[false] = &get_queue(ioc, false, features_.async_ioprio_lags ? ioc.seen_ioprio : ioc.ioprio, ioc.group);
      --old->process_refs;
      release(*old);
    }
    if (ioc.queues[true] != nullptr) ioc.queues[true]->prio_changed = true;
    ioc.seen_ioprio = ioc.ioprio;
  }
  if (ioc.group != group) {
    ioc.group = group;
    drop(ioc, true);
    if (features_.async_queues_by_group) drop(ioc, false);
  }
}

Queue& Cfq::queue_for(IoContext& ioc, bool sync, const Bio& bio) {
  for (;;) {
    Queue* queue = ioc.queues[sync];
    if (queue == nullptr) {
      queue = &get_queue(ioc, sync, ioc.ioprio, bio.group);
      ioc.queues[sync] = queue;
      return *queue;
    }
    if (queue->coop && queue->split_coop && !split(ioc, *queue)) continue;
    return queue->merge_target == nullptr ? *queue : take_merge(ioc, *queue);
  }
}

/// A new sync queue, or the shared async queue of `slot_prio`.
Queue& Cfq::get_queue(IoContext& ioc, bool sync, IoPrio slot_prio, std::uint32_t group) {
  if (sync) {
    Queue& queue = new_queue(ioc, true, group);
    ++queue.process_refs;
    return queue;
  }
  Group& owner = features_.async_queues_by_group ? group_of(group) : groups_.root();
  const bool rt = slot_prio.io_class == IoClass::rt;
  const std::uint8_t level = slot_prio.io_class == IoClass::none ? 4 : slot_prio.level;
  Queue*& slot = slot_prio.io_class == IoClass::idle ? owner.async_idle_queue : owner.async_queues[rt ? 0 : 1].at(level);
  if (slot == nullptr) {
    const bool adopt = features_.async_slot_adopts_old && ioc.queues[false] != nullptr;
    slot = adopt ? ioc.queues[false] : &new_queue(ioc, false, group);
    ++slot->process_refs;  // the slot's own
  }
  ++slot->process_refs;
  return *slot;
}

Queue& Cfq::new_queue(IoContext& ioc, bool sync, std::uint32_t group) {
  if (free_queues_.empty()) free_queues_.push_back(&queues_.emplace_back());
  Queue& queue = *free_queues_.back();
  free_queues_.pop_back();
  std::destroy_at(&queue);
  std::construct_at(&queue);
  queue.pid = ioc.pid;
  queue.sync = queue.idle_window = sync;
  queue.group = sync || features_.async_queues_by_group ? &group_of(group) : &groups_.root();
  init_priority(queue, ioc);
  note(rules::bind_new, queue, sync, static_cast<std::int64_t>(queue.io_class), queue.level);
  return queue;
}

void Cfq::init_priority(Queue& queue, const IoContext& ioc) const {
  queue.io_class = ioc.ioprio.io_class;
  queue.level = ioc.ioprio.level;
  if (queue.io_class == IoClass::none) {
    queue.io_class = IoClass::be;
    queue.level = 4;
  } else if (queue.idle_class()) {
    queue.level = 7;
    queue.idle_window = false;
  }
  queue.original_class = queue.io_class;
  queue.original_level = queue.level;
  queue.prio_changed = false;
}

void Cfq::exit_process(ProcessId process) {
  IoContext& ioc = context(process);
  ioc.alive = false;
  for (const bool sync : {false, true}) {
    Queue* queue = ioc.queues[sync];
    if (queue == nullptr) continue;
    if (queue == active_) {
      expire(*queue, false, rules::expire_exit);
      kick();
    }
    drop(ioc, sync);
  }
}

/// The process no longer uses its queue.
void Cfq::drop(IoContext& ioc, bool sync) {
  Queue* queue = ioc.queues[sync];
  if (queue == nullptr) return;
  ioc.queues[sync] = nullptr;
  if (sync) drop_merge_chain(*queue);
  --queue->process_refs;
  release(*queue);
}

void Cfq::drop_merge_chain(Queue& queue) {
  for (Queue* at = queue.merge_target; at != nullptr;) {
    Queue* next = at->merge_target;
    --at->process_refs;
    release(*at);
    at = next;
  }
}

/// cfq_put_queue(): the queue is gone once neither a process nor a request refers to it.
void Cfq::release(Queue& queue) {
  if (queue.process_refs > 0 || queue.allocated > 0) return;
  if (&queue == active_) {
    expire(queue, false, rules::expire_freed);
    kick();
  }
  if (queue.on_rr) remove_busy(queue);
  free_queues_.push_back(&queue);
}

}  // namespace elvcheck::cfq
