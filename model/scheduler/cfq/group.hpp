// SPDX-License-Identifier: GPL-2.0-or-later
// Groups (cgroups) and the order in which they are served.
//
// Mirrors struct cfq_group and cfq_group_notify_queue_add/del, cfq_group_served, cfq_group_service_tree_add/del of
// block/cfq-iosched.c. Groups that have queues stand in a tree by virtual disk time; the leftmost is served and charged for
// what it used, scaled by its weight. In 2.6.35 weights are flat: a share of the sum of those on the tree. In 4.x they form
// a tree of cgroups, and a group's share is the product of its fractions on the way to the root, in 4096ths. Left out:
// weights that change while a group has queues. Without group scheduling there is one group and no charge.
#pragma once

#include <deque>
#include <span>

#include "model/core/scenario.hpp"
#include "model/scheduler/cfq/features.hpp"
#include "model/scheduler/cfq/queue.hpp"

namespace elvcheck::cfq {

/// vdisktime with the kernel's wrap-safe order.
struct VirtualDiskTime {
  std::uint64_t value = 0;
  friend bool operator<(VirtualDiskTime a, VirtualDiskTime b) { return static_cast<std::int64_t>(a.value - b.value) < 0; }
};

struct Group {
  RbNode<Group> node;
  VirtualDiskTime vdisktime;
  Group* parent = nullptr;
  std::uint64_t weight = 0;
  std::uint64_t leaf_weight = 0;
  bool on_tree = false;
  bool born = false;                  ///< 4.x: a bio was submitted in it
  std::uint64_t children_weight = 0;  ///< of active children, its own leaf included
  unsigned active_children = 0;       ///< nr_active
  std::uint64_t fraction = 4096;      ///< vfraction

  std::array<std::array<ServiceTree, type_count>, 2> trees;  ///< of the classes BE and RT, by type
  ServiceTree idle_tree;
  unsigned queues = 0;                                    ///< nr_cfqq: on its trees
  unsigned dispatched = 0;                                ///< requests in the dispatch list or the device
  std::array<BusyAverageCore<Concrete>, 2> busy_average;  ///< BE, RT
  ThinkTime think;
  std::array<std::array<Queue*, 8>, 2> async_queues{};  ///< RT, BE by level
  Queue* async_idle_queue = nullptr;

  // What was left of its workload slice when it was last expired.
  Time saved_slice = 0;
  Type saved_type = Type::async;
  Class saved_class = Class::be;

  ServiceTree& tree(Class of, Type type) {
    return of == Class::idle ? idle_tree : trees[static_cast<std::size_t>(of)][static_cast<std::size_t>(type)];
  }
  unsigned busy(Class of) const {
    if (of == Class::idle) return idle_tree.count;
    const auto& by_type = trees[static_cast<std::size_t>(of)];
    return by_type[0].count + by_type[1].count + by_type[2].count;
  }
  unsigned async_count() const { return trees[0][0].count + trees[1][0].count; }
};

inline VirtualDiskTime group_key(const Group& group) { return group.vdisktime; }

class GroupTree {
 public:
  GroupTree(const Features& features, std::span<const IoGroup> groups, Time now);

  Group& root() { return groups_.front(); }
  /// The group of that number, as Bio::group counts.
  Group& group(std::uint32_t number) { return groups_.at(number); }
  /// A bio was submitted in the group: its clocks, and those of its ancestors, begin to run.
  static void born(Group& group, Time now);

  bool empty() const { return tree_.empty(); }
  /// The group to serve. Moves the least virtual time up to it. Not empty.
  Group& leftmost();

  /// A queue has come onto a tree of the group. A group that comes back starts `delay` behind the last one.
  void add_queue(Group& group, std::uint64_t delay);
  void remove_queue(Group& group);
  /// Charges the group, which is on the tree; `amount` in time units or requests.
  void charge(Group& group, Time amount);

  /// The group's weight, and what it is a part of.
  Time weight(const Group& group) const {
    return static_cast<Time>(features_.hierarchical_weights ? group.fraction : group.weight);
  }
  Time weight_sum() const { return static_cast<Time>(features_.hierarchical_weights ? 4096 : total_weight_); }

 private:
  void insert(Group& group);
  void erase(Group& group);

  const Features& features_;
  std::deque<Group> groups_;
  RbTree<Group, &Group::node, &group_key> tree_;
  VirtualDiskTime least_;  // min_vdisktime
  std::uint64_t total_weight_ = 0;
};

}  // namespace elvcheck::cfq
