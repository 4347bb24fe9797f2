// SPDX-License-Identifier: GPL-2.0-or-later
// What monitors of a scheduler's order share: the books of which requests wait in the scheduler and which are at the device,
// as far as the insert, merge, issue and complete events tell.
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
// Requests that bypass the scheduler (flushes, FUA and PREFLUSH writes) take part as device load only. One that does not
// (6.12 inserts the data of a flush sequence, at the head if a flush went before it), a requeue, and in the 2.6.35 block
// layer a barrier or two requests at one place of one direction, reorders requests for good reasons that the trace does not
// show in full; from there on the monitor is mute until queue and device have been empty once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "properties/flat_map.hpp"
#include "properties/property.hpp"

namespace elvcheck {

/// A request inside the scheduler, or handed by it to the device.
struct WaitingRequest {
  RequestId id = 0;
  std::uint32_t slot = 0;  ///< a small number, its own until it completes
  bool write = false;
  Op op = Op::read;
  bool mergeable = true;           ///< when it was inserted
  bool mixed = false;              ///< a request of another class was inside at some time since its insertion
  IoClass io_class = IoClass::be;  ///< be for none, and for every scheduler but mq-deadline
  Sector sector = 0;
  SectorCount sectors = 0;
  Nanoseconds inserted_at{0};
  Nanoseconds issued_at{0};
  std::uint64_t arrival = 0;        ///< event number of its insertion
  std::uint64_t seen = 0;           ///< event number from which it stands in its place (insertion, front merge)
  std::uint64_t fifo_place = 0;     ///< arrival order; a merge may hand down an older place
  std::uint64_t inserted_tick = 0;  ///< jiffies at insertion; an older place brings its own

  Sector end() const { return sector + sectors; }
};

class QueueMonitor;

/// The books of one run, kept once for all monitors that read them.
class QueueBooks {
 public:
  using Requests = FlatMap<RequestId, WaitingRequest>;

  /// `facts` outlive the books.
  explicit QueueBooks(const RunFacts& facts);

  /// The monitor's hooks are called from now on. It is not owned.
  void add(QueueMonitor& reader);
  bool has_readers() const { return !readers_.empty(); }
  void on_event(const TraceEvent& event);

  Nanoseconds now() const { return now_; }
  bool muted() const { return muted_; }
  const Requests& queued() const { return queued_; }
  Requests& queued() { return queued_; }
  const Requests& at_device() const { return at_device_; }
  std::size_t device_load() const { return at_device_.size() + bypassing_.size(); }
  std::uint64_t last_issue() const { return last_issue_; }
  Nanoseconds last_issue_at() const { return last_issue_at_; }
  const WaitingRequest* oldest(IoClass io_class, bool write);
  /// The earliest WaitingRequest::inserted_tick of what is queued in that direction.
  std::uint64_t earliest_tick(bool write);
  bool single_class() const { return classes_inside_ <= 1; }
  Nanoseconds longest_service();

 private:
  static constexpr std::size_t class_count = 4;

  static bool bypasses(const TraceEvent& event);
  void mute_for_alias(const WaitingRequest& rq);
  void book(const TraceEvent& event);
  void insert(const TraceEvent& event);
  void merge(const TraceEvent& event);
  void issue(const TraceEvent& event);
  void complete(const TraceEvent& event);
  void requeue(const TraceEvent& event);
  void enter(const WaitingRequest& rq);
  void leave(const WaitingRequest& rq);
  template <class Hook>
  void tell(EventKind kind, Hook hook);

  const RunFacts& facts_;
  KernelClock clock_;
  bool oldest_flavour_;  // 2.6.35
  bool tells_classes_;   // mq-deadline
  struct Reader {
    QueueMonitor* monitor;
    EventKinds wanted;
  };
  std::vector<Reader> readers_;
  std::vector<QueueMonitor*> readers_of_all_;  // those of them that look at every event
  Requests queued_;
  Requests at_device_;
  FlatMap<RequestId, Nanoseconds> bypassing_;
  std::vector<std::uint32_t> free_slots_;
  std::uint32_t slots_ = 0;
  std::array<std::uint32_t, class_count> of_class_{};  // inside, by class
  unsigned classes_inside_ = 0;
  FlatMap<RequestId, bool> sequences_;  // requests that were allocated for a flush sequence
  std::uint64_t events_ = 0;
  std::uint64_t last_issue_ = 0;
  Nanoseconds last_issue_at_{0};
  Nanoseconds now_{0};
  Nanoseconds longest_service_{0};  // of the completed ones
  bool muted_ = false;

