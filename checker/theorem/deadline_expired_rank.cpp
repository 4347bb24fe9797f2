// SPDX-License-Identifier: GPL-2.0-or-later
// deadline.expired-rank: a read that is past its deadline is served within a number of dispatches that is known in advance.
//
// The number is DeadlineCore::expired_rank: the rest of the running batch, a batch for each older read, and the write
// batches between them. Each dispatch serves the read or lowers the rank, and the rank is not negative, so the read waits
// for at most rank dispatches of other requests. deadline_watch.hpp says what is abstracted and assumed. Merging two reads
// can only take one out of the fifo before the watched read; that this does not raise the rank is a condition of its own.
//
// The bounds on the tunables are sharp: with fifo_batch 0 a batch still has one request, and with writes_starved below 2 a
// write batch may follow each read batch, so the count of write batches in the rank is too small.
#include "checker/theorem/catalogue.hpp"
#include "checker/theorem/deadline_bugs.hpp"
#include "checker/theorem/deadline_watch.hpp"

namespace elvcheck {

namespace {

constexpr std::int64_t least_fifo_batch = 1;
constexpr std::int64_t least_writes_starved = 2;

template <class Core>
void rank_falls(Obligation& obligation) {
  ExpiredRead<Core> read = any_expired_read<Core>(obligation, least_fifo_batch, least_writes_starved);
  const Symbolic::Num before = read.rank();
  read.dispatch(obligation, "");
  obligation.conclude(!read.stuck);
  obligation.conclude(read.served || read.rank() <= before - Symbolic::Num(1));
}

template <class Core>
void rank_not_negative(Obligation& obligation) {
  ExpiredRead<Core> read = any_expired_read<Core>(obligation, least_fifo_batch, least_writes_starved);
  read.dispatch(obligation, "");
  obligation.conclude(read.served || Symbolic::Num(0) <= read.rank());
}

template <class Core>
void invariant_kept(Obligation& obligation) {
  ExpiredRead<Core> read = any_expired_read<Core>(obligation, least_fifo_batch, least_writes_starved);
  read.dispatch(obligation, "");
  obligation.conclude(read.core.invariant() && Symbolic::Num(0) <= read.older);
}

template <class Core>
void merges_help(Obligation& obligation) {
  ExpiredRead<Core> read = any_expired_read<Core>(obligation, least_fifo_batch, least_writes_starved);
  const Symbolic::Num before = read.rank();
  obligation.assume(Symbolic::Num(0) < read.older);
  read.older = read.older - Symbolic::Num(1);
  obligation.conclude(read.rank() <= before);
}

template <class Core>
std::vector<Condition> conditions() {
  return {
      {"falls", "A dispatch serves the expired read or lowers its rank by at least 1.", rank_falls<Core>},
      {"not-negative", "The rank of a read that still waits is at least 0.", rank_not_negative<Core>},
      {"invariant", "A dispatch keeps the invariant that the other conditions assume.", invariant_kept<Core>},
      {"merges", "An older read that leaves the fifo by a merge does not raise the rank.", merges_help<Core>},
  };
}

}  // namespace

Theorem deadline_expired_rank() {
  Theorem theorem;
  theorem.name = "deadline.expired-rank";
  theorem.statement =
      "Each dispatch serves a waiting read that is past its deadline or lowers its rank, fifo_batch - batching + fifo_batch "
      "* "
      "older + fifo_batch * ((older + starved) / 2), which is never negative: the read waits for at most that many "
      "dispatches.";
  theorem.core = "DeadlineCore";
  theorem.abstraction =
      "The queues are arbitrary at every dispatch but for the watched read: it is in the fifo behind `older` reads, and the "
      "head of that fifo has expired. The tunables do not change. Of mq-deadline: one priority level, without aging.";
  theorem.flows = "any number of reads and writes, any number of older reads";
  theorem.symbolic = "fifo_batch >= 1, writes_starved >= 2";
  theorem.conditions = conditions<DeadlineCore<Symbolic>>();
  theorem.planted_bugs = {
      {"batch-never-ends", "A batch ignores fifo_batch.", conditions<BatchNeverEnds<Symbolic>>()},
      {"batch-not-counted", "A dispatch does not count towards fifo_batch.", conditions<BatchNotCounted<Symbolic>>()},
      {"expiry-ignored", "A new read batch does not look at the deadline.", conditions<ExpiryIgnored<Symbolic>>()},
      {"writes-first", "Writes go first whenever there are any.", conditions<WritesFirst<Symbolic>>()},
      {"starved-never-reset", "A write batch does not reset the count of passed-over writes.",
       conditions<StarvedNeverReset<Symbolic>>()},
  };
  return theorem;
}

}  // namespace elvcheck
