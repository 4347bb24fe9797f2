// SPDX-License-Identifier: GPL-2.0-or-later
// CFQ of the single-queue block layer: the scheduler itself.
//
// Mirrors block/cfq-iosched.c of 2.6.34, 2.6.35, 4.4 and 4.19; features.hpp tells them apart. Each process has a queue for
// its sync requests, all share a few for async ones. Queues wait in service trees by class (RT, BE, idle) and type (async,
// sync-noidle, sync); a group (cgroup) has a set of trees. One group, one tree, one queue are served at a time: the queue
// for its slice, the tree for its workload slice, the group until its virtual time is no longer the least. A sync queue that
// runs empty is idled on, in the hope that its process is about to submit the next request nearby.
//
// The files: binding (process to queue), insertion (requests come and merge), service_tree (where queues wait), selection
// (who is served, expiry), dispatch (what goes out, what has come back), idling, preemption, cooperator, yield; the
// arithmetic is in the *_core files. Left out: the queue used when memory runs out, processes that share an io context
// (CLONE_IO), nice levels and CPU scheduling classes (a process without an ioprio counts as BE, level 4), the fs-exclusive
// boost of 2.6.35, statistics.
//
// Promises (Documentation/block/cfq-iosched.txt): classes are served in order; time within a class goes by level; slice_idle
// 0 ends idling (4.x); slices shrink so that all queues are served within target_latency.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "model/block/elevator.hpp"
#include "model/core/mutant.hpp"
#include "model/scheduler/cfq/choose_core.hpp"
#include "model/scheduler/cfq/dispatch_core.hpp"
#include "model/scheduler/cfq/features.hpp"
#include "model/scheduler/cfq/group.hpp"
#include "model/scheduler/cfq/queue.hpp"
#include "model/scheduler/cfq/slice_core.hpp"

namespace elvcheck::cfq {

class Cfq final : public SingleQueueElevator, private Actor {
 public:
  Cfq(ElevatorHost& host, Version version, const TunableValues& tunables);

  // binding.cpp
  bool may_queue(ProcessId process, const Bio& bio) override;
  void set_request(Request& rq, const Bio& bio) override;
  void put_request(Request& rq) override;
  void ioprio_changed(ProcessId process, IoPrio prio) override;
  void exit_process(ProcessId process) override;

  // yield.cpp
  void yield(ProcessId process, ProcessId target) override;

  // insertion.cpp
  bool queue_empty() const override { return queued_ == 0; }
  void add_request(Request& rq) override;
  bool allow_merge(const Request& rq, const Bio& bio) override;
  bool allow_request_merge(const Request& rq, const Request& next) override;
  Request* find_front_merge(const Bio& bio) override;
  Request* former_request(Request& rq) override { return RequestTree::prev(rq); }
  Request* latter_request(Request& rq) override { return RequestTree::next(rq); }
  void request_merged(Request& rq, bool at_front) override;
  void requests_merged(Request& rq, Request& next) override;

  // dispatch.cpp
  unsigned dispatch(bool force) override;
  void activate_request(Request& rq) override;
  void deactivate_request(Request& rq) override;
  void completed_request(Request& rq) override;

 private:
  enum Work : std::uint64_t { idle_timer, kick_work };
  void on_event(std::uint64_t work) override;

  // binding.cpp: processes and queues
  IoContext& context(ProcessId process);
  IoContext* known_context(ProcessId process);
  Queue& queue_for(IoContext& ioc, bool sync, const Bio& bio);
  Queue& get_queue(IoContext& ioc, bool sync, IoPrio slot_prio, std::uint32_t group);
  Queue& new_queue(IoContext& ioc, bool sync, std::uint32_t group);
  void follow_changes(IoContext& ioc, std::uint32_t group);
  void init_priority(Queue& queue, const IoContext& ioc) const;
  void boost(Queue& queue, bool urgent);
  void drop(IoContext& ioc, bool sync);
  void drop_merge_chain(Queue& queue);
  void release(Queue& queue);
  Group& group_of(std::uint32_t number) { return groups_.group(features_.group_scheduling ? number : 0); }

  // insertion.cpp
  void add_sorted(Queue& queue, Request& rq);
  void remove_request(Request& rq);
  Request* find_next(Queue& queue, Request& rq) const;
  Request* choose(Request* first, Request* second, Sector head) const;
  void update_think_times(Queue& queue, IoContext& ioc);
  void update_idle_window(Queue& queue, const IoContext& ioc);
  void react_to_insertion(Queue& queue, Request& rq);

  // service_tree.cpp
  ServiceTree& tree_for(Queue& queue) { return queue.group->tree(queue.workload_class(), queue.type()); }
  void add_to_service_tree(Queue& queue, bool at_front);
  bool change_group_by_type(Queue& queue);
  void leave_service_tree(Queue& queue);
  void resort(Queue& queue);
  void add_busy(Queue& queue);
  void remove_busy(Queue& queue);
  void add_to_sector_tree(Queue& queue);
  void leave_sector_tree(Queue& queue);