  // Answers that hold as long as the books stand.
  template <class Value>
  struct Remembered {
    std::uint64_t version = 0;
    Value value{};
  };
  std::uint64_t version_ = 1;
  std::array<Remembered<const WaitingRequest*>, 2 * class_count> oldest_{};
  std::array<Remembered<std::uint64_t>, 2> earliest_tick_{};
  Remembered<Nanoseconds> longest_;
};

class QueueMonitor : public Monitor {
 public:
  /// `facts` outlive the monitor.
  explicit QueueMonitor(const RunFacts& facts) : facts_(facts), clock_(facts.block.hz) {}
  QueueMonitor(const QueueMonitor&) = delete;
  QueueMonitor& operator=(const QueueMonitor&) = delete;

  /// Reads these books, which are fed by somebody else and outlive it. Without them it keeps its own.
  void share(QueueBooks& books) {
    books_ = &books;
    books.add(*this);
  }
  QueueMonitor* as_queue_monitor() final { return this; }
  void on_event(const TraceEvent& event) final { books().on_event(event); }

 protected:
  using Requests = QueueBooks::Requests;

  /// What a monitor itself notes of a request.
  struct Marks {
    std::uint64_t arrival = 0;
    std::int64_t passed = 0;
    std::int64_t allowance = -1;
    std::int64_t mark = 0;
  };

  // Hooks; each is called before the books are changed by the event, if the monitor wants the kind of the event.
  virtual void on_insert(const WaitingRequest& rq) { (void)rq; }
  /// Null: a request that did not come through the scheduler.
  virtual void on_issue(const WaitingRequest* rq) { (void)rq; }
  virtual void on_complete(const WaitingRequest& rq) { (void)rq; }
  virtual void on_bio_merge(const WaitingRequest& rq, const TraceEvent& event) { (void)rq, (void)event; }
  virtual void on_request_merge(const WaitingRequest& rq, RequestId other) { (void)rq, (void)other; }
  virtual void on_note(const TraceEvent& event) { (void)event; }
  /// The monitor was mute and is no longer: what it remembers is out of date.
  virtual void reset() {}
  /// Whether before() and after() are called, for every event, also if mute.
  virtual bool looks_at_all() const { return false; }
  virtual void before(const TraceEvent& event) { (void)event; }
  virtual void after(const TraceEvent& event) { (void)event; }

  const RunFacts& facts() const { return facts_; }
  const KernelClock& clock() const { return clock_; }
  Nanoseconds now() const { return books().now(); }
  bool muted() const { return books().muted(); }
  const Requests& queued() const { return books().queued(); }
  const Requests& at_device() const { return books().at_device(); }
  /// The queued request of that number, or null.
  const WaitingRequest* find_queued(RequestId id) const {
    const auto found = books().queued().find(id);
    return found == books().queued().end() ? nullptr : &found->second;
  }
  /// This monitor's marks of a request; they begin anew with its insertion.
  Marks& own(const WaitingRequest& rq) {
    if (rq.slot >= marks_.size()) marks_.resize(rq.slot + 1);
    Marks& marks = marks_[rq.slot];
    if (marks.arrival != rq.arrival) marks = Marks{rq.arrival};
    return marks;
  }
  /// All commands inside the device, those that bypassed the scheduler included.
  std::size_t device_load() const { return books().device_load(); }

  /// Whether the scheduler had `rq` when it chose the request that is being issued (see above).
  bool visible(const WaitingRequest& rq) const { return rq.seen < last_issue(); }
  /// The number and time of the scheduler's previous issue: no earlier was the request chosen that is being issued.
  std::uint64_t last_issue() const { return books().last_issue(); }
  Nanoseconds chosen_after() const { return books().last_issue_at(); }
  /// The oldest visible request of that class and direction, or null.
  const WaitingRequest* oldest(IoClass io_class, bool write) const { return books().oldest(io_class, write); }
  /// The earliest tick at which a queued request of that direction was inserted; the largest number if there is none.
  std::uint64_t earliest_tick(bool write) const { return books().earliest_tick(write); }
  /// Requests of one class only are in the scheduler and at the device.
  bool single_class() const { return books().single_class(); }
  /// The longest time that a command has spent in the device so far, those inside included.
  Nanoseconds longest_service() const { return books().longest_service(); }

 private:
  friend class QueueBooks;

  QueueBooks& books() const {
    if (books_ == nullptr) open_own_books();
    return *books_;
  }
  void open_own_books() const;

  const RunFacts& facts_;
  KernelClock clock_;
  mutable std::unique_ptr<QueueBooks> own_books_;  // unless they are shared
  mutable QueueBooks* books_ = nullptr;
  std::vector<Marks> marks_;  // by slot
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
