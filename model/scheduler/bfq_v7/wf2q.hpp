// SPDX-License-Identifier: GPL-2.0-or-later
// B-WF2Q+ of BFQ v7: activation, deactivation, charging and the choice of the next queue.
//
// Mirrors block/bfq-sched.c of v7r4 and v7r5 (the two differ in names only) over the trees and the arithmetic of the later
// BFQ. Unlike there, the next queue is looked up when one is needed, a queue that comes back gets no old stamps, and virtual
// time jumps with every lookup. Left out: groups (CONFIG_CGROUP_BFQIO).
//
// Kept as it is: a changed priority lasts until the next change of weight for another reason, which brings the old one back,
// since new_weight is not told of it. Promise: shares of weight within a class, strict order of classes, and for the idle
// class one turn every HZ/5.
#pragma once

#include "model/scheduler/bfq_v7/features.hpp"
#include "model/scheduler/bfq_v7/queue.hpp"

namespace elvcheck::bfq_v7 {

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

  Wf2q(Owner& owner, const bfq::KernelTime& time, const Features& features);

  using QueueList = bfq::IntrusiveList<Queue, &Queue::active_node>;
  QueueList active_list;  ///< queues in an active tree, the latest first

  /// bfq_activate_bfqq(): the queue is backlogged, anew, again after service, or with another budget.
  void activate(Queue& bfqq);
  /// bfq_deactivate_bfqq(), into the idle tree if it has had service in advance.
  void deactivate(Queue& bfqq);
  /// bfq_bfqq_served().
  void served(Queue& bfqq, std::int64_t sectors);
  /// bfq_get_next_queue(), when a queue is busy: takes it out of its tree.
  Queue& next_queue();
  /// bfq_get_next_queue_forced(): this one, out of turn.
  void take(Queue& bfqq);
  /// __bfq_entity_update_weight_prio(): adopts a pending weight and class.
  bfq::ServiceTree& update_weight_prio(Queue& bfqq);
  /// bfq_forget_idle() on the queue's tree.
  void forget_idle_beside(Queue& bfqq) { forget_idle(tree_of(bfqq)); }
  bfq::VirtualTime vtime_of(Queue& bfqq) { return tree_of(bfqq).vtime; }

 private:
  bfq::ServiceTree& tree_of(const Queue& bfqq) { return root_.service_tree[bfqq.class_index()]; }
  void extract_active(Queue& bfqq);
  void forget(bfq::ServiceTree& tree, Queue& bfqq);
  void forget_idle(bfq::ServiceTree& tree);
  Queue* lookup(bfq::ServiceTree& tree);

  Owner& owner_;
  const bfq::KernelTime& time_;
  const Features& features_;
  bfq::SchedData root_;
};

}  // namespace elvcheck::bfq_v7
