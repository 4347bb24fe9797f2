// SPDX-License-Identifier: GPL-2.0-or-later
// The scheduler itself: one object in place of the kernel's struct bfq_data. Each concern is a file of its own:
//
//   insertion.cpp       a request's way in: queue, merges, statistics, becoming busy, preemption
//   queue_lifetime.cpp  queues and I/O contexts: creation, references, priorities, exit
//   dispatch.cpp        which queue, which request; next_rq, fifo, removal
//   completion.cpp      a request's way out; hw_tag; the idle timer
//   budget.cpp          budgets, charging, expiration
//   idling.cpp          whether the device idles for a queue; asymmetry of the scenario
//   injection.cpp       wakers, injection and its limit
//   weight_raising.cpp  interactive, soft real-time and asynchronous raising
//   burst.cpp           large bursts of new queues
//   merging.cpp         cooperating queues: merge, stable merge, split
//   wf2q.cpp            B-WF2Q+, under all of them
//
// Function names are those of block/bfq-iosched.c (6.1) without the prefix bfq_. Left out: control groups (all queues are at
// the root of the hierarchy), the out-of-memory queue, several actuators.
#pragma once

#include <deque>
#include <vector>

#include "model/scheduler/bfq/bfq.hpp"
#include "model/scheduler/bfq/peak_rate.hpp"
#include "model/scheduler/bfq/rules.hpp"
#include "model/scheduler/bfq/tunables.hpp"
#include "model/scheduler/bfq/weight_core.hpp"
#include "model/scheduler/bfq/weights_tree.hpp"
#include "model/scheduler/bfq/wf2q.hpp"

namespace elvcheck::bfq {

using Budgets = BudgetCore<Concrete>;
using Weights = WeightCore<Concrete>;

class Scheduler final : public MultiQueueElevator, private Actor, private Wf2q::Owner {
 public:
  Scheduler(ElevatorHost& host, const TunableValues& tunables, const Features& features);

  // MultiQueueElevator.
  bool allow_merge(const Request& rq, const Bio& bio) override;
  Request* find_front_merge(const Bio& bio) override;
  void request_merged(Request& rq, bool at_front) override;
  void requests_merged(Request& rq, Request& next) override;
  Request* former_request(Request& rq) override { return RequestTree::prev(rq); }
  Request* latter_request(Request& rq) override { return RequestTree::next(rq); }
  void ioprio_changed(ProcessId process, IoPrio prio) override;
  void exit_process(ProcessId process) override;
  unsigned limit_depth(const Bio& bio, unsigned word_bits) override;
  unsigned min_shallow_depth(unsigned) const override { return 1; }
  void prepare_request(Request& rq, const Bio& bio) override;
  void insert_request(Request& rq, bool at_head) override;
  bool has_work() const override { return !dispatch_.empty() || queued_ > 0; }
  Request* dispatch_request() override;
  void finish_request(Request& rq) override;
  void requeue_request(Request& rq) override;

 private:
  // queue_lifetime.cpp
  IoContext& context(ProcessId process);
  IoContext* linked_context(ProcessId process);
  Queue& new_queue(IoContext& bic, bool sync);
  Queue& get_queue(IoContext& bic, bool sync, bool respawn);
  Queue*& async_queue(IoPrio ioprio);
  void put_queue(Queue& bfqq) override;
  void release_process_ref(Queue& bfqq);
  void reassign_last_bfqq(const Queue& bfqq, Queue* to);
  void put_cooperator(const Queue& bfqq);
  void set_bic_queue(IoContext& bic, bool sync, Queue* bfqq);
  void put_stable_ref(Queue& bfqq);
  static void set_next_ioprio(Queue& bfqq, const IoContext& bic);
  void check_ioprio_change(IoContext& bic);
  void exit_queue(IoContext& bic, bool sync);

  // insertion.cpp
  void init_rq(Request& rq);
  void queue_request(Request& rq);
  void update_io_thinktime(Queue& bfqq);
  void update_has_short_ttime(Queue& bfqq, const IoContext& bic);
  void update_io_seektime(Queue& bfqq, const Request& rq);
  void update_io_intensity(Queue& bfqq);
  void add_request(Request& rq);
  void rq_enqueued(Queue& bfqq, const Request& rq);
  bool handle_idle_busy_switch(Queue& bfqq, const Request& rq, std::int64_t old_coeff);  // true: interactive
  void preempt_if_due(Queue& bfqq, bool wants_to_preempt);
  bool is_seeky_step(Sector last, const Request& rq) const;

