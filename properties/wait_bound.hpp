// SPDX-License-Identifier: GPL-2.0-or-later
// How many other dispatches a request may have to see pass, from the run's own numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "properties/queue_monitor.hpp"

namespace elvcheck {

/// The rank of an expired request of deadline or mq-deadline: a bound on the dispatches before it, of one class.
///
/// With A = max(1, fifo_batch), s = writes_starved and n older requests of its direction, an expired read waits for the
/// running batch (A), n batches that each serve an older read, and the write batches between those n + 1 read batches: one
/// after every s read batches, the first perhaps at once. An expired write waits for the running batch, s read batches
/// before each of the n + 1 write batches that serve the older writes and itself, and n write batches. Nothing when there is
/// no bound: reads with s < 1 yield to any number of writes. Source: block/deadline-iosched.c (4.4 to 4.20),
/// block/mq-deadline.c (6.1); the read case for s = 2 is theorem deadline.expired-rank with the position in the batch and
/// the starvation counter at their worst.
std::optional<std::int64_t> expired_rank(const RunFacts& facts, bool write, std::int64_t older);

/// Follows each waiting request of a deadline scheduler past its deadline.
class ExpiredMonitor : public QueueMonitor {
 public:
  explicit ExpiredMonitor(const RunFacts& facts);

  EventKinds wants() const override { return event_kinds(EventKind::insert, EventKind::issue); }

 protected:
  /// `rq` has been passed `own(rq).passed` times since its deadline and may be `own(rq).allowance` times.
  /// @param at now, or the end of the run
  /// @param issued it is the one that is issued
  virtual void on_expired(const WaitingRequest& rq, Nanoseconds at, bool issued) = 0;
  /// It is issued before its deadline.
  virtual void on_in_time(const WaitingRequest& rq) { (void)rq; }

  /// The virtual time at which the request is expired for every version: the tick after its deadline begins.
  Nanoseconds deadline(const WaitingRequest& rq) const;
  /// Commands that bypassed the scheduler since the deadline of `rq`.
  std::int64_t bypassed(const WaitingRequest& rq) { return bypassed_ - own(rq).mark; }

  void finish(Nanoseconds end, bool complete_run) override;

 private:
  void on_insert(const WaitingRequest& rq) override { own(rq).mark = bypassed_; }
  void on_issue(const WaitingRequest* rq) override;
  std::uint64_t deadline_tick(const WaitingRequest& rq) const { return rq.inserted_tick + expire_ticks_[rq.write] + 1; }
  std::uint64_t earliest_deadline() const;  // of all that is queued, as a tick
  void watch(const WaitingRequest& rq);

  static constexpr std::int64_t unwatched = -1;
  static constexpr std::int64_t unbounded = -2;

  std::array<std::uint64_t, 2> expire_ticks_{};
  std::int64_t bypassed_ = 0;
};

/// Late starts: a request must be issued within its deadline and the services of its rank.
class LateStart : public ExpiredMonitor {
 public:
  /// @param rule the name of the violated clause
  LateStart(const RunFacts& facts, bool reads_only, const char* rule);

 private:
  void on_in_time(const WaitingRequest& rq) override;
  void on_expired(const WaitingRequest& rq, Nanoseconds at, bool issued) override;

  bool reads_only_;
  const char* rule_;
  Nanoseconds slack_;
};

/// What may delay a queue beside the device: in 2.6.35 a plug holds the first request for up to 3 ms, rounded to ticks; on a
/// real machine there is CPU time (1 ms is allowed).
Nanoseconds queue_delay(const RunFacts& facts);

}  // namespace elvcheck
