// SPDX-License-Identifier: GPL-2.0-or-later
// The surroundings of DeadlineCore that its theorems share: queues that may hold anything, and one read that is watched.
//
// What is abstracted. The queues (sort_list, fifo_list, next_rq) are not in the core; at each dispatch the core sees of a
// direction whether something is pending, whether next_rq is set, and whether the head of the fifo has expired. Here those
// answers are free variables, new ones at each dispatch, so every arrival, merge and order of sectors is covered, and also
// many that no real queue can produce. The watched read fixes some of them: while it waits and is past its deadline, reads
// are pending and the head of the read fifo has expired, since the fifo is in order of deadlines (read_expire must not be
// changed while it waits). `older` is the number of reads before it in the fifo; new reads go behind it.
//
// What is assumed. The tunables keep their values. Of mq-deadline, the requests of one priority level are meant, and the
// pass for aged requests does not intervene. A dispatch is a request that leaves the scheduler.
#pragma once

#include <fmt/format.h>

#include <string>

#include "checker/z3/prover.hpp"
#include "model/scheduler/deadline_core.hpp"

namespace elvcheck {

/// The core of theorems that hold for every value of the tunables, in an arbitrary state that satisfies the invariant.
template <class Core>
Core any_deadline_state(Obligation& obligation, std::int64_t least_fifo_batch, std::int64_t least_writes_starved) {
  Core core;
  core.fifo_batch = Symbolic::variable("fifo_batch");
  core.writes_starved = Symbolic::variable("writes_starved");
  core.batching = Symbolic::variable("batching");
  core.starved = Symbolic::variable("starved");
  core.last_write = Symbolic::condition("last_write");
  obligation.assume(core.fifo_batch >= Symbolic::Num(least_fifo_batch), fmt::format("fifo_batch >= {}", least_fifo_batch));
  obligation.assume(core.writes_starved >= Symbolic::Num(least_writes_starved),
                    fmt::format("writes_starved >= {}", least_writes_starved));
  obligation.assume(core.invariant(), "deadline.invariant");
  return core;
}

/// A queue of which nothing is known. `prefix` makes the variables' names differ between directions and dispatches.
inline DeadlineQueueView<Symbolic> any_queue(const std::string& prefix) {
  return {Symbolic::condition(prefix + ".pending"), Symbolic::condition(prefix + ".next"),
          Symbolic::condition(prefix + ".expired")};
}

/// A read that is past its deadline and still waits, while `core` dispatches.
template <class Core>
struct ExpiredRead {
  Core core;
  Symbolic::Num older;            ///< reads before it in the fifo, >= 0
  Symbolic::Bool served = false;  ///< it has been dispatched
  Symbolic::Bool stuck = false;   ///< some dispatch found nothing to do though the read was waiting

  Symbolic::Num rank() const { return core.expired_rank(older); }

  /// One dispatch with arbitrary queues; the hypotheses about them go to `obligation`. Nothing happens to a served read's
  /// counters that anybody looks at.
  void dispatch(Obligation& obligation, const std::string& prefix) {
    DeadlineQueueView<Symbolic> reads = any_queue(prefix + "reads");
    const DeadlineQueueView<Symbolic> writes = any_queue(prefix + "writes");
    reads.pending = true;
    reads.expired = true;
    // What next_rq of the reads is: an older read, the watched one, or a newer one.
    const Symbolic::Bool next_is_older = Symbolic::condition(prefix + "reads.next-is-older");
    const Symbolic::Bool next_is_watched = Symbolic::condition(prefix + "reads.next-is-watched");
    const Symbolic::Bool some_older = Symbolic::Num(0) < older;
    obligation.assume(!(next_is_older && next_is_watched), "next_rq is one request");
    obligation.assume(!next_is_older || some_older, "an older next_rq is one of the older reads");

    const DeadlineChoice<Symbolic> choice = core.choose(reads, writes);
    core.commit(reads, writes, choice, true);

    const Symbolic::Bool read = !choice.none && !choice.write;
    const Symbolic::Bool takes_older = read && Symbolic::select(choice.from_fifo, some_older, next_is_older);
    served = served || (read && Symbolic::select(choice.from_fifo, !some_older, next_is_watched));
    stuck = stuck || choice.none;
    older = Symbolic::select(takes_older, older - Symbolic::Num(1), older);
  }
};

/// An expired read in an arbitrary state.
template <class Core>
ExpiredRead<Core> any_expired_read(Obligation& obligation, std::int64_t least_fifo_batch,
                                   std::int64_t least_writes_starved) {
  ExpiredRead<Core> read{any_deadline_state<Core>(obligation, least_fifo_batch, least_writes_starved),
                         Symbolic::variable("older")};
  obligation.assume(Symbolic::Num(0) <= read.older, "older >= 0");
  return read;
}

}  // namespace elvcheck