  // selection.cpp
  Queue* select_queue();
  Queue* replace_active(const DecisionRule& reason, Queue* cooperator);
  Queue* select_new(Queue* cooperator);
  void choose_workload();
  void choose_type(Group& group);
  void set_active(Queue* queue);
  void expire(Queue& queue, bool timed_out, const DecisionRule& reason);
  Time charge(const Queue& queue);
  bool iops_mode() const { return features_.iops_mode && slice_.slice_idle == 0 && queueing_ != 0; }
  bool slice_used(const Queue& queue) {
    return slice_.over(queue.slice_new, now(), queue.slice_end) && !planted(Mutant::cfq_slice_never_ends);
  }
  Time group_slice(const Group& group) const { return slice_.group_slice(groups_.weight(group), groups_.weight_sum()); }
  Time scaled_slice(Queue& queue);

  // dispatch.cpp
  bool may_dispatch(Queue& queue);
  Request* check_fifo(Queue& queue);
  void move_to_dispatch(Request& rq);
  unsigned forced_dispatch();
  Queue* first_of_any(Group& group);
  void start_slice(Queue& queue);
  void end_of_active_request(Queue& queue, const Request& rq);
  void detect_queueing();
  void kick();

  // idling.cpp
  bool should_idle(const Queue& queue) const;
  bool fast_device() const { return !rotational_ && queueing_ != 0; }
  bool group_still_busy(const Queue& queue) const;
  bool worth_arming(const Request& rq);
  void arm_idle_timer();
  bool should_wait_busy(const Queue& queue);
  void idle_timer_fired();
  bool too_little_left(const Queue& queue);

  // preemption.cpp
  const DecisionRule* preempt_rule(const Queue& queue, const Request& rq);
  void preempt(Queue& queue, const DecisionRule& rule);

  // yield.cpp: what became of a yield
  Queue* yield_target(const Queue& queue) const;
  bool reader_on_noidle_tree(const Queue& queue, ProcessId target, Time& age, ProcessId& reader);

  // cooperator.cpp
  Queue* close_cooperator(Queue& queue);
  Queue* close_queue(std::uint8_t level);
  void schedule_merge(Queue& queue, Queue& target);
  Queue& take_merge(IoContext& ioc, Queue& queue);
  bool split(IoContext& ioc, Queue& queue);
  Sector head_distance(const Request& rq) const {
    return rq.sector < last_position_ ? last_position_ - rq.sector : rq.sector - last_position_;
  }
  bool is_close(const Request& rq) const {
    return head_distance(rq) <= (planted(Mutant::cfq_close_is_far) ? 32 * close_sectors : close_sectors);
  }

  // Facts of a request.
  static Queue& queue_of(const Request& rq) { return *reinterpret_cast<Queue*>(rq.elv_priv[1]); }
  static IoContext& context_of(const Request& rq) { return *reinterpret_cast<IoContext*>(rq.elv_priv[0]); }
  static bool is_sync(const Request& rq) { return op_is_sync(rq.op, rq.flags); }
  static bool is_noidle(const Request& rq) { return is_write(rq.op) && is_sync(rq) && (rq.flags & REQ_IDLE) == 0; }
  bool is_urgent(ReqFlags flags) const { return (flags & (features_.prio_flag ? REQ_PRIO : REQ_META)) != 0; }

  Time now();
  void note(const DecisionRule& rule, const Queue& queue, std::int64_t b = 0, std::int64_t c = 0, std::int64_t d = 0,
            const Request* rq = nullptr) {
    host_.note(rule, rq, queue.pid, b, c, d);
  }

  static constexpr Sector close_sectors = 8192;  // CFQQ_CLOSE_THR

  ElevatorHost& host_;
  Features features_;
  Units units_;
  Tunables tunables_;
  ChooseCore<Concrete> choose_;
  SliceCore<Concrete> slice_;
  DispatchCore<Concrete> dispatch_;
  bool rotational_;

  GroupTree groups_;
  std::array<SectorTree, 8> sector_trees_;  // by original level
  std::unordered_map<ProcessId, IoContext> contexts_;
  IoContext* latest_context_ = nullptr;
  std::deque<Queue> queues_;
  std::vector<Queue*> free_queues_;

  unsigned queued_ = 0;  // rq_queued: in all sort lists
  unsigned busy_queues_ = 0;
  unsigned busy_sync_queues_ = 0;
  unsigned in_driver_ = 0;            // rq_in_driver
  std::array<unsigned, 2> inside_{};  // rq_in_flight: of async, sync queues, in the dispatch list or the device
  Sector last_position_ = 0;

  int queueing_ = -1;     // hw_tag: -1 unknown (which counts as yes), 0 no, 1 yes
  unsigned deepest_ = 0;  // hw_tag_est_depth
  unsigned queueing_samples_ = 0;

  Queue* active_ = nullptr;
  IoContext* active_context_ = nullptr;  // of the first request dispatched in the slice
  Group* serving_group_ = nullptr;
  Class serving_class_ = Class::be;
  Type serving_type_ = Type::async;
  Time workload_expires_ = 0;
  bool noidle_tree_requires_idle_ = false;  // 2.6.35
  Time last_delayed_sync_ = 0;

  Timer idle_timer_;
  Timer kick_work_;
  Nanoseconds stamped_at_{-1};
  Time stamp_ = 0;
};

}  // namespace elvcheck::cfq