  // dispatch.cpp
  Request* choose_req(Request* rq1, Request* rq2, Sector last) const;
  Request* check_fifo(Queue& bfqq, const Request& last);
  Request* find_next_rq(Queue& bfqq, Request& last);
  void updated_next_req(Queue& bfqq);
  void remove_request(Request& rq);
  Queue* select_queue();
  Queue* set_in_service_queue();
  Request& dispatch_from(Queue& bfqq);
  void update_peak_rate(const Request& rq);

  // completion.cpp
  void on_event(std::uint64_t what) override;  // the idle timer
  void finish(Request& rq);
  void request_completed(Queue& bfqq);
  void update_hw_tag();
  void schedule_dispatch();
  void arm_slice_timer();

  // budget.cpp
  std::int64_t max_budget() const { return Budgets::max_in_use(budgets_assigned_, device_max_budget_); }
  std::int64_t min_budget() const { return Budgets::min_in_use(budgets_assigned_, device_max_budget_); }
  std::int64_t serv_to_charge(const Request& rq, const Queue& bfqq) const;
  bool fits_budget(const Queue& bfqq) const;
  bool update_budget_for_activation(Queue& bfqq, bool arrived_in_time);
  void set_budget_timeout(Queue& bfqq);
  bool budget_timed_out(const Queue& bfqq) const { return time_.reached(bfqq.budget_timeout); }
  bool may_expire_for_budget_timeout(const Queue& bfqq) const;
  void recalc_budget(Queue& bfqq, Expiration reason);
  bool is_slow(const Queue& bfqq, bool compensate, std::int64_t& delta_ms) const;
  void charge_time(Queue& bfqq, std::int64_t time_ms);
  void served(Queue& bfqq, std::int64_t sectors);
  void expire(Queue& bfqq, bool compensate, Expiration reason);
  bool end_service(Queue& bfqq, Expiration reason);
  void update_device_max_budget();
  void add_busy(Queue& bfqq);
  void del_busy(Queue& bfqq, bool expiration);
  int busy_queues() const { return busy_[0] + busy_[1] + busy_[2]; }

  // idling.cpp
  bool asymmetric_scenario(const Queue* bfqq) const;
  bool idling_boosts_throughput(const Queue& bfqq) const;
  bool idling_needed_for_guarantees(const Queue& bfqq) const;
  bool better_to_idle(const Queue& bfqq) const;
  bool must_idle(const Queue& bfqq) const { return bfqq.empty() && better_to_idle(bfqq); }
  void weight_uncounted(Queue& bfqq) override;
  void weight_counted(Queue& bfqq) override;
  void weights_tree_remove(Queue& bfqq);

  // injection.cpp
  void check_waker(Queue& bfqq);
  void link_to_waker(Queue& bfqq, Queue* waker);
  Queue* surviving_waker(Queue& bfqq) const;
  void sample_injection(Queue& bfqq);
  void reset_inject_limit(Queue& bfqq);
  void update_inject_limit(Queue& bfqq);
  Queue* queue_to_inject(Queue& in_service);
  Queue* scan_for_injection(const Queue& in_service);
  bool injectable(const Queue* bfqq) const;

  // weight_raising.cpp
  enum class Raise { interactive, soft_rt, async };
  Jiffies wr_duration() const;
  bool is_soft_rt(const Queue& bfqq) const { return bfqq.wr.wr_cur_max_time == softrt_duration_; }
  void raise(Queue& bfqq, Raise kind);
  void raise_on_arrival(Queue& bfqq, std::int64_t old_coeff, bool deserves, bool interactive, bool in_burst, bool soft_rt);
  void raise_busy_async(Queue& bfqq, const Request& rq, std::int64_t old_coeff);
  void switch_back_to_interactive(Queue& bfqq);
  void end_or_switch_back(Queue& bfqq);
  void end_wr(Queue& bfqq);
  void update_wr_data(Queue& bfqq);
  void hold_softrt_period(Queue& bfqq);
  Jiffies softrt_next_start(const Queue& bfqq) const;
  void count_raised(Queue& bfqq, std::int64_t old_coeff);

