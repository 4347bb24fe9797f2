// SPDX-License-Identifier: GPL-2.0-or-later
// Entities and the service trees that order them.
//
// Mirrors struct bfq_entity, struct bfq_service_tree, struct bfq_sched_data and the tree functions of block/bfq-wf2q.c
// (6.1): bfq_active_insert, bfq_active_extract, bfq_idle_insert, bfq_idle_extract, bfq_first_active_entity. Active entities
// are ordered by finish in a red-black tree whose nodes know the least start below them; equal finishes go right.
//
// Kept as it is: the shipped search is not "least finish among the eligible". It stops at an ancestor of the descent when
// the left subtree's eligible nodes all hang to the right of an ineligible one, and then picks a later finish; what it picks
// depends on the tree's shape. eligible_repaired() is the search that the theorems of B-WF2Q+ are about.
#pragma once

#include <array>
#include <cstdint>

#include "model/block/rbtree.hpp"
#include "model/scheduler/bfq/wf2q_core.hpp"

namespace elvcheck::bfq {

using Core = Wf2qCore<FixedPoint>;
using VirtualTime = Concrete::Num;  ///< 2^-22 sectors for each unit of weight
using Jiffies = std::int64_t;

struct Queue;
struct SchedData;

/// Something that is scheduled: a queue, or a group of them.
struct Entity {
  enum class Tree : std::uint8_t { none, active, idle };

  RbNode<Entity> rb_node;
  Tree tree = Tree::none;
  bool on_st_or_in_serv = false;  ///< its weight counts in a tree's sum
  bool prio_changed = false;      ///< a new weight or class waits to be adopted
  bool in_groups_with_pending_reqs = false;
  VirtualTime start = 0;
  VirtualTime finish = 0;
  VirtualTime min_start = 0;     ///< least start in the subtree
  std::int64_t service = 0;      ///< sectors received in this slot
  std::int64_t budget = 0;       ///< sectors
  std::int64_t weight = 0;       ///< in use, raised
  std::int64_t orig_weight = 0;  ///< not raised
  std::int64_t new_weight = 0;
  int allocated = 0;  ///< requests that belong to it or its descendants
  Entity* parent = nullptr;
  SchedData* sched_data = nullptr;     ///< where it is scheduled
  SchedData* my_sched_data = nullptr;  ///< of a group: where its children are
  Queue* queue = nullptr;              ///< of a leaf

  Core::Stamps stamps() const { return {start, finish}; }
};

/// One class of one group: who is backlogged, and who left with a finish that virtual time has not reached.
class ServiceTree {
 public:
  VirtualTime vtime = 0;
  std::int64_t wsum = 0;  ///< weights of active, idle and in-service entities
  Entity* first_idle = nullptr;
  Entity* last_idle = nullptr;

  bool active_empty() const { return active_.root() == nullptr; }
  void active_insert(Entity& entity);
  void active_extract(Entity& entity);
  void idle_insert(Entity& entity);
  void idle_extract(Entity& entity);

  /// Least start among the active entities, of which there must be one.
  VirtualTime least_start() const { return entity_of(active_.root())->min_start; }
  /// The shipped search (bfq_first_active_entity). The tree must not be empty.
  Entity* eligible_shipped(VirtualTime threshold) const;
  /// The eligible entity with the least finish; the oldest of equals. Null if there is none.
  Entity* eligible_repaired(VirtualTime threshold) const;

 private:
  static Entity* entity_of(RbLinks* links) {
    return links == nullptr ? nullptr : static_cast<RbNode<Entity>*>(links)->owner;
  }
  template <class StepAt>
  Entity* search(VirtualTime threshold, StepAt step_at) const;
  static void insert(RbTreeBase& tree, Entity& entity);
  static void update_node(RbLinks* links);
  static void update_path(RbLinks* links);
  static RbLinks* deepest_changed(RbLinks* node);

  RbTreeBase active_;
  RbTreeBase idle_;
};

inline constexpr std::size_t class_count = 3;  ///< BFQ_IOPRIO_CLASSES: real-time, best-effort, idle

/// The scheduler inside one group: three classes in strict order.
struct SchedData {
  Entity* in_service_entity = nullptr;
  Entity* next_in_service = nullptr;  ///< kept up to date; selection follows it
  std::array<ServiceTree, class_count> service_tree;
  Jiffies class_idle_last_service = 0;
  Entity* group_entity = nullptr;  ///< my_entity of the group; null at the root
  int active_entities = 0;         ///< not counted at the root
};

}  // namespace elvcheck::bfq
