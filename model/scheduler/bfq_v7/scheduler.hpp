// SPDX-License-Identifier: GPL-2.0-or-later
// BFQ v7r4 and v7r5: the scheduler itself (struct bfq_data).
//
// Mirrors block/bfq-iosched.c of the patches "BFQ v7r4 I/O scheduler for 3.15" and "BFQ v7r5 for 3.16" (A. Avanzini and
// P. Valente, May and August 2014), with and without the patch "Early Queue Merge" on top of each; features.hpp says what
// sets them apart. Function names are the patches' without the prefix bfq_. The files:
//
//   binding.cpp      processes and queues: creation, references, priorities, exit
//   insertion.cpp    a request's way in: becoming busy, weight raising, statistics, merges of requests
//   merging.cpp      cooperating queues: merge and split
//   dispatch.cpp     which queue, which request
//   completion.cpp   a request's way out; hw_tag; the idle timer; whether to idle
//   budget.cpp       budgets, the peak rate, the end of a slot
//   wf2q.cpp         B-WF2Q+, under all of them
//
// Left out: control groups (CONFIG_CGROUP_BFQIO), the out-of-memory queue, nice levels and CPU scheduling classes (a process
// without an ioprio counts as BE, level 4), processes that share an I/O context.
#pragma once

#include <array>
#include <deque>
#include <unordered_map>
#include <vector>

#include "model/block/elevator.hpp"
#include "model/scheduler/bfq/budget_core.hpp"
#include "model/scheduler/bfq/rules.hpp"
#include "model/scheduler/bfq/weights_tree.hpp"
#include "model/scheduler/bfq_v7/device_speed.hpp"
#include "model/scheduler/bfq_v7/features.hpp"
#include "model/scheduler/bfq_v7/queue.hpp"
#include "model/scheduler/bfq_v7/wf2q.hpp"
#include "model/scheduler/cfq/choose_core.hpp"

namespace elvcheck::bfq_v7 {

using bfq::Expiration;
using Budgets = bfq::BudgetCore<Concrete>;
namespace rules = bfq::rules;

class Scheduler final : public SingleQueueElevator, private Actor, private Wf2q::Owner {
 public:
  Scheduler(ElevatorHost& host, const TunableValues& tunables);

  // binding.cpp
  bool may_queue(ProcessId process, const Bio& bio) override;
  void set_request(Request& rq, const Bio& bio) override;
  void put_request(Request& rq) override;
  void ioprio_changed(ProcessId process, IoPrio prio) override;
  void exit_process(ProcessId process) override;

  // insertion.cpp
  bool queue_empty() const override { return queued_ == 0; }
  void add_request(Request& rq) override;
  bool allow_merge(const Request& rq, const Bio& bio) override;
  Request* find_front_merge(const Bio& bio) override;
  Request* former_request(Request& rq) override { return RequestTree::prev(rq); }
  Request* latter_request(Request& rq) override { return RequestTree::next(rq); }
  void request_merged(Request& rq, bool at_front) override;
  void requests_merged(Request& rq, Request& next) override;

  // dispatch.cpp, completion.cpp
  unsigned dispatch(bool force) override;
  void activate_request(Request& rq) override;
  void deactivate_request(Request& rq) override;
  void completed_request(Request& rq) override;

 private:
  enum Work : std::uint64_t { idle_timer, kick_work };
  void on_event(std::uint64_t work) override;

  // binding.cpp
  IoContext& context(ProcessId process);
  IoContext* known_context(ProcessId process);
  void changed_ioprio(IoContext& bic);
  Queue& get_queue(IoContext& bic, bool sync);
  Queue& new_queue(IoContext& bic, bool sync);
  Queue*& async_slot(IoPrio ioprio);
  static void init_prio_data(Queue& bfqq, const IoContext& bic);
  void exit_queue(Queue& bfqq);
  void put_queue(Queue& bfqq) override;

  // insertion.cpp
  Request* choose(Request* first, Request* second, Sector last) const;
  Request* find_next_rq(Queue& bfqq, Request& last) const;
  void updated_next_req(Queue& bfqq);
  void add_to_queue(Request& rq);
  void becomes_busy(Queue& bfqq, const IoContext& bic, bool& idle_for_long_time);
  void remove_request(Request& rq);
  void enqueued(Queue& bfqq, IoContext& bic, const Request& rq);
  void update_idle_window(Queue& bfqq, const IoContext& bic) const;

  // merging.cpp
  void pos_tree_add(Queue& bfqq);
  void pos_tree_remove(Queue& bfqq);
  Queue* close_queue(Sector sector) const;
  Queue* close_cooperator(Queue& bfqq, Sector sector) const;
  Queue* setup_merge(Queue& bfqq, Queue& target);
  Queue* setup_cooperator(Queue& bfqq, Sector sector);
  void merge_queues(IoContext& bic, Queue& bfqq, Queue& target);
  Queue& redirect(Request& rq, IoContext& bic, Queue& bfqq, Queue& target);
  void save_state(Queue& bfqq);
  void resume_state(Queue& bfqq, IoContext& bic);
  void cooperation_failed(Queue& bfqq) const;
  bool too_cooperative(const Queue& bfqq) const;
  void put_cooperator(Queue& bfqq);
  Queue* split(IoContext& bic, Queue& bfqq);

