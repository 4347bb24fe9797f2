// SPDX-License-Identifier: GPL-2.0-or-later
// Service trees: where queues wait, and who counts as busy; and the trees by sector in which cooperators are looked for.
//
// Mirrors cfq_service_tree_add, cfq_resort_rr_list, cfq_add_cfqq_rr, cfq_del_cfqq_rr and cfq_prio_tree_add. A queue waits at
// now + offset - residual: the offset grows with the number of queues and with a worse level. A queue that preempts goes one
// second before the first. Idle-class queues wait 200 ms behind the last one (4.19: behind now).
#include "model/scheduler/cfq/scheduler.hpp"

namespace elvcheck::cfq {

void Cfq::add_to_service_tree(Queue& queue, bool at_front) {
  const bool group_changed = !tunables_.group_isolation && features_.group_scheduling && change_group_by_type(queue);
  ServiceTree& tree = tree_for(queue);
  Time key;
  if (queue.idle_class()) {
    const Queue* last = features_.idle_key_after_last ? tree.queues.last() : nullptr;
    key = units_.second() / 5 + (last != nullptr && last != &queue ? last->key : now());
  } else if (at_front) {
    const Queue* first = tree.queues.first();
    key = (first != nullptr ? first->key : now()) - units_.second();
  } else {
    key = slice_.service_key(now(), queue.sync, queue.level, queue.group->queues, queue.residual);
    queue.residual = 0;
  }
  const bool waits_already = queue.service_tree != nullptr;
  if (waits_already) {
    if (queue.key == key && queue.service_tree == &tree) return;
    queue.service_tree->erase(queue);
  }
  queue.key = key;
  tree.insert(queue);
  if ((waits_already || at_front) && !group_changed) return;
  const Time delay = iops_mode() ? static_cast<Time>(units_.hz()) / 5 : units_.second() / 5;
  groups_.add_queue(*queue.group, static_cast<std::uint64_t>(delay));
}

/// 2.6.35 without group_isolation: sync-noidle queues are served in the root group, and go home when they are idled on
/// again. True if the group has changed.
bool Cfq::change_group_by_type(Queue& queue) {
  Group* target = nullptr;
  if (queue.type() == Type::sync_noidle && queue.group != &groups_.root()) {
    target = &groups_.root();
  } else if (queue.type() == Type::sync && queue.home_group != nullptr) {
    target = queue.home_group;
  }
  if (target == nullptr) return false;
  if (queue.service_tree != nullptr) groups_.remove_queue(*queue.group);
  queue.home_group = target == &groups_.root() ? queue.group : nullptr;
  queue.group = target;
  return true;
}

void Cfq::leave_service_tree(Queue& queue) {
  if (queue.service_tree != nullptr) queue.service_tree->erase(queue);
}

void Cfq::resort(Queue& queue) {
  if (!queue.on_rr) return;
  add_to_service_tree(queue, false);
  add_to_sector_tree(queue);
}

void Cfq::add_busy(Queue& queue) {
  queue.on_rr = true;
  ++busy_queues_;
  if (queue.sync) ++busy_sync_queues_;
  resort(queue);
}

void Cfq::remove_busy(Queue& queue) {
  queue.on_rr = false;
  leave_service_tree(queue);
  leave_sector_tree(queue);
  groups_.remove_queue(*queue.group);
  --busy_queues_;
  if (queue.sync) --busy_sync_queues_;
}

/// Puts the queue where its next request lies. Of two queues at one sector the second stays outside.
void Cfq::add_to_sector_tree(Queue& queue) {
  leave_sector_tree(queue);
  if (queue.idle_class() || queue.next == nullptr) return;
  SectorTree& tree = sector_trees_.at(queue.original_level);
  if (tree.find(queue.next->sector) != nullptr) return;
  tree.insert(queue);
  queue.sector_level = queue.original_level;
}

void Cfq::leave_sector_tree(Queue& queue) {
  if (queue.sector_level < 0) return;
  sector_trees_[static_cast<std::size_t>(queue.sector_level)].erase(queue);
  queue.sector_level = -1;
}

}  // namespace elvcheck::cfq
