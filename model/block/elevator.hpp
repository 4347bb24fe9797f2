// SPDX-License-Identifier: GPL-2.0-or-later
// What a scheduler is to the model's block layer: the hooks of struct elevator_type, for both flavours.
//
// The order of calls is the kernel's and is part of the contract; single_queue.hpp and multi_queue.hpp state it. A scheduler
// needs no locks: everything happens in one thread of virtual time.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

#include "model/block/request.hpp"
#include "model/core/event_queue.hpp"
#include "model/core/random.hpp"
#include "model/core/scenario.hpp"
#include "model/core/trace.hpp"
#include "model/device/device.hpp"

namespace elvcheck {

/// What the block layer offers to a scheduler.
class ElevatorHost {
 public:
  virtual EventQueue& events() = 0;
  virtual const KernelClock& clock() const = 0;
  virtual Trace& trace() = 0;
  virtual const DeviceInfo& device() const = 0;
  /// queue/nr_requests.
  virtual unsigned nr_requests() const = 0;
  /// The cgroups beside the root; Bio::group counts from 1 into it.
  virtual std::span<const IoGroup> groups() const = 0;
  /// Runs the queue: as kblockd work after the current event if `async` (kblockd_schedule_work, blk_mq_run_hw_queues).
  virtual void run_queue(bool async) = 0;
  /// elv_rqhash_del() and the one-hit cache: the request is no longer a target of merges.
  virtual void forget_merge_target(Request& rq) = 0;
  /// elv_rqhash_add() and the one-hit cache, for a mergeable request that has been queued (blk-mq schedulers call it).
  virtual void add_merge_target(Request& rq) = 0;
  /// blk_mq_sched_try_insert_merge(): true when `rq` was absorbed by a queued request and is gone.
  virtual bool try_insert_merge(Request& rq) = 0;
  /// Single-queue only. Moves a request to the tail of the dispatch list (elv_dispatch_add_tail).
  virtual void dispatch_add_tail(Request& rq) = 0;
  /// Single-queue only. Moves it to its place by sector (elv_dispatch_sort).
  virtual void dispatch_sort(Request& rq) = 0;
  /// blk-mq only. The kernel's random numbers, for tag maps of the scheduler's own.
  virtual XorShift32& random() { throw std::logic_error("only blk-mq schedulers have tag maps of their own"); }

  Nanoseconds now() { return events().now(); }
  std::uint64_t jiffies() { return clock().jiffies(now()); }
  /// Reports a decision; free when nobody watches.
  void note(const DecisionRule& rule, const Request* rq, std::int64_t a = 0, std::int64_t b = 0, std::int64_t c = 0,
            std::int64_t d = 0) {
    if (!trace().watched()) return;
    TraceEvent event;
    event.at = now();
    event.kind = EventKind::note;
    event.rule = &rule;
    event.numbers = {a, b, c, d};
    if (rq != nullptr) {
      event.op = rq->op;
      event.process = rq->process;
      event.request = rq->id;
      event.sector = rq->sector;
      event.sectors = rq->sectors;
    }
    trace().emit(event);
  }

 protected:
  ~ElevatorHost() = default;
};

/// Hooks of both flavours. The defaults do nothing, as an absent hook of the kernel does.
class Elevator {
 public:
  virtual ~Elevator() = default;

  /// elevator_allow_bio_merge_fn / allow_merge.
  virtual bool allow_merge(const Request& rq, const Bio& bio) { return (void)rq, (void)bio, true; }
  /// elevator_allow_rq_merge_fn: two queued requests may become one.
  virtual bool allow_request_merge(const Request& rq, const Request& next) { return (void)rq, (void)next, true; }
  /// elevator_merge_fn / request_merge: the queued request in front of which the bio fits, or null.
  virtual Request* find_front_merge(const Bio& bio) { return (void)bio, nullptr; }
  /// elevator_merged_fn / request_merged: the request has grown at its front (or back).
  virtual void request_merged(Request& rq, bool at_front) { (void)rq, (void)at_front; }
  /// elevator_merge_req_fn / requests_merged: `rq` has absorbed `next`, which is to be forgotten.
  virtual void requests_merged(Request& rq, Request& next) { (void)rq, (void)next; }
  /// elevator_former_req_fn and elevator_latter_req_fn: neighbours by sector, or null.
  virtual Request* former_request(Request& rq) { return (void)rq, nullptr; }
  virtual Request* latter_request(Request& rq) { return (void)rq, nullptr; }

