// SPDX-License-Identifier: GPL-2.0-or-later
// The discrete-event core: virtual time and the order of what happens in it.
//
// Order at one instant. Kernel events (timers, delayed work, kblockd work) come before host events (device completions,
// process wakes); inside each of the two, the order of scheduling decides. After every event the kernel events of the same
// instant run first. That is the order in which the recordings of the kernel's own schedulers in tests/data were made, so a
// model that keeps it can be compared with them event by event.
#pragma once

#include <cstdint>
#include <vector>

#include "model/core/units.hpp"

namespace elvcheck {

/// Receives events. `what` is the number that was given when the event was scheduled.
class Actor {
 public:
  virtual void on_event(std::uint64_t what) = 0;
  /// Asked just before an event that was scheduled as cancellable: false drops it, as if it had never been.
  virtual bool still_wanted(std::uint64_t what) const { return (void)what, true; }

 protected:
  ~Actor() = default;
};

/// Which of two events of one instant comes first (see above).
enum class Rank : std::uint8_t { kernel = 0, host = 1 };

/// The queue of future events. Deterministic: ties fall to the rank, then to the order of scheduling.
class EventQueue {
 public:
  EventQueue() { heap_.reserve(64); }

  Nanoseconds now() const { return now_; }
  bool empty() const { return heap_.empty(); }

  /// Events run so far.
  std::uint64_t events_run() const { return events_run_; }

  /// Schedules actor.on_event(what) at `at`; a time in the past means now.
  void schedule(Nanoseconds at, Rank rank, Actor& actor, std::uint64_t what = 0, bool cancellable = false);

  /// Runs the next event. False when there is none, or when it lies after `limit` (then time stands at `limit`).
  bool step(Nanoseconds limit = Nanoseconds::max());

 private:
  struct Entry {
    Nanoseconds at;
    std::uint64_t order;  // rank in the top bit, then the order of scheduling; the lowest bit: cancellable
    Actor* actor;
    std::uint64_t what;
    bool later_than(const Entry& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  void sift_up(std::size_t hole, Entry entry);
  void pop();

  std::vector<Entry> heap_;
  Nanoseconds now_{0};
  std::uint64_t next_order_ = 0;
  std::uint64_t events_run_ = 0;
};

/// A kernel timer or work item: at most one expiry pending, can be moved and cancelled.
class Timer : private Actor {
 public:
  /// Calls owner.on_event(what) at expiry.
  Timer(EventQueue& events, Actor& owner, std::uint64_t what) : events_(events), owner_(owner), what_(what) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  bool pending() const { return pending_; }
  Nanoseconds expires() const { return expires_; }

  /// Arms the timer for `at`; a pending expiry is replaced (mod_timer, mod_delayed_work).
  void arm(Nanoseconds at);
  /// Arms it for now unless it is pending for now already; an earlier arming keeps its place (queue_work).
  void arm_now();
  void cancel() { pending_ = false; }

 private:
  void on_event(std::uint64_t) override {
    pending_ = false;
    owner_.on_event(what_);
  }
  bool still_wanted(std::uint64_t generation) const override { return pending_ && generation == generation_; }

  EventQueue& events_;
  Actor& owner_;
  std::uint64_t what_;
  std::uint64_t generation_ = 0;
  Nanoseconds expires_{0};
  bool pending_ = false;
};

}  // namespace elvcheck
