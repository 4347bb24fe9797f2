// SPDX-License-Identifier: GPL-2.0-or-later
// The core over Z3 terms against the core over integers, and the theorems about it against an explicit search that knows
// nothing of Z3.
#include "model/scheduler/deadline_core.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "checker/theorem/deadline_bugs.hpp"
#include "checker/z3/domain.hpp"

namespace elvcheck {
namespace {

template <class D>
DeadlineQueueView<D> view_of(unsigned bits) {
  using Bool = typename D::Bool;
  return {Bool((bits & 1) != 0), Bool((bits & 2) != 0), Bool((bits & 4) != 0)};
}

struct Ground {
  std::int64_t fifo_batch, writes_starved, batching, starved, older;
  bool last_write, dispatched;
  unsigned reads, writes;
};

/// Everything that the core says and does, as numbers.
struct Observed {
  std::array<bool, 4> choice;
  std::int64_t batching, starved, rank;
  bool last_write, invariant;
  friend bool operator==(const Observed&, const Observed&) = default;
};

template <class Core>
Observed run_concrete(const Ground& ground) {
  Core core;
  core.fifo_batch = ground.fifo_batch;
  core.writes_starved = ground.writes_starved;
  core.batching = ground.batching;
  core.starved = ground.starved;
  core.last_write = ground.last_write;
  const auto reads = view_of<Concrete>(ground.reads), writes = view_of<Concrete>(ground.writes);
  const DeadlineChoice<Concrete> choice = core.choose(reads, writes);
  core.commit(reads, writes, choice, ground.dispatched);
  return {{choice.none, choice.write, choice.from_fifo, choice.continues},
          core.batching,
          core.starved,
          core.expired_rank(ground.older),
          core.last_write,
          core.invariant()};
}

/// With `variables` the values reach the core as Z3 variables that are fixed in the solver; otherwise as constants, which
/// must fold to constants.
template <class Core>
Observed run_symbolic(const Ground& ground, bool variables) {
  using Num = Symbolic::Num;
  using Bool = Symbolic::Bool;
  SymbolicScope scope;
  z3::solver solver(scope.context());
  const auto number = [&](const char* name, std::int64_t value) {
    if (!variables) return Num(value);
    const Num variable = Symbolic::variable(name);
    solver.add((variable == Num(value)).term());
    return variable;
  };
  const auto truth = [&](const std::string& name, bool value) {
    if (!variables) return Bool(value);
    const Bool variable = Symbolic::condition(name);
    solver.add((variable == Bool(value)).term());
    return variable;
  };
  const auto view = [&](const std::string& name, unsigned bits) {
    return DeadlineQueueView<Symbolic>{truth(name + ".pending", (bits & 1) != 0), truth(name + ".next", (bits & 2) != 0),
                                       truth(name + ".expired", (bits & 4) != 0)};
  };
  Core core;
  core.fifo_batch = number("fifo_batch", ground.fifo_batch);
  core.writes_starved = number("writes_starved", ground.writes_starved);
  core.batching = number("batching", ground.batching);
  core.starved = number("starved", ground.starved);
  core.last_write = truth("last_write", ground.last_write);
  const auto reads = view("reads", ground.reads), writes = view("writes", ground.writes);
  const DeadlineChoice<Symbolic> choice = core.choose(reads, writes);
  core.commit(reads, writes, choice, truth("dispatched", ground.dispatched));
  const Num rank = core.expired_rank(number("older", ground.older));
  const Bool invariant = core.invariant();
  if (!variables) {
    return {{choice.none.constant().value(), choice.write.constant().value(), choice.from_fifo.constant().value(),
             choice.continues.constant().value()},
            core.batching.constant().value(),
            core.starved.constant().value(),
            rank.constant().value(),
            core.last_write.constant().value(),
            invariant.constant().value()};
  }
  RC_ASSERT(solver.check() == z3::sat);
  const z3::model model = solver.get_model();
  const auto num = [&](const Num& n) { return model.eval(n.term(), true).get_numeral_int64(); };
  const auto is = [&](const Bool& b) { return model.eval(b.term(), true).is_true(); };
  return {{is(choice.none), is(choice.write), is(choice.from_fifo), is(choice.continues)},
          num(core.batching),
          num(core.starved),
          num(rank),
          is(core.last_write),
          is(invariant)};
}

Ground arbitrary_ground() {
  return {*rc::gen::inRange<std::int64_t>(0, 20),
          *rc::gen::inRange<std::int64_t>(0, 5),
          *rc::gen::inRange<std::int64_t>(0, 20),
          *rc::gen::inRange<std::int64_t>(0, 5),
          *rc::gen::inRange<std::int64_t>(0, 9),
          *rc::gen::arbitrary<bool>(),
          *rc::gen::arbitrary<bool>(),
          *rc::gen::inRange(0U, 8U),
          *rc::gen::inRange(0U, 8U)};
}

RC_GTEST_PROP(DeadlineCoreDomains, ConstantsFoldToWhatTheSimulationComputes, ()) {
  const Ground ground = arbitrary_ground();
  RC_ASSERT(run_symbolic<DeadlineCore<Symbolic>>(ground, false) == run_concrete<DeadlineCore<Concrete>>(ground));
  RC_ASSERT(run_symbolic<StarvedNeverReset<Symbolic>>(ground, false) == run_concrete<StarvedNeverReset<Concrete>>(ground));
}

RC_GTEST_PROP(DeadlineCoreDomains, TermsMeanWhatTheSimulationComputes, ()) {
  const Ground ground = arbitrary_ground();
  RC_ASSERT(run_symbolic<DeadlineCore<Symbolic>>(ground, true) == run_concrete<DeadlineCore<Concrete>>(ground));
  RC_ASSERT(run_symbolic<BatchNeverEnds<Symbolic>>(ground, true) == run_concrete<BatchNeverEnds<Concrete>>(ground));
}

/// The longest wait of an expired read, counted in dispatches of other requests, over everything that the queues may do.
template <class Core>
class LongestWait {
 public:
  LongestWait(std::int64_t fifo_batch, std::int64_t writes_starved) {
    core_.fifo_batch = fifo_batch;
    core_.writes_starved = writes_starved;
  }

