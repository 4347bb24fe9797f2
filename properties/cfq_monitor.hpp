// SPDX-License-Identifier: GPL-2.0-or-later
// What monitors of CFQ share: which requests wait in it, for which of its queues, and which of each queue are inside the
// device, recounted from insertions, decision notes and completions.
//
// A queue is recognised by its requests: sync ones by their process, async ones by class and level, which share a queue.
// That is so until processes change their ioprio, are boosted or cooperate: requests of such processes are not judged
// (`odd`), and once queues have become one, nothing that depends on telling queues apart is. Runs with cgroups are left out:
// each group has trees of its own.
#pragma once

#include <compare>
#include <memory>
#include <string_view>
#include <vector>

#include "properties/flat_map.hpp"
#include "properties/property.hpp"

namespace elvcheck {

struct CfqQueueKey {
  bool sync = false;
  ProcessId process = 0;           ///< of a sync queue
  IoClass io_class = IoClass::be;  ///< of an async queue
  unsigned level = 0;              ///< likewise; 0 for the idle class
  friend auto operator<=>(const CfqQueueKey&, const CfqQueueKey&) = default;
};

/// A request inside CFQ.
struct CfqRequest {
  RequestId id = 0;
  CfqQueueKey queue;
  IoClass io_class = IoClass::be;
  unsigned level = 4;
  ProcessId process = 0;
  Sector sector = 0;
  SectorCount sectors = 0;
  Nanoseconds inserted_at{0};  ///< a merge hands down an older time
  bool odd = false;            ///< its queue's priority is not sure: its process has changed it or was boosted
};

/// How a request left its queue.
enum class CfqWay : std::uint8_t { next, expired, alias, forced };

class CfqMonitor;

/// The books of one run, kept once for all monitors that read them.
class CfqBooks {
 public:
  using Requests = FlatMap<RequestId, CfqRequest>;

  /// The monitor's hooks are called from now on. It is not owned.
  void add(CfqMonitor& reader) { readers_.push_back(&reader); }
  bool has_readers() const { return !readers_.empty(); }
  void on_event(const TraceEvent& event);

  Nanoseconds now() const { return now_; }
  const Requests& waiting() const { return waiting_; }
  std::int64_t inside(const CfqQueueKey& queue) const;
  std::int64_t in_slice() const { return in_slice_; }
  bool merged() const { return merged_; }
  std::size_t device_load() const { return at_device_.size(); }
  Sector head() const { return head_; }

 private:
  void book(const TraceEvent& event);
  void look_at_priority(const TraceEvent& event);
  void mark_shared();
  void insert(const TraceEvent& event);
  void note(const TraceEvent& event);
  void choose(const TraceEvent& event, CfqWay way);
  template <class Hook>
  void tell(Hook hook);

  std::vector<CfqMonitor*> readers_;
  Requests waiting_;
  Requests inside_;
  FlatMap<RequestId, Nanoseconds> allocated_at_;
  FlatSet<RequestId> at_device_;
  FlatMap<CfqQueueKey, std::int64_t> count_inside_;
  struct Known {
    IoPrio ioprio;
    bool odd = false;
  };
  FlatMap<ProcessId, Known> processes_;
  std::int64_t in_slice_ = 0;
  Nanoseconds now_{0};
  Sector head_ = 0;
  bool merged_ = false;
  bool any_odd_ = false;
  bool async_odd_ = false;
};

class CfqMonitor : public Monitor {
 public:
  /// `facts` outlive the monitor.
  explicit CfqMonitor(const RunFacts& facts) : facts_(facts) {}
  CfqMonitor(const CfqMonitor&) = delete;
  CfqMonitor& operator=(const CfqMonitor&) = delete;

  /// Reads these books, which are fed by somebody else and outlive it. Without them it keeps its own.
  void share(CfqBooks& books) {
    books_ = &books;
    books.add(*this);
  }
  CfqMonitor* as_cfq_monitor() final { return this; }
  void on_event(const TraceEvent& event) final { books().on_event(event); }

 protected:
  using Way = CfqWay;

  virtual void on_insert(const CfqRequest& rq) { (void)rq; }
  /// Before the books are changed: `rq` is still among the waiting ones.
  virtual void on_choice(const CfqRequest& rq, Way way, const TraceEvent& note) { (void)rq, (void)way, (void)note; }
  /// A queue becomes active: what follows, up to the next one, is its slice.
  virtual void on_slice() {}
  virtual void on_note(const TraceEvent& event) { (void)event; }
  virtual void on_completion(const CfqRequest& rq, Nanoseconds allocated_at) { (void)rq, (void)allocated_at; }
  /// Around every event, before and after it is booked.
  virtual void before(const TraceEvent& event) { (void)event; }
  virtual void after(const TraceEvent& event) { (void)event; }

  const RunFacts& facts() const { return facts_; }
  Nanoseconds now() const { return books().now(); }
  const CfqBooks::Requests& waiting() const { return books().waiting(); }
  /// Requests of the queue that were chosen and are not completed.
  std::int64_t inside(const CfqQueueKey& queue) const { return books().inside(queue); }
  /// Requests chosen by place or by age in this slice, so far.
  std::int64_t in_slice() const { return books().in_slice(); }
  /// Queues have been merged: a process no longer tells its queue.
  bool merged() const { return books().merged(); }
  /// Commands at the device.
  std::size_t device_load() const { return books().device_load(); }
  /// Where the last request that the scheduler chose ended at the device.
  Sector head() const { return books().head(); }

 private:
  friend class CfqBooks;

  CfqBooks& books() const {
    if (books_ == nullptr) open_own_books();
    return *books_;
  }
  void open_own_books() const;

  const RunFacts& facts_;
  mutable std::unique_ptr<CfqBooks> own_books_;  // unless they are shared
  mutable CfqBooks* books_ = nullptr;
};

/// CFQ without cgroups, run by a model (whose notes tell its decisions).
bool is_plain_cfq(const RunFacts& facts);
/// A tunable or feature of a run for which is_plain_cfq() holds; 0 if this version has none of that name.
std::int64_t cfq_value(const RunFacts& facts, std::string_view name);

}  // namespace elvcheck
