// SPDX-License-Identifier: GPL-2.0-or-later
// mq-deadline.aging, mq-deadline.priority: what the three priority classes of mq-deadline promise each other.
//
// Both are about one call of dd_dispatch_request() in any state: the aging pass over best-effort and idle, then the ordinary
// pass from real-time on. MqDeadlinePrioCore says whether there is an aging pass, whether a choice is refused, and whether
// the ordinary pass goes on; DeadlineCore makes the choice inside a class. What is abstracted: the queues of a class may
// hold anything, and the counters of DeadlineCore (which the classes share) may be anything at each attempt, so that what a
// refused attempt leaves behind is covered. Left out: requests inserted at the head, which go first.
//
// The aging theorem speaks of a request that is alone in its class. With others in the class it may be passed by younger
// ones as long as a batch goes on, which is the case file mq-deadline-aging-blocked.
#include <array>

#include "checker/theorem/catalogue.hpp"
#include "checker/theorem/deadline_watch.hpp"
#include "model/scheduler/mq_deadline_core.hpp"

namespace elvcheck {

namespace {

using Num = Symbolic::Num;
using Bool = Symbolic::Bool;
using PrioCore = MqDeadlinePrioCore<Symbolic>;

/// No aging pass.
struct AgingNever : PrioCore {
  static Bool aging_pass(const std::array<Bool, dd_prio_count>&) { return false; }
};
/// The aging pass takes young requests too.
struct NothingRefused : PrioCore {
  static Bool refused(const Num&, const Num&) { return false; }
};
/// The aging pass refuses a request that is exactly old enough.
struct AgedRefused : PrioCore {
  static Bool refused(const Num& start, const Num& latest) { return latest <= start; }
};
/// The ordinary pass goes on although the class has requests at the device.
struct OwnersForgotten : PrioCore {
  static Bool passes_on(const Bool& dispatched, const Bool&) { return !dispatched; }
};

/// One call of dd_dispatch_request() in a state of which only this is known: what a queue holds is owned.
template <class Prio>
class DispatchCall {
 public:
  /// @param watched a class in which exactly one request waits, an aged one; dd_prio_count: none
  DispatchCall(Obligation& obligation, std::size_t watched)
      : watched_(watched),
        now_(Symbolic::variable("now")),
        aged_from_(now_ - Symbolic::variable("prio_aging_expire")),
        watched_start_(Symbolic::variable("watched.start")) {
    obligation.assume(Num(0) <= Symbolic::variable("prio_aging_expire"), "prio_aging_expire >= 0");
    obligation.assume(watched_start_ <= aged_from_, "the watched request is aged");
    for (std::size_t prio = 0; prio < dd_prio_count; ++prio) {
      owned.at(prio) = Symbolic::condition("owned" + std::to_string(prio));
    }
    if (watched < dd_prio_count) obligation.assume(owned.at(watched));
    const Bool aging = Prio::aging_pass(owned);
    for (std::size_t prio = 1; prio < dd_prio_count; ++prio) attempt(obligation, prio, aging, aged_from_, "aging.");
    Bool reached = true;
    for (std::size_t prio = 0; prio < dd_prio_count; ++prio) {
      reached = reached && !dispatched;
      const Bool before = dispatched;
      attempt(obligation, prio, reached, now_, "ordinary.");
      reached = reached && Prio::passes_on(dispatched && !before, owned.at(prio));
    }
  }

  std::array<Bool, dd_prio_count> owned;  ///< inserted and not finished
  Bool dispatched = false;
  Bool dispatched_aged = true;  ///< the dispatched request is older than prio_aging_expire
  Num dispatched_class{0};

 private:
  /// dispatch_from(): the class's choice, unless it is younger than `latest`.
  void attempt(Obligation& obligation, std::size_t prio, const Bool& made, const Num& latest, const std::string& pass) {
    const std::string prefix = pass + std::to_string(prio) + ".";
    DeadlineCore<Symbolic> core = counters(obligation, prefix);
    DeadlineQueueView<Symbolic> reads = any_queue(prefix + "reads");
    DeadlineQueueView<Symbolic> writes = any_queue(prefix + "writes");
    if (prio == watched_) {
      const Bool write = Symbolic::condition("watched.write");
      reads.pending = !write;
      writes.pending = write;
    }
    // next_rq is a request that waits.
    obligation.assume((!reads.next || reads.pending) && (!writes.next || writes.pending));
    obligation.assume(!(reads.pending || writes.pending) || owned.at(prio));
    const DeadlineChoice<Symbolic> choice = core.choose(reads, writes);
    const Num start = prio == watched_ ? watched_start_ : Symbolic::variable(prefix + "start");
    obligation.assume(start <= now_);
    const Bool done = made && !dispatched && !choice.none && !Prio::refused(start, latest);
    dispatched_aged = Symbolic::select(done, start <= aged_from_, dispatched_aged);
    dispatched_class = Symbolic::select(done, Num(prio), dispatched_class);
    dispatched = dispatched || done;
  }

