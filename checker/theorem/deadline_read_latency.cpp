// SPDX-License-Identifier: GPL-2.0-or-later
// deadline.read-latency: how long after its deadline a read may still wait, as time.
//
// deadline.expired-rank counts dispatches; here each of them takes a service time, any up to the longest one. `waited` is
// the time from the deadline to the next dispatch, and the ghost `allowed` is fixed when the read expires: one service for
// the command that is in the device at that moment, and one for each dispatch that the rank counts. The device takes one
// command at a time and is never left idle while requests wait. deadline_watch.hpp says what is abstracted of the queues.
//
// The ranks before and after a dispatch are given names of their own: the products of rank and service time are then
// products of two variables, which Z3 can deal with; with the ranks written out it cannot.
#include "checker/theorem/catalogue.hpp"
#include "checker/theorem/deadline_bugs.hpp"
#include "checker/theorem/deadline_watch.hpp"

namespace elvcheck {

namespace {

using Num = Symbolic::Num;

/// A read after its deadline; times in any unit.
template <class Core>
struct LateRead {
  explicit LateRead(Obligation& obligation)
      : read(any_expired_read<Core>(obligation, 1, 2)),
        longest_service(Symbolic::variable("longest_service")),
        waited(Symbolic::variable("waited")),
        allowed(Symbolic::variable("allowed")) {
    obligation.assume(Num(0) <= longest_service, "longest service >= 0");
  }

  /// The rank as a variable of that name.
  Num rank(Obligation& obligation, const std::string& name) const {
    const Num named = Symbolic::variable(name);
    obligation.assume(named == read.rank());
    return named;
  }

  ExpiredRead<Core> read;
  Num longest_service;
  Num waited;
  Num allowed;
};

template <class Core>
void at_the_deadline(Obligation& obligation) {
  LateRead<Core> late(obligation);
  const Num rank = late.rank(obligation, "rank");
  obligation.assume(Num(0) <= late.waited && late.waited <= late.longest_service, "at most one command was in the device");
  obligation.assume(late.allowed == late.longest_service * (rank + Num(1)));
  obligation.conclude(late.waited + late.longest_service * rank <= late.allowed);
}

template <class Core>
void after_a_dispatch(Obligation& obligation) {
  LateRead<Core> late(obligation);
  const Num service = Symbolic::variable("service");
  obligation.assume(Num(0) <= service && service <= late.longest_service, "service <= longest service");
  const Num before = late.rank(obligation, "rank_before");
  obligation.assume(late.waited + late.longest_service * before <= late.allowed);
  late.read.dispatch(obligation, "");
  const Num after = late.rank(obligation, "rank_after");
  obligation.conclude(late.read.served || late.waited + service + late.longest_service * after <= late.allowed);
}

template <class Core>
void at_its_dispatch(Obligation& obligation) {
  LateRead<Core> late(obligation);
  const Num rank = late.rank(obligation, "rank");
  obligation.assume(Num(0) <= rank, "deadline.expired-rank");
  obligation.assume(late.waited + late.longest_service * rank <= late.allowed);
  obligation.conclude(late.waited <= late.allowed);
}

template <class Core>
std::vector<Condition> conditions() {
  return {
      {"start", "When the deadline passes, the command in the device and the rank fit into what is allowed.",
       at_the_deadline<Core>},
      {"step", "A dispatch serves the read, or the time waited and the services that the rank counts still fit.",
       after_a_dispatch<Core>},
      {"end", "When the read is dispatched it has waited no longer than allowed.", at_its_dispatch<Core>},
  };
}

}  // namespace

Theorem deadline_read_latency() {
  Theorem theorem;
  theorem.name = "deadline.read-latency";
  theorem.statement =
      "A read is dispatched at most (rank + 1) times the longest service after its deadline, where rank is that of "
      "deadline.expired-rank at the deadline.";
  theorem.core = "DeadlineCore";
  theorem.abstraction =
      "As in deadline.expired-rank; besides, the device takes one command at a time, needs any time up to the longest "
      "service "
      "for each, and is not left idle while requests wait.";
  theorem.flows = "any number of reads and writes, any number of older reads";
  theorem.symbolic = "fifo_batch >= 1, writes_starved >= 2, longest service >= 0, the time of each service";
  theorem.conditions = conditions<DeadlineCore<Symbolic>>();
  theorem.planted_bugs = {
      {"expiry-ignored", "A new read batch does not look at the deadline.", conditions<ExpiryIgnored<Symbolic>>()},
      {"batch-not-counted", "A dispatch does not count towards fifo_batch.", conditions<BatchNotCounted<Symbolic>>()},
      {"writes-first", "Writes go first whenever there are any.", conditions<WritesFirst<Symbolic>>()},
  };
  return theorem;
}

}  // namespace elvcheck
