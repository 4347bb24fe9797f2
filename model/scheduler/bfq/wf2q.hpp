// SPDX-License-Identifier: GPL-2.0-or-later
// B-WF2Q+ over the hierarchy of entities: activation, requeueing, deactivation, charging and the choice of the next queue.
//
// Mirrors block/bfq-wf2q.c (6.1). next_in_service is kept up to date at every level on each change, sometimes without a
// lookup, and selection follows it. Kept as it is: lookups that only keep the cache up to date also use up the turn that the
// idle class has every HZ/5; virtual time steps back when the active tree is empty and the last idle entity is forgotten.
//
// Promises: entities of a class get service in proportion to their weights (with the repaired search: lag bounded as in
// wf2q_core.hpp); classes are served in strict order except for the idle class's turns.
#pragma once

#include "model/scheduler/bfq/features.hpp"
#include "model/scheduler/bfq/kernel_time.hpp"
#include "model/scheduler/bfq/queue.hpp"

namespace elvcheck::bfq {

class Wf2q {
 public:
  /// Whom changes concern beyond the trees.
  class Owner {
   public:
    virtual void put_queue(Queue& bfqq) = 0;
    /// The queue's weight is about to change, or has changed.
    virtual void weight_uncounted(Queue& bfqq) = 0;
    virtual void weight_counted(Queue& bfqq) = 0;

   protected:
    ~Owner() = default;
  };

  Wf2q(Owner& owner, const KernelTime& time, const Features& features);

  SchedData root;
  using QueueList = IntrusiveList<Queue, &Queue::bfqq_list>;
  QueueList active_list;  ///< queues in an active tree, the latest first
  QueueList idle_list;
  int groups_with_pending_reqs = 0;

  static ServiceTree& service_tree(const Entity& entity);

  /// bfq_activate_bfqq(); consumes the flag non_blocking_wait_rq.
  void activate(Queue& bfqq);
  /// bfq_requeue_bfqq().
  void requeue(Queue& bfqq, bool in_service, bool expiration);
  /// bfq_deactivate_bfqq().
  void deactivate(Queue& bfqq, bool into_idle_tree, bool expiration);
  /// bfq_bfqq_served(), as far as trees are concerned: charges the queue and its ancestors.
  void served(Queue& bfqq, std::int64_t sectors);
  /// bfq_get_next_queue(), when a queue is busy: puts the next one in service.
  Queue& next_queue();
  /// The entities on the queue's path are in service no more.
  static void reset_in_service(Queue& bfqq);
  /// next_queue_may_preempt().
  bool next_queue_may_preempt() const { return root.next_in_service != root.in_service_entity; }
  /// __bfq_entity_update_weight_prio(): adopts a pending weight, and with `class_too` a pending class.
  ServiceTree& update_weight_prio(ServiceTree& old_tree, Entity& entity, bool class_too);

 private:
  void active_insert(ServiceTree& tree, Entity& entity);
  void active_extract(ServiceTree& tree, Entity& entity);
  void idle_insert(ServiceTree& tree, Entity& entity);
  static void idle_extract(ServiceTree& tree, Entity& entity);
  void forget(ServiceTree& tree, Entity& entity, bool in_service);
  void forget_idle(ServiceTree& tree);
  void update_finish_and_enqueue(Entity& entity, ServiceTree& tree, bool backshifted);
  void activate_entity(Entity& entity, bool resumes_budget);
  void requeue_entity(Entity& entity);
  void activate_requeue(Entity& entity, bool resumes_budget, bool requeue, bool expiration);
  bool deactivate_entity(Entity& entity, bool into_idle_tree);
  bool update_next_in_service(SchedData& sched_data, Entity* changed, bool expiration);
  static bool update_parent_budget(const Entity& next);
  Entity* lookup_next(SchedData& sched_data, bool expiration);
  Entity* lookup_in(ServiceTree& tree, bool in_service);

  Owner& owner_;
  const KernelTime& time_;
  const Features& features_;
};

}  // namespace elvcheck::bfq
