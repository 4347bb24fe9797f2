// SPDX-License-Identifier: GPL-2.0-or-later
// Insertion: a request enters its queue, or grows by a merge.
//
// Mirrors cfq_insert_request, cfq_add_rq_rb, cfq_rq_enqueued, cfq_update_idle_window and the merge hooks. The order of the
// steps is observable: the queue becomes busy, with the type it had, before this request changes its think time, seek
// history and idle window; the sector tree is updated before that, too. Up to 2.6.39 a queued request at the same sector is
// pushed out ("alias").
#include "model/scheduler/cfq/rules.hpp"
#include "model/scheduler/cfq/scheduler.hpp"

namespace elvcheck::cfq {

void Cfq::add_request(Request& rq) {
  Queue& queue = queue_of(rq);
  IoContext& ioc = context_of(rq);
  if (queue.prio_changed) init_priority(queue, ioc);
  if (features_.yield_ends_on_own_request) queue.yield_to = nullptr;
  const bool as_sync = is_sync(rq) != planted(Mutant::cfq_fifo_of_other_kind);
  rq.fifo_time = static_cast<std::uint64_t>(now() + tunables_.fifo_expire[as_sync]);
  queue.fifo.push_back(rq);
  add_sorted(queue, rq);
  ++queued_;
  if (is_urgent(rq.flags)) ++queue.urgent;
  update_think_times(queue, ioc);
  queue.seeks.update(rq.sector, rq.sectors, rotational_);
  update_idle_window(queue, ioc);
  queue.seeks.last_end = rq.end();
  react_to_insertion(queue, rq);
}

void Cfq::add_sorted(Queue& queue, Request& rq) {
  ++queue.queued[is_sync(rq)];
  while (features_.alias_dispatch) {
    Request* alias = queue.sorted.find(rq.sector);
    if (alias == nullptr) break;
    note(rules::dispatch_alias, queue, 0, 0, 0, alias);
    if (planted(Mutant::cfq_alias_lost)) {
      remove_request(*alias);
      continue;
    }
    move_to_dispatch(*alias);
  }
  queue.sorted.insert(rq);
  if (!queue.on_rr) add_busy(queue);
  Request* before = queue.next;
  queue.next = choose(before, &rq, last_position_);
  if (queue.next != before) add_to_sector_tree(queue);
}

void Cfq::remove_request(Request& rq) {
  Queue& queue = queue_of(rq);
  if (queue.next == &rq) queue.next = find_next(queue, rq);
  rq.queuelist.list->remove(rq);
  queue.sorted.erase(rq);
  --queue.queued[is_sync(rq)];
  if (queue.empty()) leave_sector_tree(queue);
  --queued_;
  if (is_urgent(rq.flags)) --queue.urgent;
}

/// What to dispatch after `rq`: of its neighbours by place (the first of the queue follows the last) the better one.
Request* Cfq::find_next(Queue& queue, Request& rq) const {
  Request* next = RequestTree::next(rq);
  if (next == nullptr) {
    next = queue.sorted.first();
    if (next == &rq) next = nullptr;
  }
  return choose(next, RequestTree::prev(rq), rq.sector);
}

Request* Cfq::choose(Request* first, Request* second, Sector head) const {
  if (first == nullptr || first == second) return second;
  if (second == nullptr) return first;
  const auto view = [this](const Request& rq) {
    return RequestView<Concrete>{static_cast<Time>(rq.sector), is_sync(rq), is_urgent(rq.flags)};
  };
  return choose_.first_wins(view(*first), view(*second), static_cast<Time>(head)) ? first : second;
}

void Cfq::update_think_times(Queue& queue, IoContext& ioc) {
  if (!features_.tree_think_time) {
    ioc.think.update(now(), slice_.slice_idle);
    return;
  }
  if (queue.sync) {
    ioc.think.update(now(), slice_.slice_idle);
    queue.service_tree->think.update(now(), slice_.slice_idle);
  }
  if (features_.group_scheduling) queue.group->think.update(now(), tunables_.group_idle);
}

/// Whether the queue is worth idling on. Its place in the trees follows when it is next added.
void Cfq::update_idle_window(Queue& queue, const IoContext& ioc) {
  if (!queue.sync || queue.idle_class()) return;
  if (queue.queued[false] + queue.queued[true] >= 4) queue.deep = true;
  bool enable = queue.idle_window;
  const bool noidle = features_.noidle_on_noidle_tree && queue.next != nullptr && is_noidle(*queue.next);
  if (noidle || !ioc.alive || slice_.slice_idle == 0 || (!queue.deep && queue.seeks.seeky()))
    enable = false;
  else if (ioc.think.valid())
    enable = !ioc.think.longer_than(slice_.slice_idle);
  if (enable == queue.idle_window) return;
  queue.idle_window = enable;
  if (enable)
    note(rules::idle_window_on, queue, ioc.think.mean);
  else
    note(rules::idle_window_off, queue, ioc.think.mean, queue.seeks.seeky(), noidle);
}

void Cfq::react_to_insertion(Queue& queue, Request& rq) {
  if (&queue != active_) {
    if (const DecisionRule* rule = preempt_rule(queue, rq); rule != nullptr) {
      preempt(queue, *rule);
      host_.run_queue(false);
    }
    return;
  }
  if (!queue.wait_request) return;
  constexpr std::uint64_t page_bytes = 4096;
  if (rq.sectors * sector_bytes > page_bytes || busy_queues_ > 1) {
    idle_timer_.cancel();
    queue.wait_request = false;
    note(rules::idle_cancelled, queue, 0, 0, 0, &rq);
    host_.run_queue(false);
  } else {
    queue.must_dispatch = true;
    note(rules::idle_small_request, queue, 0, 0, 0, &rq);
  }
}

// Merging.

/// A bio may join a request of the queue that its process would use now, and a sync bio no async request.
bool Cfq::allow_merge(const Request& rq, const Bio& bio) {
  const bool sync = op_is_sync(bio.op, bio.flags);
  if (sync && !is_sync(rq)) return false;
  const IoContext* ioc = known_context(bio.process);
  return ioc != nullptr && ioc->queues[sync] == &queue_of(rq);
}

bool Cfq::allow_request_merge(const Request& rq, const Request& next) {
  return features_.merge_across_queues || &queue_of(rq) == &queue_of(next);
}

Request* Cfq::find_front_merge(const Bio& bio) {
  const IoContext* ioc = known_context(bio.process);
  if (ioc == nullptr) return nullptr;
  Queue* queue = ioc->queues[op_is_sync(bio.op, bio.flags)];
  return queue == nullptr ? nullptr : queue->sorted.find(bio.sector + bio.sectors);
}

void Cfq::request_merged(Request& rq, bool at_front) {
  if (!at_front) return;
  Queue& queue = queue_of(rq);
  queue.sorted.erase(rq);
  --queue.queued[is_sync(rq)];
  add_sorted(queue, rq);
}

void Cfq::requests_merged(Request& rq, Request& next) {
  if (next.queuelist.list == nullptr) return;  // it was still plugged
  Queue& queue = queue_of(rq);
  Queue& loser = queue_of(next);
  if (next.fifo_time < rq.fifo_time && (features_.merge_across_queues || &queue == &loser)) {
    rq.queuelist.list->remove(rq);
    next.queuelist.list->insert_after(rq, next);
    rq.fifo_time = next.fifo_time;
  }
  if (queue.next == &next) queue.next = &rq;
  remove_request(next);
  if (features_.drop_emptied_queue && loser.on_rr && loser.empty() && &loser != active_) remove_busy(loser);
}

}  // namespace elvcheck::cfq