  // burst.cpp
  void handle_burst(Queue& bfqq);
  void reset_burst_list(Queue& bfqq);
  void add_to_burst(Queue& bfqq);

  // merging.cpp
  bool too_late_for_merging(const Queue& bfqq) const;
  bool may_be_close_cooperator(const Queue& bfqq, const Queue& other) const;
  Queue* find_close(Sector sector) const;
  void pos_tree_add_move(Queue& bfqq);
  void pos_tree_remove(Queue& bfqq);
  Queue* setup_merge(Queue& bfqq, Queue& into);
  Queue* setup_cooperator(Queue& bfqq, Sector sector, IoContext& bic);
  Queue* setup_delayed_stable_merge(Queue& bfqq, IoContext& bic);
  Queue& early_stable_merge(Queue& bfqq, IoContext& bic);
  Queue& merge_bfqqs(IoContext& bic, Queue& bfqq);
  void save_state(Queue& bfqq);
  void resume_state(Queue& bfqq, const IoContext& bic, bool existed);
  Queue& queue_after_split(IoContext& bic, Queue& bfqq, bool& existed);
  Queue& respawn_queue(IoContext& bic);

  void note(const DecisionRule& rule, const Request* rq, std::int64_t a = 0, std::int64_t b = 0, std::int64_t c = 0,
            std::int64_t d = 0) {
    host_.note(rule, rq, a, b, c, d);
  }

  static Sector next_position(const Queue& bfqq) { return bfqq.next_rq->sector; }

  ElevatorHost& host_;
  const Features features_;
  const KernelTime time_;
  const Tunables tunables_;
  const bool rotational_;
  const Jiffies softrt_duration_;     // bfq_wr_rt_max_time
  const Jiffies min_idle_time_;       // bfq_wr_min_idle_time
  const std::int64_t rate_duration_;  // rate_dur_prod

  Wf2q wf2q_;
  RequestList dispatch_;  // head insertions
  RbTree<Queue, &Queue::pos_node, &Scheduler::next_position> rq_pos_tree_;
  WeightsTree queue_weights_tree_;
  Timer idle_slice_timer_;

  Queue* in_service_queue_ = nullptr;
  std::array<int, class_count> busy_{};
  int wr_busy_queues_ = 0;
  int queued_ = 0;
  int in_driver_ = 0;  // rq_in_driver

  // Device.
  bool nonrot_with_queueing_;
  int hw_tag_ = -1;
  int hw_tag_samples_ = 0;
  int max_in_driver_ = 0;
  PeakRate peak_rate_;
  Sector last_position_ = 0;
  Sector in_serv_last_pos_ = 0;

  // Budgets.
  std::int64_t device_max_budget_ = default_max_budget;  // bfq_max_budget
  std::int64_t budgets_assigned_ = 0;
  std::int64_t last_budget_start_ = 0;
  std::int64_t last_idling_start_ = 0;
  Jiffies last_idling_start_jiffies_ = 0;

  // Injection.
  Queue* last_completed_rq_bfqq_ = nullptr;
  std::int64_t last_empty_occupied_ns_ = 0;
  bool wait_dispatch_ = false;
  bool rqs_injected_ = false;
  const Request* waited_rq_ = nullptr;

  // Bursts and stable merges.
  IntrusiveList<Queue, &Queue::burst_list_node> burst_list_;
  Jiffies last_ins_in_burst_ = 0;
  int burst_size_ = 0;
  bool large_burst_ = false;
  Queue* last_bfqq_created_ = nullptr;

  // Owned.
  std::deque<Queue> queue_storage_;
  std::vector<Queue*> free_queues_;
  std::uint64_t queues_made_ = 0;
  std::deque<IoContext> contexts_;
  std::vector<std::pair<ProcessId, IoContext*>> context_index_;  // ascending
  std::array<std::array<Queue*, 8>, 2> async_bfqq_{};            // real-time, best-effort
  Queue* async_idle_bfqq_ = nullptr;
};

}  // namespace elvcheck::bfq
