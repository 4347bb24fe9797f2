// SPDX-License-Identifier: GPL-2.0-or-later
// cfq.rt-starves-be: "a best-effort read waits for at most one slot of every process" is refuted.
//
// Two processes: a real-time one with N reads queued at once, a best-effort one with one read. ClassCore says whose turn it
// is before every dispatch, SliceCore how long a slot is. The smallest N that breaks the claim becomes a case, which the
// property of the same name judges on the simulation. The starvation without end is what `elvcheck explore --scheduler
// cfq-4.19` finds in the graph of states.
//
// Bounded: a device that needs 10 ms for each request, one at a time, the default slices, and at most 60 reads. Left out:
// what a slot's end and idling would add; within one class nothing else competes.
#include <fmt/format.h>

#include <stdexcept>

#include "checker/theorem/catalogue.hpp"
#include "checker/z3/minimise.hpp"
#include "model/scheduler/cfq/class_core.hpp"
#include "model/scheduler/cfq/slice_core.hpp"

namespace elvcheck {

namespace {

using Num = Symbolic::Num;
using Bool = Symbolic::Bool;
using Classes = cfq::ClassCore<Symbolic>;

constexpr std::int64_t slice_sync_ms = 100;
constexpr std::int64_t slice_idle_ms = 8;
constexpr std::int64_t service_ms = 10;
constexpr std::int64_t most_reads = 60;
constexpr std::int64_t head_start_ms = 1;  ///< the best-effort read comes that much later

/// A repair: the best-effort class goes first.
struct BestEffortFirst : Classes {
  static Num served(const Bool& real_time_busy, const Bool& best_effort_busy) {
    return Symbolic::select(best_effort_busy, Num(0), Classes::served(real_time_busy, best_effort_busy));
  }
};

/// One slot of each of the two processes, in ms.
std::int64_t slots_ms() {
  cfq::SliceCore<Concrete> core{};
  core.slice_sync = slice_sync_ms;
  return 2 * (core.slice(true, 0) + slice_idle_ms + service_ms);
}

Num reads() { return Symbolic::variable("real-time-reads"); }

template <class Core>
void claim(Obligation& obligation) {
  obligation.assume(Num(1) <= reads() && reads() <= Num(most_reads), "1 to 60 real-time reads");
  Num waited = Num(0) - Num(head_start_ms);
  Bool waits = true;
  for (std::int64_t done = 0; done < most_reads; ++done) {
    const Num served = Core::served(Num(done) < reads(), waits);
    // The first read is in the device before the other one comes.
    const Bool passes = done == 0 ? Bool(true) : served == Num(1);
    waits = waits && passes;
    waited = Symbolic::select(waits, waited + Num(service_ms), waited);
  }
  obligation.conclude(waited <= Num(slots_ms()));
}

template <class Core>
std::vector<Condition> conditions() {
  return {{"wait", "The best-effort read is dispatched within one slot of both processes.", claim<Core>}};
}

CaseFile smallest_counterexample() {
  SymbolicScope scope;
  Obligation obligation;
  claim<Classes>(obligation);
  z3::solver solver(scope.context(), z3::solver::simple());
  for (const Hypothesis& hypothesis : obligation.hypotheses()) solver.add(hypothesis.condition.term());
  solver.add((!obligation.goal()).term());
  if (solver.check() != z3::sat) throw std::runtime_error(fmt::format("no {} real-time reads break the claim", most_reads));
  const std::int64_t needed = minimise(solver, reads(), 1);

  CaseFile result;
  result.property = "cfq.rt-starves-be";
  result.expect_violated = true;
  result.note = fmt::format(
      "Found by elvcheck prove: {} real-time reads are the fewest that keep a best-effort read waiting for longer "
      "than one slot of both processes.",
      needed);
  Scenario& scenario = result.scenario;
  scenario.scheduler = "cfq-4.19";
  scenario.tunables = {{"slice_sync", slice_sync_ms}, {"slice_idle", slice_idle_ms}};
  scenario.device.preset = "flat";
  scenario.device.parameters = {{"service_ns", service_ms * 1'000'000}};
  ProcessOp many;
  many.sector = 1000;
  many.count = static_cast<std::uint32_t>(needed);
  many.stride = 1000;
  many.depth = many.count;
  ProcessOp later;
  later.kind = ProcessOp::Kind::at;
  later.time = std::chrono::milliseconds(head_start_ms);
  ProcessOp one;
  one.sector = 500'000;
  scenario.processes = {{"real-time", {IoClass::rt, 4}, {many}}, {"best-effort", {IoClass::be, 4}, {later, one}}};
  return result;
}

}  // namespace

Theorem cfq_rt_starves_be() {
  Theorem theorem;
  theorem.name = "cfq.rt-starves-be";
  theorem.statement = "A best-effort read waits for at most one slot of every process.";
  theorem.core = "cfq::ClassCore, cfq::SliceCore";
  theorem.abstraction =
      "One group. All real-time reads are queued before the best-effort one; the device takes one request at a time.";
  theorem.flows = "a real-time and a best-effort process";
  theorem.symbolic = "1 to 60 real-time reads; service 10 ms, slice_sync 100 ms, slice_idle 8 ms";
  theorem.method = Method::bounded;
  theorem.expectation = Expectation::refuted;
  theorem.conditions = conditions<Classes>();
  theorem.planted_bugs = {{"best-effort-first", "A repair: the best-effort class goes first. The claim then holds.",
                           conditions<BestEffortFirst>()}};
  theorem.counterexample = smallest_counterexample;
  return theorem;
}

}  // namespace elvcheck
