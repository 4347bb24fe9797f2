// SPDX-License-Identifier: GPL-2.0-or-later
// The model's single-queue block layer, in two flavours.
//
// Mirrors block/blk-core.c, elevator.c and blk-merge.c of 2.6.34/35 (plugging of the whole queue) and of 4.4 to 4.20 (a plug
// for each task). What matters to a scheduler is kept:
// - 2.6.35: with an empty scheduler a submission is not merged, plugs the queue and starts the 3 ms unplug timer; the queue is
//   unplugged by the fourth waiting request, by the timer, by a sync submission outside a plug, or when its submitter sleeps;
// - 4.4 and 4.19: bio merge with the task's plug list from its tail, then with the scheduler; the request is allocated (and bound to a
//   queue) before it is plugged; a plug is flushed at 16 requests or (from 4.10 on) at 128 KiB in the newest, sorted by start with equal starts
//   in reverse order, each request offered for merging again;
// - the driver pulls one request at a time: head of the dispatch list, else dispatch(); activation when first seen;
// - completion: completed_request, bios end, request freed, driver pulls again.
// Left out: queue bypass, tagged non-rotational devices that never plug (2.6.35), discard, the drain of an ordered barrier:
// a flush in 2.6.35 empties the scheduler into the dispatch list first and is then an ordinary command.
#pragma once

#include <array>
#include <map>
#include <memory>

#include "model/block/block_layer.hpp"
#include "model/block/elevator.hpp"
#include "model/block/flush.hpp"
#include "model/block/merge.hpp"
#include "model/block/request_pool.hpp"
#include "model/core/scenario.hpp"

namespace elvcheck {

class SingleQueueLayer final : public BlockLayer, public ElevatorHost, private Actor, private FlushSequencer::Host {
 public:
  enum class Plugging { queue_2_6_35, task_4_4, task_4_19 };

  /// @param settings with nr_requests resolved
  SingleQueueLayer(Plugging plugging, const BlockSettings& settings, EventQueue& events, Trace& trace, Device& device,
                   BlockLayerHost& host);
  /// Sets the scheduler. Call once, before the first submission.
  void set_elevator(std::unique_ptr<SingleQueueElevator> elevator);

  Submission submit(Bio& bio) override;
  Submission resume(ProcessId process) override;
  void start_plug(ProcessId process) override;
  void finish_plug(ProcessId process) override;
  void process_sleeps(ProcessId process, bool for_io) override;
  void set_ioprio(ProcessId process, IoPrio prio) override { elevator_->ioprio_changed(process, prio); }
  void yield(ProcessId process, ProcessId target) override { elevator_->yield(process, target); }
  void exit_process(ProcessId process) override { elevator_->exit_process(process); }
  unsigned requests_in_use() const override { return pool_.in_use(); }
  void command_done(std::uint32_t tag) override;

  // ElevatorHost
  EventQueue& events() override { return events_; }
  const KernelClock& clock() const override { return clock_; }
  Trace& trace() override { return trace_; }
  const DeviceInfo& device() const override { return device_.info(); }
  unsigned nr_requests() const override { return settings_.nr_requests; }
  std::span<const IoGroup> groups() const override { return settings_.groups; }
  void run_queue(bool async) override;
  void forget_merge_target(Request& rq) override { merger_.forget_target(rq); }
  void add_merge_target(Request& rq) override { merger_.add_target(rq); }
  bool try_insert_merge(Request&) override { return false; }
  void dispatch_add_tail(Request& rq) override;
  void dispatch_sort(Request& rq) override;

 private:
  enum Work : std::uint64_t { unplug_timer, unplug_work, delay_work };
  struct Task {
    bool plugged = false;
    std::vector<Request*> plug;  // 4.19; oldest first
    Bio* blocked_bio = nullptr;
    unsigned batch_left = 0;     // requests it may still take beyond nr_requests
    std::uint64_t batch_since = 0;  // in ticks
  };
  /// Requests of one sync class (struct request_list).
  struct Pool {
    unsigned count = 0;
    bool full = false;
    std::vector<ProcessId> waiters;
  };

  void on_event(std::uint64_t work) override;
  bool elevator_empty() const { return dispatch_.empty() && elevator_->queue_empty(); }
  bool merge_into_plug(Task& task, Bio& bio);
  bool batching(const Task& task) const;
  void start_batch(Task& task) const;
  bool may_allocate(Task& task, const Bio& bio);
  Submission allocate_and_send(Task& task, Bio& bio);
  void send(Task& task, Request& rq);
  void insert_sorted(Request& rq);
  void insert_flush(Request& rq);
  void flush_plug(Task& task, bool from_schedule);

  void plug_queue();
  bool unplug_flag();
  void unplug();

  void request_fn();
  Request* peek();
  void refuse(Request& rq);
  void end_request(Request& rq);
  void free_request(Request& rq);

  // FlushSequencer::Host
  void queue_flush(const Request& borrowed_from) override;
  void queue_data(Request& rq) override;
  void sequence_done(Request& rq) override { end_request(rq); }

  void emit(EventKind kind, const Request& rq) {
    if (trace_.watched()) trace_.emit(request_event(kind, rq, events_.now()));
  }
  void emit(EventKind kind, const DecisionRule& rule, std::int64_t number = 0) {
    if (trace_.watched()) trace_.emit(rule_event(kind, rule, events_.now(), number));
  }
  bool old() const { return plugging_ == Plugging::queue_2_6_35; }

  Plugging plugging_;
  BlockSettings settings_;
  EventQueue& events_;
  Trace& trace_;
  Device& device_;
  BlockLayerHost& host_;
  KernelClock clock_;
  Merger merger_;
  RequestPool pool_;
  FlushSequencer flush_;
  std::unique_ptr<SingleQueueElevator> elevator_;
  std::map<ProcessId, Task> tasks_;
  std::array<Pool, 2> pools_;    // async, sync
  RequestList dispatch_;         // queue_head
  Sector end_sector_ = 0;        // where the dispatch list's present sweep began
  const Request* boundary_ = nullptr;
  std::vector<Request*> in_device_;  // by command tag
  unsigned in_flight_ = 0;
  std::uint64_t offered_ = 0;
  bool queue_plugged_ = false;   // 2.6.35
  bool pulling_ = false;         // inside request_fn
  bool delay_after_refusal_ = false;  // what delay_work_ was armed for
  Timer unplug_timer_;
  Timer unplug_work_;
  Timer delay_work_;
};

}  // namespace elvcheck