  /// set_task_ioprio: the process's priority has been set; schedulers that keep queues for each process look at it.
  virtual void ioprio_changed(ProcessId process, IoPrio prio) { (void)process, (void)prio; }
  /// The yield hook of the same series: `process` will wait for I/O of `target`.
  virtual void yield(ProcessId process, ProcessId target) { (void)process, (void)target; }
  /// exit_icq: the process has ended.
  virtual void exit_process(ProcessId process) { (void)process; }
};

/// A scheduler of the single-queue block layer (struct elevator_ops up to 4.20).
class SingleQueueElevator : public Elevator {
 public:
  /// elevator_queue_empty_fn: nothing is queued inside (2.6.35).
  virtual bool queue_empty() const = 0;
  /// elevator_may_queue_fn: true if the process may exceed nr_requests (ELV_MQUEUE_MUST).
  virtual bool may_queue(ProcessId process, const Bio& bio) { return (void)process, (void)bio, false; }
  /// elevator_set_req_fn: the request has been allocated in the context of bio.process; queues are bound here.
  virtual void set_request(Request& rq, const Bio& bio) { (void)rq, (void)bio; }
  /// elevator_put_req_fn: the request is about to be freed.
  virtual void put_request(Request& rq) { (void)rq; }
  /// elevator_add_req_fn: insertion.
  virtual void add_request(Request& rq) = 0;
  /// elevator_dispatch_fn: moves requests (usually one) to the dispatch list; how many. With `force`, all of them.
  virtual unsigned dispatch(bool force) = 0;
  /// elevator_activate_req_fn, elevator_deactivate_req_fn, elevator_completed_req_fn.
  virtual void activate_request(Request& rq) { (void)rq; }
  virtual void deactivate_request(Request& rq) { (void)rq; }
  virtual void completed_request(Request& rq) { (void)rq; }
};

/// A scheduler of blk-mq (struct elevator_mq_ops).
class MultiQueueElevator : public Elevator {
 public:
  static constexpr unsigned no_limit = std::numeric_limits<unsigned>::max();

  /// bio_merge: the list in which a bio may be merged, newest first, instead of the look-ups by hash and by sector; null
  /// where the scheduler has no such hook.
  virtual const RequestList* bio_merge_list(const Bio& bio) { return (void)bio, nullptr; }
  /// limit_depth: how many bits of each word of the tag map this operation may use (shallow_depth), or no_limit; 0 is no
  /// limit either.
  /// @param word_bits tags in one word of the map (1 << sb.shift)
  virtual unsigned limit_depth(const Bio& bio, unsigned word_bits) { return (void)bio, (void)word_bits, no_limit; }
  /// The smallest value that limit_depth may return (sbitmap_queue_min_shallow_depth).
  virtual unsigned min_shallow_depth(unsigned word_bits) const { return (void)word_bits, no_limit; }
  /// prepare_request: the request has been allocated.
  virtual void prepare_request(Request& rq, const Bio& bio) { (void)rq, (void)bio; }
  /// insert_requests, for one request of the list. It calls try_insert_merge and add_merge_target itself, as the kernel's do.
  virtual void insert_request(Request& rq, bool at_head) = 0;
  virtual bool has_work() const = 0;
  /// dispatch_request: the next request, or null.
  virtual Request* dispatch_request() = 0;
  /// completed_request: the device has done it. In 6.1 also requests of flush sequences come here, after their data and at
  /// their end, although prepare_request and finish_request were or are not called for them.
  virtual void completed_request(Request& rq) { (void)rq; }
  /// finish_request: it is about to be freed (also after it was absorbed by a merge; in 6.12 once the data of a flush sequence
  /// is done).
  virtual void finish_request(Request& rq) { (void)rq; }
  virtual void requeue_request(Request& rq) { (void)rq; }
  /// depth_updated: queue/nr_requests was written.
  virtual void depth_updated() {}
};

}  // namespace elvcheck
