// SPDX-License-Identifier: GPL-2.0-or-later
// The model's blk-mq: one hardware queue on one CPU.
//
// Mirrors block/blk-mq.c, blk-mq-sched.c and blk-mq-tag.c of 6.1 and 6.12. What matters to a scheduler is kept:
// - submission: plug merge with the newest plugged request only, then the scheduler's bio merge, then limit_depth, a
// scheduler
//   tag (or sleep), prepare_request; unplugged bios are inserted and the queue is run as kblockd work;
// - a request is taken from the scheduler before it has a driver tag, so with all tags in use one request waits ahead on the
//   dispatch list: it can no longer merge or be overtaken, and the scheduler is not asked meanwhile;
// - the restart flag: set when a run starts with a request waiting or a driver tag is missing, consumed by the next freed
// request;
// - no request although has_work(): the queue is run again after 3 ms, on a tick;
// - completion: bios end, completed_request, finish_request, driver tag, scheduler tag (a sleeper wakes), restart;
// - flush sequences: in 6.1 their requests bypass the scheduler, which still sees them complete, each time that data or the
//   whole sequence is done; in 6.12 only the flush command bypasses it, and the data of a sequence is inserted like any
//   other request, or at the head if a flush went before it.
// Without a scheduler ("none") requests own driver tags from allocation on and are issued directly while the queue is not
// busy. Left out: several hardware queues and CPUs, shared tags, budgets, polling, zones, passthrough, quiescing.
#pragma once

#include <map>
#include <memory>

#include "model/block/block_layer.hpp"
#include "model/block/elevator.hpp"
#include "model/block/flush.hpp"
#include "model/block/merge.hpp"
#include "model/block/request_pool.hpp"
#include "model/block/tags.hpp"
#include "model/core/random.hpp"
#include "model/core/scenario.hpp"

namespace elvcheck {

class MultiQueueLayer final : public BlockLayer, public ElevatorHost, private Actor, private FlushSequencer::Host {
 public:
  /// The kernel whose blk-mq is mirrored. 6.12 plugs every bio, looks at the oldest request of a plug for an early flush,
  /// counts depth limits over the whole tag map, and gives the scheduler what belongs to a flush sequence.
  enum class Generation { v6_1, v6_12 };

  /// @param settings with nr_requests resolved
  MultiQueueLayer(Generation generation, const BlockSettings& settings, EventQueue& events, Trace& trace, Device& device,
                  BlockLayerHost& host);

  /// Sets the scheduler. Call once, before the first submission; without it the queue has none.
  void set_elevator(std::unique_ptr<MultiQueueElevator> elevator);

  Submission submit(Bio& bio) override;
  Submission resume(ProcessId process) override;
  void start_plug(ProcessId process) override;
  void finish_plug(ProcessId process) override;
  void process_sleeps(ProcessId process, bool for_io) override;
  void set_ioprio(ProcessId process, IoPrio prio) override;
  void exit_process(ProcessId process) override;
  unsigned requests_in_use() const override { return pool_.in_use(); }
  void command_done(std::uint32_t tag) override;

  // ElevatorHost
  EventQueue& events() override { return events_; }
  const KernelClock& clock() const override { return clock_; }
  Trace& trace() override { return trace_; }
  const DeviceInfo& device() const override { return device_.info(); }
  unsigned nr_requests() const override { return settings_.nr_requests; }
  std::span<const IoGroup> groups() const override { return settings_.groups; }
  void run_queue(bool async) override { run_hw_queue(async); }
  void forget_merge_target(Request& rq) override { merger_.forget_target(rq); }
  void add_merge_target(Request& rq) override { merger_.add_target(rq); }
  bool try_insert_merge(Request& rq) override;
  XorShift32& random() override { return random_; }
  void dispatch_add_tail(Request& rq) override;
  void dispatch_sort(Request& rq) override;

 private:
  enum Work : std::uint64_t { run_work, requeue_work };
  struct Plug {
    bool open = false;
    bool for_one_bio = false;  // opened by submit() itself
    RequestList requests;      // oldest first
  };
  struct Task {
    Plug plug;
    Bio* blocked_bio = nullptr;  // waits for a tag
    unsigned depth_limit = 0;    // what the scheduler's limit_depth said for it
  };