  /// Stops counting at `enough`.
  std::int64_t from(std::int64_t batching, std::int64_t starved, bool last_write, std::int64_t older, std::int64_t enough) {
    if (enough <= 0) return 0;
    const auto key = std::make_tuple(batching, starved, last_write, older, enough);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    std::int64_t longest = 0;
    for (unsigned writes = 0; writes < 8; ++writes) {
      for (const Next next : {Next::none, Next::newer, Next::older, Next::watched}) {
        if (next == Next::older && older == 0) continue;
        Core core = core_;
        core.batching = batching;
        core.starved = starved;
        core.last_write = last_write;
        const DeadlineQueueView<Concrete> read_view{true, next != Next::none, true};
        const DeadlineQueueView<Concrete> write_view = view_of<Concrete>(writes);
        const DeadlineChoice<Concrete> choice = core.choose(read_view, write_view);
        core.commit(read_view, write_view, choice, true);
        std::int64_t still_older = older;
        if (!choice.write) {
          const bool watched = choice.from_fifo ? older == 0 : next == Next::watched;
          if (watched) continue;  // served: this way adds nothing
          if (choice.from_fifo || next == Next::older) --still_older;
        }
        longest = std::max(longest, 1 + from(core.batching, core.starved, core.last_write, still_older, enough - 1));
      }
    }
    return known_[key] = longest;
  }

