// SPDX-License-Identifier: GPL-2.0-or-later
// Cooperators: processes that read interleaved parts of one place share a queue while they do.
//
// Mirrors cfq_close_cooperator, cfqq_close, cfq_setup_merge, cfq_merge_cfqqs and split_cfqq. When the active queue is empty,
// a queue of the same original level whose next request is close to the head is served at once, and the two are to be
// merged: each process goes over at its next allocation, requests stay where they are. A shared queue that becomes seeky is
// split again. The trees by sector follow the next requests only at insertion and expiry, so that a close queue may be
// overlooked: a defect that was never mended, and a reason to keep the exact shape of the trees.
#include "model/scheduler/cfq/rules.hpp"
#include "model/scheduler/cfq/scheduler.hpp"

namespace elvcheck::cfq {

Queue* Cfq::close_cooperator(Queue& queue) {
  if (queue.idle_class() || !queue.sync || queue.seeks.seeky() || queue.group->queues == 1) return nullptr;
  Queue* close = close_queue(queue.original_level);
  if (close == nullptr || close->group != queue.group || !close->sync || close->seeks.seeky()) return nullptr;
  return close->rt() == queue.rt() ? close : nullptr;
}

/// The queue whose next request is at the head, or close to it among the two that the search ends between.
Queue* Cfq::close_queue(std::uint8_t level) {
  const SectorTree& tree = sector_trees_.at(level);
  Queue* last = tree.descend(last_position_).last;
  if (last == nullptr) return nullptr;
  if (last->next->sector == last_position_ || is_close(*last->next)) return last;
  Queue* neighbour = last->next->sector < last_position_ ? SectorTree::next(*last) : SectorTree::prev(*last);
  return neighbour != nullptr && is_close(*neighbour->next) ? neighbour : nullptr;
}

/// Both queues are to become one: the one with fewer processes goes into the other.
void Cfq::schedule_merge(Queue& queue, Queue& target) {
  Queue* into = &target;
  if (features_.merge_checks_target && into->process_refs == 0) return;
  while (into->merge_target != nullptr) {
    if (into->merge_target == &queue) return;
    into = into->merge_target;
  }
  if (queue.process_refs == 0 || (features_.merge_checks_target && into->process_refs == 0)) return;
  Queue* from = &queue;
  if (into->process_refs < from->process_refs) std::swap(from, into);
  from->merge_target = into;
  into->process_refs += from->process_refs;
  note(rules::merge_scheduled, *from, into->pid);
}

Queue& Cfq::take_merge(IoContext& ioc, Queue& queue) {
  Queue& target = *queue.merge_target;
  note(rules::merge_taken, queue, target.pid);
  ioc.queues[true] = &target;
  target.coop = true;
  --queue.process_refs;
  release(queue);
  return target;
}

/// The process leaves a shared queue, or keeps it if it is alone there. True if it keeps it.
bool Cfq::split(IoContext& ioc, Queue& queue) {
  if (queue.process_refs == 1) {
    queue.pid = ioc.pid;
    queue.coop = queue.split_coop = false;
    note(rules::split_undone, queue);
    return true;
  }
  note(rules::split_taken, queue);
  ioc.queues[true] = nullptr;
  if (features_.split_drops_chain) drop_merge_chain(queue);
  --queue.process_refs;
  release(queue);
  return false;
}

}  // namespace elvcheck::cfq
