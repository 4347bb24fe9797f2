// SPDX-License-Identifier: GPL-2.0-or-later
// What monitors of a scheduler's order share: which requests wait in the scheduler and which are at the device, as far as
// the insert, merge, issue and complete events tell.
//
// When was a decision made? An issue event shows when the device got a request, not when the scheduler chose it: a driver
// may hold one chosen request until a tag is free (blk-mq: the hctx's dispatch list; single queue: the head of the dispatch
// list). It chooses no other meanwhile, so request k was chosen after request k-1 had been issued. A monitor therefore
// demands of the choice of k only what was visible then: requests that were inserted before the issue of k-1. That is sound
// for every depth.
//
// mq-deadline's classes share their counters, and a class waits for the requests of a higher one that are at the device.
// What the documents promise for one queue is therefore judged only of requests that met no other class (`mixed`).
//
// Requests that bypass the scheduler (flushes, FUA and PREFLUSH writes) take part as device load only. A requeue, and in the
// 2.6.35 block layer a barrier or two requests at one place of one direction, reorders requests for good reasons that the
// trace does not show in full; from there on the monitor is mute until queue and device have been empty once.
#pragma once

#include <cstdint>
#include <map>

#include "properties/property.hpp"

namespace elvcheck {

/// A request inside the scheduler, or handed by it to the device.
struct WaitingRequest {
  RequestId id = 0;
  bool write = false;
  bool mergeable = true;           ///< when it was inserted
  IoClass io_class = IoClass::be;  ///< be for none, and for every scheduler but mq-deadline
  Sector sector = 0;
  SectorCount sectors = 0;
  Nanoseconds inserted_at{0};
  Nanoseconds issued_at{0};
  std::uint64_t seen = 0;           ///< event number from which it stands in its place (insertion, front merge)
  std::uint64_t fifo_place = 0;     ///< arrival order; a merge may hand down an older place
  std::uint64_t inserted_tick = 0;  ///< jiffies at insertion; an older place brings its own
  std::int64_t passed = 0;          ///< the monitor's own use
  std::int64_t allowance = -1;      ///< the monitor's own use
  std::int64_t mark = 0;            ///< the monitor's own use
  bool mixed = false;               ///< a request of another class was inside at some time since its insertion

  Sector end() const { return sector + sectors; }
};

class QueueMonitor : public Monitor {
 public:
  explicit QueueMonitor(const RunFacts& facts);
  void on_event(const TraceEvent& event) override;

 protected:
  using Requests = std::map<RequestId, WaitingRequest>;

  // Hooks; each is called before the books are changed by the event.
  virtual void on_insert(WaitingRequest& rq) { (void)rq; }
  /// Null: a request that did not come through the scheduler.
  virtual void on_issue(WaitingRequest* rq) { (void)rq; }
  virtual void on_complete(const WaitingRequest& rq) { (void)rq; }
  virtual void on_bio_merge(WaitingRequest& rq, const TraceEvent& event) { (void)rq, (void)event; }
  virtual void on_request_merge(WaitingRequest& rq, RequestId other) { (void)rq, (void)other; }
  virtual void on_note(const TraceEvent& event) { (void)event; }
  /// The monitor was mute and is no longer: what it remembers is out of date.
  virtual void reset() {}

  const RunFacts& facts() const { return facts_; }
  const KernelClock& clock() const { return clock_; }
  Nanoseconds now() const { return now_; }
  bool muted() const { return muted_; }
  Requests& queued() { return queued_; }
  const Requests& at_device() const { return at_device_; }
  /// All commands inside the device, those that bypassed the scheduler included.
  std::size_t device_load() const { return at_device_.size() + bypassing_.size(); }

  /// Whether the scheduler had `rq` when it chose the request that is being issued (see above).
  bool visible(const WaitingRequest& rq) const { return rq.seen < last_issue_; }
  /// The number and time of the scheduler's previous issue: no earlier was the request chosen that is being issued.
  std::uint64_t last_issue() const { return last_issue_; }
  Nanoseconds chosen_after() const { return last_issue_at_; }
  /// The oldest visible request of that class and direction, or null.
  const WaitingRequest* oldest(IoClass io_class, bool write) const;
  /// Requests of one class only are in the scheduler and at the device.
  bool single_class() const;
  /// The longest time that a command has spent in the device so far, those inside included.
  Nanoseconds longest_service() const;

 private:
  static bool bypasses(const TraceEvent& event);
  bool oldest_flavour() const;
  void mute_for_alias(const WaitingRequest& rq);
  void requeue(const TraceEvent& event);
  void insert(const TraceEvent& event);
  void merge(const TraceEvent& event);
  void issue(const TraceEvent& event);
  void complete(const TraceEvent& event);

  RunFacts facts_;
  KernelClock clock_;
  Requests queued_;
  Requests at_device_;
  std::map<RequestId, Nanoseconds> bypassing_;
  std::uint64_t events_ = 0;
  std::uint64_t last_issue_ = 0;
  Nanoseconds last_issue_at_{0};
  Nanoseconds now_{0};
  Nanoseconds longest_service_{0};
  bool muted_ = false;
};

/// The scheduler is known and has that name in sysfs.
bool runs(const RunFacts& facts, std::string_view sysfs_name);
/// deadline or mq-deadline, with known tunables.
bool is_deadline(const RunFacts& facts);
/// The value of a tunable of a run for which is_deadline() holds.
std::int64_t tunable(const RunFacts& facts, std::string_view name);
/// max(1, fifo_batch): the most requests in a batch.
std::int64_t batch_limit(const RunFacts& facts);

}  // namespace elvcheck
