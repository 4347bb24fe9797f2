// SPDX-License-Identifier: GPL-2.0-or-later
// deadline.write-starvation: a waiting write sees at most writes_starved read batches start before a write batch does.
//
// The promise of Documentation/block/deadline-iosched.rst on writes_starved. `passed` counts the read batches that have
// started since the watched write came; the core's own counter is never behind it, since both count the same batches and
// only a write batch resets the core's. Nothing is assumed of the queues but that the write is in its fifo. The statement is
// about batches: which write the batch starts with is another matter (the oldest if it has expired).
#include "checker/theorem/catalogue.hpp"
#include "checker/theorem/deadline_bugs.hpp"
#include "checker/theorem/deadline_watch.hpp"

namespace elvcheck {

namespace {

template <class Core>
void count_is_covered(Obligation& obligation) {
  Core core = any_deadline_state<Core>(obligation, 0, 0);
  const Symbolic::Num passed = Symbolic::variable("passed");
  obligation.assume(Symbolic::Num(0) <= passed && passed <= core.starved,
                    "the counter covers the batches that passed the write");
  const DeadlineQueueView<Symbolic> reads = any_queue("reads");
  DeadlineQueueView<Symbolic> writes = any_queue("writes");
  writes.pending = true;

  const DeadlineChoice<Symbolic> choice = core.choose(reads, writes);
  core.commit(reads, writes, choice, true);

  const Symbolic::Bool starts = !choice.none && !choice.continues;
  const Symbolic::Num passed_now = Symbolic::select(starts && !choice.write, passed + Symbolic::Num(1), passed);
  obligation.conclude(!choice.none);
  obligation.conclude((starts && choice.write) || (passed_now <= core.starved && passed_now <= core.writes_starved));
}

template <class Core>
std::vector<Condition> conditions() {
  return {{"step",
           "A dispatch starts a write batch, or the read batches that passed the write are still covered by the counter and "
           "at most writes_starved.",
           count_is_covered<Core>}};
}

}  // namespace

Theorem deadline_write_starvation() {
  Theorem theorem;
  theorem.name = "deadline.write-starvation";
  theorem.statement = "While a write waits, at most writes_starved read batches start before a write batch starts.";
  theorem.core = "DeadlineCore";
  theorem.abstraction =
      "The queues are arbitrary at every dispatch but for the watched write, which is pending. The tunables do not change. "
      "Of "
      "mq-deadline: one priority level, without aging.";
  theorem.flows = "any number of reads and writes";
  theorem.symbolic = "fifo_batch >= 0, writes_starved >= 0";
  theorem.conditions = conditions<DeadlineCore<Symbolic>>();
  theorem.planted_bugs = {
      {"reads-first", "Waiting writes never get their turn while reads are pending.", conditions<ReadsFirst<Symbolic>>()},
      {"starved-not-counted", "Read batches that pass waiting writes are not counted.",
       conditions<StarvedNotCounted<Symbolic>>()},
  };
  return theorem;
}

}  // namespace elvcheck