  void on_event(std::uint64_t work) override;
  Submission submit_plugged(Task& task, Bio& bio);
  void finish_plug_of_bio(Task& task);
  bool attempt_bio_merge(Task& task, Bio& bio);
  Submission allocate_and_send(Task& task, Bio& bio, unsigned depth_limit);
  Submission run_queue_and_allocate(Task& task, Bio& bio, unsigned depth_limit);
  void send_with_tag(Task& task, Bio& bio, unsigned tag);
  TagMap::Limit tag_limit() const {
    return generation_ == Generation::v6_1 ? TagMap::Limit::each_word : TagMap::Limit::whole_map;
  }
  TagMap& tags() { return elevator_ != nullptr ? sched_tags_ : driver_tags_; }  // what an allocation needs first
  /// Whether the scheduler takes part in this operation: its depth limit, prepare_request, finish_request.
  bool scheduled(Op op, ReqFlags flags) const {
    return elevator_ != nullptr && (generation_ == Generation::v6_12 || !op_is_flush(op, flags));
  }
  void send(Task& task, Request& rq);
  void plug_request(Task& task, Request& rq);
  void flush_plug(Task& task, bool from_schedule);
  void insert_list(RequestList& list, bool run_async);
  void insert_one(Request& rq, bool at_head);
  bool insert_flush(Request& rq);  // false: it goes the ordinary way
  bool bypasses_scheduler(const Request& rq) const {
    return rq.op == Op::flush || (rq.flush_steps != 0 && generation_ == Generation::v6_1);
  }

  bool has_pending() const;
  void run_hw_queue(bool async);
  void run_hw_queue_after_delay();
  void arm_delayed_run();
  void dispatch_requests();
  bool dispatch_once();  // false: the dispatch list was found non-empty, run again
  bool dispatch_from_elevator(bool& busy);
  void dispatch_from_software_queue(bool all_at_once);
  bool dispatch_list(RequestList& list);
  bool get_driver_tag(Request& rq);
  void put_driver_tag(Request& rq);
  bool issue(Request& rq);  // false: the driver refused
  bool issue_directly(Request& rq);
  void issue_or_bypass(Request& rq);
  void update_dispatch_busy(bool busy);

  void end_request(Request& rq);
  void account_completion(Request& rq);
  void finish(Request& rq);
  void free_request(Request& rq);
  void wake(ProcessId process) { host_.wake(process); }
  void restart_if_marked();

  // FlushSequencer::Host
  void queue_flush(const Request& borrowed_from) override;
  void queue_data(Request& rq) override;
  void sequence_done(Request& rq) override;

  void emit(EventKind kind, const Request& rq) {
    if (trace_.watched()) trace_.emit(request_event(kind, rq, events_.now()));
  }

  Generation generation_;
  BlockSettings settings_;
  EventQueue& events_;
  Trace& trace_;
  Device& device_;
  BlockLayerHost& host_;
  KernelClock clock_;
  Merger merger_;
  RequestPool pool_;
  FlushSequencer flush_;
  std::unique_ptr<MultiQueueElevator> elevator_;
  XorShift32 random_;  // the kernel's, for the start hints of tag maps
  TagMap driver_tags_;
  TagMap sched_tags_;  // used with a scheduler
  std::vector<Request*> by_driver_tag_;
  std::map<ProcessId, Task> tasks_;
  RequestList software_queue_;  // without a scheduler
  RequestList dispatch_;        // taken from the scheduler, or bypassing it, and not yet issued
  RequestList requeue_list_;
  std::vector<Request*> insert_merged_;  // freed once the insertion is over
  Timer run_work_;
  Timer requeue_work_;
  std::uint64_t offered_ = 0;   // requests offered to the driver
  bool run_delayed_ = false;    // what run_work_ was armed for
  bool restart_ = false;        // BLK_MQ_S_SCHED_RESTART
  unsigned dispatch_busy_ = 0;  // moving average of dispatch runs that left requests behind
};

}  // namespace elvcheck