 private:
  enum class Next { none, newer, older, watched };
  Core core_;
  std::map<std::tuple<std::int64_t, std::int64_t, bool, std::int64_t, std::int64_t>, std::int64_t> known_;
};

std::int64_t rank_of(std::int64_t fifo_batch, std::int64_t writes_starved, std::int64_t batching, std::int64_t starved,
                     std::int64_t older) {
  DeadlineCore<Concrete> core;
  core.fifo_batch = fifo_batch;
  core.writes_starved = writes_starved;
  core.batching = batching;
  core.starved = starved;
  return core.expired_rank(older);
}

TEST(DeadlineRankBruteForce, WithTwoStarvedBatchesTheRankIsTheLongestWaitInEveryState) {
  for (std::int64_t fifo_batch = 1; fifo_batch <= 4; ++fifo_batch) {
    LongestWait<DeadlineCore<Concrete>> longest(fifo_batch, 2);
    for (std::int64_t batching = 0; batching <= fifo_batch; ++batching) {
      for (std::int64_t starved = 0; starved <= 2; ++starved) {
        for (std::int64_t older = 0; older <= 4; ++older) {
          for (const bool last_write : {false, true}) {
            const std::int64_t rank = rank_of(fifo_batch, 2, batching, starved, older);
            EXPECT_EQ(longest.from(batching, starved, last_write, older, rank + 2), rank)
                << "fifo_batch " << fifo_batch << " batching " << batching << " starved " << starved << " older " << older;
          }
        }
      }
    }
  }
}

TEST(DeadlineRankBruteForce, WithMoreStarvedBatchesTheRankIsStillABound) {
  for (std::int64_t writes_starved = 3; writes_starved <= 5; ++writes_starved) {
    LongestWait<DeadlineCore<Concrete>> longest(3, writes_starved);
    for (std::int64_t batching = 0; batching <= 3; ++batching) {
      for (std::int64_t starved = 0; starved <= writes_starved; ++starved) {
        for (std::int64_t older = 0; older <= 4; ++older) {
          const std::int64_t rank = rank_of(3, writes_starved, batching, starved, older);
          EXPECT_LE(longest.from(batching, starved, false, older, rank + 2), rank);
        }
      }
    }
  }
}

// The hypotheses of deadline.expired-rank are sharp: outside them the rank is no bound.
TEST(DeadlineRankBruteForce, OutsideTheHypothesesTheRankIsExceeded) {
  EXPECT_GT(LongestWait<DeadlineCore<Concrete>>(2, 1).from(1, 1, false, 2, 50), rank_of(2, 1, 1, 1, 2));
  EXPECT_GT(LongestWait<DeadlineCore<Concrete>>(0, 2).from(1, 2, false, 1, 50), rank_of(0, 2, 1, 2, 1));
}

// fifo_batch 16, writes_starved 2 (the kernel's defaults), the oldest read, one request of the batch gone, writes passed
// over twice: the 15 requests that are left of the batch and 16 writes. By hand: 31.
TEST(DeadlineRankBruteForce, TheDefaultsByHand) {
  EXPECT_EQ(rank_of(16, 2, 1, 2, 0), 31);
  EXPECT_EQ(LongestWait<DeadlineCore<Concrete>>(16, 2).from(1, 2, false, 0, 40), 31);
}

TEST(DeadlineRankBruteForce, ThePlantedBugsMakeReadsWaitLonger) {
  constexpr std::int64_t enough = 60;
  const std::int64_t rank = rank_of(3, 2, 1, 1, 2);
  EXPECT_EQ(LongestWait<DeadlineCore<Concrete>>(3, 2).from(1, 1, false, 2, enough), rank);
  EXPECT_EQ(LongestWait<BatchNeverEnds<Concrete>>(3, 2).from(1, 1, false, 2, enough), enough);
  EXPECT_EQ(LongestWait<BatchNotCounted<Concrete>>(3, 2).from(1, 1, false, 2, enough), enough);
  EXPECT_EQ(LongestWait<ExpiryIgnored<Concrete>>(3, 2).from(1, 1, false, 2, enough), enough);
  EXPECT_EQ(LongestWait<WritesFirst<Concrete>>(3, 2).from(1, 1, false, 2, enough), enough);
  EXPECT_EQ(LongestWait<StarvedNeverReset<Concrete>>(3, 2).from(1, 1, false, 2, enough), enough);
}

}  // namespace
}  // namespace elvcheck
