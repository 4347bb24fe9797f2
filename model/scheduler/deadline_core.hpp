// SPDX-License-Identifier: GPL-2.0-or-later
// The decision core of deadline and mq-deadline: which direction, which request, when a batch ends.
//
// Mirrors the choice made by deadline_dispatch_requests() of block/deadline-iosched.c (2.6.34 to 4.20) and by
// __dd_dispatch_request() of block/mq-deadline.c (6.1). Both schedulers run this text in the simulation; checker/theorem reads
// the same text over Z3 terms. What is left to the schedulers: the queues themselves (sort_list, fifo_list, next_rq), merging,
// and, in mq-deadline, the choice among priorities (MqDeadlinePrioCore below).
//
// Promises it must keep (Documentation/block/deadline-iosched.rst): reads are preferred at most writes_starved times while
// writes wait; expiry is looked at only when a batch starts; a batch has at most fifo_batch requests of one direction in
// ascending order of sector.
#pragma once

#include "model/domain/domain.hpp"

namespace elvcheck {

/// What the core may know of one direction's queue at a dispatch.
template <Domain D>
struct DeadlineQueueView {
  typename D::Bool pending;  ///< the fifo is not empty
  typename D::Bool next;     ///< next_rq: a request follows the last dispatched one in order of sector
  typename D::Bool expired;  ///< the head of the fifo is past its deadline (meaningless unless pending)
};

/// What is dispatched.
template <Domain D>
struct DeadlineChoice {
  typename D::Bool none;       ///< nothing is pending
  typename D::Bool write;      ///< direction
  typename D::Bool from_fifo;  ///< the head of the fifo; otherwise next_rq
  typename D::Bool continues;  ///< the running batch goes on; otherwise a new one starts
};

template <Domain D>
struct DeadlineCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;

  // Tunables.
  Num fifo_batch;      ///< requests in a batch
  Num writes_starved;  ///< read batches that may pass waiting writes

  // State.
  Num batching{0};        ///< requests dispatched in the running batch
  Num starved{0};         ///< read batches started while writes waited, since the last write batch
  Bool last_write{true};  ///< direction of the latest batch (mq-deadline looks for its next_rq only there)

  /// The choice for these queues. Nothing changes until commit().
  DeadlineChoice<D> choose(const DeadlineQueueView<D>& reads, const DeadlineQueueView<D>& writes) const {
    DeadlineChoice<D> choice;
    const Bool next_in_batch = D::select(last_write, writes.next, reads.next);
    choice.continues = next_in_batch && batching < fifo_batch;
    const Bool writes_turn = writes.pending && (!reads.pending || writes_starved <= starved);
    choice.none = !choice.continues && !reads.pending && !writes.pending;
    choice.write = D::select(choice.continues, last_write, writes_turn);
    const Bool start_at_head =
        D::select(writes_turn, writes.expired || !writes.next, reads.expired || !reads.next);
    choice.from_fifo = !choice.continues && start_at_head;
    return choice;
  }

  /// The counters after a dispatch attempt. `dispatched` is false when the request was refused after the choice (mq-deadline's
  /// aging pass does that): the counters of the choice stay changed, as in the kernel.
  void commit(const DeadlineQueueView<D>& reads, const DeadlineQueueView<D>& writes, const DeadlineChoice<D>& choice,
              Bool dispatched) {
    const Bool starts = !choice.none && !choice.continues;
    const Bool passed_over = starts && reads.pending && writes.pending;
    starved = D::select(starts && choice.write, Num(0), D::select(passed_over, starved + Num(1), starved));
    batching = D::select(starts, Num(0), batching);
    batching = D::select(dispatched, batching + Num(1), batching);
    last_write = D::select(starts, choice.write, last_write);
  }

  /// A request left the queues without a dispatch (the alias rule of 2.6.35): a batch that goes on follows its direction.
  void moved_outside_batch(Bool write) { last_write = write; }

  /// Holds at rest, whatever the queues did; fifo_batch and writes_starved not negative.
  Bool invariant() const {
    const Num zero(0);
    const Num most = D::select(fifo_batch < Num(1), Num(1), fifo_batch);
    return zero <= batching && batching <= most && zero <= starved && starved <= writes_starved;
  }

  /// How many dispatches an expired read may still wait when `older` reads are before it in the fifo: the running batch, a
  /// batch for each older read, and the write batches between them. Every dispatch that does not serve the read lowers it.
  Num expired_rank(Num older) const {
    return fifo_batch - batching + fifo_batch * older + fifo_batch * D::halve(older + starved);
  }
};

}  // namespace elvcheck
