// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/cfq/group.hpp"

#include <algorithm>

#include "model/core/mutant.hpp"

namespace elvcheck::cfq {

namespace {
constexpr std::uint64_t root_weight = 1000;
constexpr std::uint64_t default_weight = 500;  // 2.6.35: BLKIO_WEIGHT_DEFAULT
constexpr unsigned service_shift = 12;         // CFQ_SERVICE_SHIFT
}  // namespace

GroupTree::GroupTree(const Features& features, std::span<const IoGroup> groups, Time now) : features_(features) {
  groups_.emplace_back();
  root().weight = root().leaf_weight = root_weight;
  for (const IoGroup& spec : groups) {
    Group& group = groups_.emplace_back();
    group.weight = group.leaf_weight = spec.weight;
    group.parent = &groups_.at(spec.parent);
  }
  born(root(), now);
}

void GroupTree::born(Group& group, Time now) {
  for (Group* at = &group; at != nullptr && !at->born; at = at->parent) {
    at->born = true;
    at->think.last_end = at->idle_tree.think.last_end = now;
    for (auto& by_type : at->trees) {
      for (ServiceTree& tree : by_type) tree.think.last_end = now;
    }
  }
}

Group& GroupTree::leftmost() {
  Group& group = *tree_.first();
  if (least_ < group.vdisktime) least_ = group.vdisktime;
  return group;
}

void GroupTree::insert(Group& group) {
  tree_.insert(group);
  group.on_tree = true;
  if (!features_.hierarchical_weights) return;
  // Activate the way to the root, and multiply the fractions along it.
  Group* at = &group;
  bool propagate = at->active_children++ == 0;
  at->children_weight += at->leaf_weight;
  std::uint64_t fraction = (std::uint64_t{1} << service_shift) * at->leaf_weight / at->children_weight;
  for (; at->parent != nullptr; at = at->parent) {
    Group& parent = *at->parent;
    if (propagate) {
      propagate = parent.active_children++ == 0;
      parent.children_weight += at->weight;
    }
    fraction = fraction * at->weight / parent.children_weight;
  }
  group.fraction = std::max<std::uint64_t>(fraction, 1);
}

void GroupTree::erase(Group& group) {
  tree_.erase(group);
  group.on_tree = false;
  if (!features_.hierarchical_weights) return;
  Group* at = &group;
  bool propagate = --at->active_children == 0;
  at->children_weight -= at->leaf_weight;
  for (; propagate && at->parent != nullptr; at = at->parent) {
    at->parent->children_weight -= at->weight;
    propagate = --at->parent->active_children == 0;
  }
}

void GroupTree::add_queue(Group& group, std::uint64_t delay) {
  ++group.queues;
  if (group.on_tree) return;
  group.vdisktime = tree_.empty() ? least_ : VirtualDiskTime{tree_.last()->vdisktime.value + delay};
  insert(group);
  total_weight_ += group.weight;
}

void GroupTree::remove_queue(Group& group) {
  if (--group.queues > 0) return;
  erase(group);
  group.saved_slice = 0;
  total_weight_ -= group.weight;
}

void GroupTree::charge(Group& group, Time amount) {
  const auto used = static_cast<std::uint64_t>(amount);
  const bool same = planted(Mutant::cfq_weight_ignored);
  const std::uint64_t fraction = same ? 1U << service_shift : group.fraction;
  const std::uint64_t weight = same ? default_weight : group.weight;
  erase(group);
  group.vdisktime.value += features_.hierarchical_weights ? (used << (2 * service_shift)) / fraction
                                                          : (used << service_shift) * default_weight / weight;
  insert(group);
}

}  // namespace elvcheck::cfq
