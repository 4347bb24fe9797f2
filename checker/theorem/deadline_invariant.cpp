// SPDX-License-Identifier: GPL-2.0-or-later
// deadline.invariant: the counters of DeadlineCore stay in their ranges, whatever the queues do. The induction hypothesis of
// the other theorems about this core.
//
// Nothing is assumed of the queues. A dispatch may also be refused after the choice, as mq-deadline's pass for aged requests
// does. What is left out: changing a tunable while the scheduler runs (the counters then fit the new value only after the
// next batch of that direction has started).
#include "checker/theorem/catalogue.hpp"
#include "checker/theorem/deadline_bugs.hpp"
#include "checker/theorem/deadline_watch.hpp"

namespace elvcheck {

namespace {

template <class Core>
void at_start(Obligation& obligation) {
  Core core;
  core.fifo_batch = Symbolic::variable("fifo_batch");
  core.writes_starved = Symbolic::variable("writes_starved");
  obligation.assume(Symbolic::Num(0) <= core.fifo_batch && Symbolic::Num(0) <= core.writes_starved);
  obligation.conclude(core.invariant());
}

template <class Core>
void after_a_step(Obligation& obligation) {
  Core core = any_deadline_state<Core>(obligation, 0, 0);
  const DeadlineQueueView<Symbolic> reads = any_queue("reads");
  const DeadlineQueueView<Symbolic> writes = any_queue("writes");
  const Symbolic::Bool dispatched = Symbolic::condition("dispatched");
  const DeadlineChoice<Symbolic> choice = core.choose(reads, writes);
  obligation.assume(!choice.none || !dispatched);
  core.commit(reads, writes, choice, dispatched);
  obligation.conclude(core.invariant());
}

template <class Core>
std::vector<Condition> conditions() {
  return {{"start", "The invariant holds of a new scheduler.", at_start<Core>},
          {"step", "A dispatch, done or refused, keeps the invariant.", after_a_step<Core>}};
}

}  // namespace

Theorem deadline_invariant() {
  Theorem theorem;
  theorem.name = "deadline.invariant";
  theorem.statement =
      "At rest the batch has counted at most max(1, fifo_batch) requests, and writes have been passed over at most "
      "writes_starved times.";
  theorem.core = "DeadlineCore";
  theorem.abstraction = "The queues are arbitrary at every dispatch. The tunables do not change.";
  theorem.flows = "any number of reads and writes";
  theorem.symbolic = "fifo_batch >= 0, writes_starved >= 0";
  theorem.conditions = conditions<DeadlineCore<Symbolic>>();
  theorem.planted_bugs = {
      {"batch-never-ends", "A batch ignores fifo_batch.", conditions<BatchNeverEnds<Symbolic>>()},
      {"batch-count-kept", "A new batch does not reset the batch counter.", conditions<BatchCountKept<Symbolic>>()},
      {"reads-first", "Waiting writes never get their turn while reads are pending.", conditions<ReadsFirst<Symbolic>>()},
  };
  return theorem;
}

}  // namespace elvcheck