  static DeadlineCore<Symbolic> counters(Obligation& obligation, const std::string& prefix) {
    DeadlineCore<Symbolic> core;
    core.fifo_batch = Symbolic::variable("fifo_batch");
    core.writes_starved = Symbolic::variable("writes_starved");
    core.batching = Symbolic::variable(prefix + "batching");
    core.starved = Symbolic::variable(prefix + "starved");
    core.last_write = Symbolic::condition(prefix + "last_write");
    obligation.assume(Num(0) <= core.fifo_batch && Num(0) <= core.writes_starved);
    obligation.assume(core.invariant());
    return core;
  }

  std::size_t watched_;
  Num now_;
  Num aged_from_;  ///< a request that was inserted then or earlier is aged
  Num watched_start_;
};

template <class Prio>
std::vector<Condition> aging_conditions() {
  std::vector<Condition> all;
  for (std::size_t prio = 1; prio < dd_prio_count; ++prio) {
    all.push_back({prio == 1 ? "best-effort" : "idle",
                   "With an aged request alone in this class, the call dispatches an aged request.",
                   [prio](Obligation& obligation) {
                     const DispatchCall<Prio> call(obligation, prio);
                     obligation.conclude(call.dispatched && call.dispatched_aged);
                   }});
  }
  return all;
}

template <class Prio>
std::vector<Condition> priority_conditions() {
  return {{"order", "A dispatched request is aged, or no higher class owns a request.", [](Obligation& obligation) {
             const DispatchCall<Prio> call(obligation, dd_prio_count);
             for (std::size_t higher = 0; higher < dd_prio_count; ++higher) {
               const Bool lower_dispatched = call.dispatched && Num(higher) < call.dispatched_class;
               obligation.conclude(!lower_dispatched || call.dispatched_aged || !call.owned.at(higher));
             }
           }}};
}

Theorem priority_theorem(const char* name, const char* statement) {
  Theorem theorem;
  theorem.name = name;
  theorem.statement = statement;
  theorem.core = "MqDeadlinePrioCore, DeadlineCore";
  theorem.abstraction =
      "The queues and the counters are arbitrary at every attempt; a queued request is owned. No requests inserted at the "
      "head. Times "
      "are ticks on one axis.";
  theorem.flows = "any number of requests in three classes";
  theorem.symbolic = "prio_aging_expire >= 0, fifo_batch >= 0, writes_starved >= 0, insertion times";
  theorem.method = Method::direct;
  return theorem;
}

}  // namespace

Theorem mq_deadline_aging() {
  Theorem theorem =
      priority_theorem("mq-deadline.aging",
                       "While a request that is older than prio_aging_expire waits alone in the best-effort or idle class, "
                       "every dispatch is of a request as old: no younger one passes it, of whatever class.");
  theorem.conditions = aging_conditions<PrioCore>();
  theorem.planted_bugs = {
      {"aging-never", "There is no aging pass.", aging_conditions<AgingNever>()},
      {"nothing-refused", "The aging pass takes young requests.", aging_conditions<NothingRefused>()},
      {"aged-refused", "The aging pass refuses a request that is exactly old enough.", aging_conditions<AgedRefused>()},
  };
  return theorem;
}

Theorem mq_deadline_priority() {
  Theorem theorem =
      priority_theorem("mq-deadline.priority",
                       "A request that is not older than prio_aging_expire is dispatched only if no higher class has a "
                       "request, waiting or at the device.");
  theorem.conditions = priority_conditions<PrioCore>();
  theorem.planted_bugs = {
      {"owners-forgotten", "Requests at the device do not hold back lower classes.", priority_conditions<OwnersForgotten>()},
      {"nothing-refused", "The aging pass takes young requests.", priority_conditions<NothingRefused>()},
  };
  return theorem;
}

}  // namespace elvcheck
