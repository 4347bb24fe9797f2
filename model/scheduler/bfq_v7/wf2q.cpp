// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/bfq_v7/wf2q.hpp"

namespace elvcheck::bfq_v7 {

using bfq::Core;
using bfq::Entity;
using bfq::ServiceTree;

namespace {

constexpr std::int64_t levels = 8;  // IOPRIO_BE_NR
constexpr std::size_t idle_class = bfq::class_count - 1;

std::int64_t to_ioprio(std::int64_t weight) { return weight > levels ? 0 : levels - weight; }

void set_stamps(Queue& bfqq, const Core::Stamps& stamps) {
  bfqq.start = stamps.start;
  bfqq.finish = stamps.finish;
}

}  // namespace

Wf2q::Wf2q(Owner& owner, const bfq::KernelTime& time, const Features& features)
    : owner_(owner), time_(time), features_(features) {}

void Wf2q::extract_active(Queue& bfqq) {
  tree_of(bfqq).active_extract(bfqq);
  QueueList::unlink(bfqq);
}

void Wf2q::forget(ServiceTree& tree, Queue& bfqq) {
  bfqq.on_st_or_in_serv = false;
  tree.wsum -= bfqq.weight;
  owner_.put_queue(bfqq);
}

void Wf2q::forget_idle(ServiceTree& tree) {
  Entity* const first = tree.first_idle;
  Entity* const last = tree.last_idle;
  if (tree.active_empty() && last != nullptr && Core::forgotten(last->finish, tree.vtime)) tree.vtime = last->finish;
  if (first == nullptr || !Core::forgotten(first->finish, tree.vtime)) return;
  tree.idle_extract(*first);
  forget(tree, queue_of(*first));
}

void Wf2q::activate(Queue& bfqq) {
  ServiceTree* tree = &tree_of(bfqq);
  if (root_.in_service_entity == &bfqq) {
    set_stamps(bfqq, Core::charged(bfqq.start, bfqq.service, bfqq.weight));
    root_.in_service_entity = nullptr;
  } else if (bfqq.tree == Entity::Tree::active) {
    extract_active(bfqq);
  } else {
    const bool remembered = bfqq.tree == Entity::Tree::idle;
    bfqq.start = Core::activation_start(tree->vtime, bfqq.finish, remembered, false);
    if (remembered) {
      tree->idle_extract(bfqq);
    } else {
      tree->wsum += bfqq.weight;
      ++bfqq.ref;
      bfqq.on_st_or_in_serv = true;
    }
  }
  tree = &update_weight_prio(bfqq);
  set_stamps(bfqq, Core::stamps(bfqq.start, bfqq.budget, bfqq.weight));
  tree->active_insert(bfqq);
  active_list.push_front(bfqq);
}

void Wf2q::deactivate(Queue& bfqq) {
  if (!bfqq.on_st_or_in_serv) return;
  ServiceTree& tree = tree_of(bfqq);
  if (root_.in_service_entity == &bfqq) {
    bfqq.finish = Core::finish(bfqq.start, bfqq.service, bfqq.weight);
    root_.in_service_entity = nullptr;
  } else if (bfqq.tree == Entity::Tree::active) {
    extract_active(bfqq);
  } else if (bfqq.tree == Entity::Tree::idle) {
    tree.idle_extract(bfqq);
  }
  if (Core::forgotten(bfqq.finish, tree.vtime))
    forget(tree, bfqq);
  else
    tree.idle_insert(bfqq);
}

ServiceTree& Wf2q::update_weight_prio(Queue& bfqq) {
  ServiceTree& old_tree = tree_of(bfqq);
  if (!bfqq.prio_changed) return old_tree;
  old_tree.wsum -= bfqq.weight;
  if (bfqq.new_weight != bfqq.orig_weight) {
    bfqq.orig_weight = bfqq.new_weight;
    bfqq.ioprio = to_ioprio(bfqq.orig_weight);
  } else if (bfqq.new_ioprio != bfqq.ioprio) {
    bfqq.ioprio = bfqq.new_ioprio;
    bfqq.orig_weight = levels - bfqq.ioprio;
  } else {
    bfqq.new_weight = bfqq.orig_weight = levels - bfqq.ioprio;
  }
  bfqq.ioprio_class = bfqq.new_ioprio_class;
  bfqq.prio_changed = false;
  ServiceTree& new_tree = tree_of(bfqq);
  const std::int64_t weight = bfqq.orig_weight * bfqq.wr_coeff;
  const bool changes = weight != bfqq.weight;
  if (changes) owner_.weight_uncounted(bfqq);
  bfqq.weight = weight;
  if (changes && !bfqq.raised()) owner_.weight_counted(bfqq);
  new_tree.wsum += weight;
  if (&new_tree != &old_tree) bfqq.start = new_tree.vtime;
  return new_tree;
}

void Wf2q::served(Queue& bfqq, std::int64_t sectors) {
  ServiceTree& tree = tree_of(bfqq);
  bfqq.service += sectors;
  tree.vtime = Core::advance(tree.vtime, sectors, tree.wsum);
  forget_idle(tree);
}

Queue* Wf2q::lookup(ServiceTree& tree) {
  if (tree.active_empty()) return nullptr;
  const bfq::VirtualTime threshold = Core::jump(tree.vtime, tree.least_start());
  if (threshold != tree.vtime) {
    tree.vtime = threshold;
    forget_idle(tree);
  }
  Entity* found = features_.repaired_search ? tree.eligible_repaired(tree.vtime) : tree.eligible_shipped(tree.vtime);
  return &queue_of(*found);
}

Queue& Wf2q::next_queue() {
  std::size_t index = 0;
  if (features_.idle_class_turn && time_.jiffies() - root_.class_idle_last_service > time_.hz() / 5 &&
      lookup(root_.service_tree[idle_class]) != nullptr) {
    index = idle_class;
    root_.class_idle_last_service = time_.jiffies();
  }
  Queue* found = nullptr;
  for (; found == nullptr; ++index) found = lookup(root_.service_tree.at(index));
  extract_active(*found);
  root_.in_service_entity = found;
  found->service = 0;
  return *found;
}

void Wf2q::take(Queue& bfqq) {
  ServiceTree& tree = tree_of(bfqq);
  const bfq::VirtualTime threshold = Core::jump(tree.vtime, tree.least_start());
  if (threshold != tree.vtime) {
    tree.vtime = threshold;
    forget_idle(tree);
  }
  extract_active(bfqq);
  root_.in_service_entity = &bfqq;
  bfqq.service = 0;
}

}  // namespace elvcheck::bfq_v7