  // dispatch.cpp
  Queue* select_queue();
  Queue* next_in_service(Queue* cooperator);
  bool dispatch_from(Queue& bfqq);
  unsigned forced_dispatch();
  Request* check_fifo(Queue& bfqq) const;
  void dispatch_insert(Request& rq);
  void update_wr_data(Queue& bfqq);

  // completion.cpp
  void update_hw_tag();
  bool must_not_expire(const Queue& bfqq) const;
  bool must_idle(const Queue& bfqq) const { return bfqq.empty() && tunables_.slice_idle != 0 && must_not_expire(bfqq); }
  void arm_slice_timer();
  void idle_timer_fired();
  void schedule_dispatch();

  // budget.cpp
  std::int64_t max_budget() const { return Budgets::max_in_use(budgets_assigned_, device_max_budget_); }
  std::int64_t min_budget() const { return Budgets::min_in_use(budgets_assigned_, device_max_budget_); }
  static std::int64_t serv_to_charge(const Request& rq, const Queue& bfqq);
  void set_budget_timeout(Queue& bfqq);
  bool budget_timed_out(const Queue& bfqq) const { return !bfqq.budget_new && time_.reached(bfqq.budget_timeout); }
  bool may_expire_for_budget_timeout(const Queue& bfqq) const;
  bool update_peak_rate(const Queue& bfqq, bool compensate, Expiration reason);
  void filter_peak_rate(std::int64_t& bandwidth, bool counts, std::int64_t timeout_ms, bool& too_small);
  std::int64_t rt_product(const DeviceSpeed& speed, bool fast) const;
  Jiffies wr_duration() const;
  Jiffies softrt_next_start(const Queue& bfqq) const;
  void end_wr(Queue& bfqq);
  void recalc_budget(Queue& bfqq, Expiration reason);
  void expire(Queue& bfqq, bool compensate, Expiration reason);
  void end_service(Queue& bfqq);
  void add_busy(Queue& bfqq);
  void del_busy(Queue& bfqq);
  void in_flight_or_busy_no_more(Queue& bfqq);
  void weight_counted(Queue& bfqq) override;
  void weight_uncounted(Queue& bfqq) override;

  // Facts of a request.
  static Queue& queue_of_request(const Request& rq) { return *reinterpret_cast<Queue*>(rq.elv_priv[1]); }
  static IoContext& context_of(const Request& rq) { return *reinterpret_cast<IoContext*>(rq.elv_priv[0]); }
  static bool is_sync(const Request& rq) { return op_is_sync(rq.op, rq.flags); }

  void note(const DecisionRule& rule, const Request* rq, std::int64_t a = 0, std::int64_t b = 0, std::int64_t c = 0,
            std::int64_t d = 0) {
    host_.note(rule, rq, a, b, c, d);
  }

  ElevatorHost& host_;
  bfq::KernelTime time_;
  Features features_;
  Tunables tunables_;
  cfq::ChooseCore<Concrete> choose_;
  bool rotational_;
  Wf2q wf2q_;

  std::unordered_map<ProcessId, IoContext> contexts_;
  IoContext* latest_context_ = nullptr;
  std::deque<Queue> queues_;
  std::vector<Queue*> free_queues_;
  std::array<std::array<Queue*, 8>, 2> async_bfqq_{};  // RT, BE; by level
  Queue* async_idle_bfqq_ = nullptr;

  PositionTree rq_pos_tree_;
  bfq::WeightsTree weights_tree_;
  int busy_queues_ = 0;
  int busy_in_flight_queues_ = 0;              // rotational only
  int const_seeky_busy_in_flight_queues_ = 0;  // rotational only
  int wr_busy_queues_ = 0;
  int queued_ = 0;
  int rq_in_driver_ = 0;
  int sync_flight_ = 0;
  int hw_tag_ = -1;  // -1: unknown, which counts as yes
  int hw_tag_samples_ = 0;
  int max_rq_in_driver_ = 0;
  std::int64_t budgets_assigned_ = 0;
  Queue* in_service_queue_ = nullptr;
  IoContext* in_service_bic_ = nullptr;  // of the first request dispatched in the slot
  Sector last_position_ = 0;
  std::int64_t last_budget_start_ns_ = 0;
  std::int64_t last_idling_start_ns_ = 0;
  int peak_rate_samples_ = 0;
  std::int64_t peak_rate_;  // sectors a microsecond, times 2^16
  std::int64_t device_max_budget_;
  bool fast_device_ = true;  // device_speed
  std::int64_t rt_product_;  // RT_prod: rate and ticks

  Timer idle_slice_timer_;
  Timer unplug_work_;
};

}  // namespace elvcheck::bfq_v7
