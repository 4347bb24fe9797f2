// SPDX-License-Identifier: GPL-2.0-or-later
// deadline.tight: the bound of deadline.expired-rank is attained, so no smaller one of that form would do.
//
// Bounded: the core starts as new, dispatches twice (two read batches that pass waiting writes), and then a read expires
// behind `older` reads. Some behaviour of the queues makes the read wait for exactly as many dispatches as its rank says at
// that moment, and the rank at that moment is the largest that a running core can have: one request of the batch is gone,
// and the limit writes_starved = 2 is reached.
#include <array>

#include "checker/theorem/catalogue.hpp"
#include "checker/theorem/deadline_bugs.hpp"
#include "checker/theorem/deadline_watch.hpp"

namespace elvcheck {

namespace {

constexpr std::int64_t writes_starved = 2;

struct Size {
  std::int64_t fifo_batch;
  std::int64_t older;
};
constexpr std::array<Size, 9> sizes{{{1, 0}, {1, 2}, {2, 0}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {16, 0}, {16, 1}}};

/// The rank of a read with `older` before it when one request of the batch is gone and writes have been passed over twice.
std::int64_t largest_rank(Size size) {
  DeadlineCore<Concrete> core{size.fifo_batch, writes_starved};
  core.batching = 1;
  core.starved = writes_starved;
  return core.expired_rank(size.older);
}

template <class Core>
void waits_as_long_as_the_rank(Obligation& obligation, Size size) {
  ExpiredRead<Core> read;
  read.core.fifo_batch = Symbolic::Num(size.fifo_batch);
  read.core.writes_starved = Symbolic::Num(writes_starved);
  read.older = Symbolic::Num(size.older);
  for (const char* prefix : {"before1.", "before2."}) {
    const DeadlineQueueView<Symbolic> reads = any_queue(std::string(prefix) + "reads");
    const DeadlineQueueView<Symbolic> writes = any_queue(std::string(prefix) + "writes");
    const DeadlineChoice<Symbolic> choice = read.core.choose(reads, writes);
    read.core.commit(reads, writes, choice, !choice.none);
  }
  obligation.conclude(read.rank() == Symbolic::Num(largest_rank(size)));
  for (std::int64_t k = 0; k < largest_rank(size); ++k) read.dispatch(obligation, "dispatch" + std::to_string(k + 1) + ".");
  obligation.conclude(!read.served);
}

template <class Core>
std::vector<Condition> conditions() {
  std::vector<Condition> all;
  for (const Size& size : sizes) {
    const std::string batch = std::to_string(size.fifo_batch);
    const std::string older = std::to_string(size.older);
    all.push_back({"batch" + batch + ".older" + older,
                   "With fifo_batch " + batch + " and " + older + " older reads some expired read waits for " +
                       std::to_string(largest_rank(size)) + " dispatches, its rank.",
                   [size](Obligation& obligation) { waits_as_long_as_the_rank<Core>(obligation, size); },
                   Question::sometimes});
  }
  return all;
}

}  // namespace

Theorem deadline_tight() {
  Theorem theorem;
  theorem.name = "deadline.tight";
  theorem.statement = "Some expired read waits for exactly as many dispatches as deadline.expired-rank allows.";
  theorem.core = "DeadlineCore";
  theorem.abstraction =
      "The scheduler starts as new; the queues are free at every dispatch but for the watched read, which expires after two "
      "dispatches. deadline.one-batch shows such a wait with real queues.";
  theorem.flows = "any number of reads and writes, up to 2 older reads";
  theorem.symbolic = "answers of the queues; fifo_batch is 1, 2, 4 or 16, writes_starved is 2";
  theorem.method = Method::bounded;
  theorem.conditions = conditions<DeadlineCore<Symbolic>>();
  theorem.planted_bugs = {
      {"expiry-ends-batch", "The deadline is looked at before every dispatch: expired reads wait less.",
       conditions<ExpiryEndsBatch<Symbolic>>()},
      {"starved-not-counted", "Read batches that pass waiting writes are not counted.",
       conditions<StarvedNotCounted<Symbolic>>()},
  };
  return theorem;
}

}  // namespace elvcheck
