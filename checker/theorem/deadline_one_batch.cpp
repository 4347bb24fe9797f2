// SPDX-License-Identifier: GPL-2.0-or-later
// deadline.one-batch: "an expired read waits for at most one batch" is refuted, even for the oldest read.
//
// The claim is how read_expire is often understood (Documentation/block/deadline-iosched.rst: expiry is looked at when a
// batch ends). But the batch that ends may be followed by a write batch, if writes have been passed over writes_starved
// times. The claim is checked over all runs of a few requests from a new scheduler, with real queues (deadline_queue.hpp);
// the smallest run that breaks it becomes a case, which the property of the same name judges on the simulation. A dispatch
// counts only if the read was past its deadline at the dispatch before: a driver may have chosen one request ahead.
//
// Bounded: fifo_batch 2, a device that needs 10 ms for each request, one at a time, and is never idle. Arrivals lie half-way
// between two dispatches, so that no order of events at one instant matters.
#include <fmt/format.h>

#include <stdexcept>

#include "checker/theorem/catalogue.hpp"
#include "checker/theorem/deadline_bugs.hpp"
#include "checker/theorem/deadline_queue.hpp"
#include "checker/z3/domain.hpp"
#include "checker/z3/minimise.hpp"

namespace elvcheck {

namespace {

using Num = Symbolic::Num;
using Bool = Symbolic::Bool;

constexpr std::int64_t fifo_batch = 2;
constexpr std::int64_t writes_starved = 2;
constexpr std::int64_t write_expire_ms = 5000;
constexpr std::int64_t service_ms = 10;
constexpr std::size_t most_requests = 9;       ///< the search ends here
constexpr std::size_t smallest_violation = 7;  ///< requests in the smallest run that breaks the claim
constexpr std::int64_t sector_step = 1000;     ///< between neighbours: far more than a request, so nothing merges
constexpr SectorCount request_sectors = 8;

/// The unknowns of a run.
struct Unknowns {
  Num read_expire_ms;
  std::vector<Bool> write;
  std::vector<Num> slot;   ///< arrives half-way between dispatches number `slot` and `slot` + 1; the first request at 0
  std::vector<Num> place;  ///< rank of the sector
};

Num arrival_ms(const Unknowns& unknowns, std::size_t i) {
  return i == 0 ? Num(0) : unknowns.slot[i] * Num(service_ms) + Num(service_ms / 2);
}

Unknowns make_unknowns(std::size_t requests) {
  Unknowns unknowns;
  unknowns.read_expire_ms = Symbolic::variable("read_expire_ms");
  for (std::size_t i = 0; i < requests; ++i) {
    const std::string suffix = std::to_string(i);
    unknowns.write.push_back(Symbolic::condition("write" + suffix));
    unknowns.slot.push_back(i == 0 ? Num(0) : Symbolic::variable("slot" + suffix));
    unknowns.place.push_back(Symbolic::variable("place" + suffix));
  }
  return unknowns;
}

/// What makes the unknowns a run: order of arrival, a device that is never idle, different sectors, and a deadline that
/// leaves time for a dispatch.
void assume_run(Obligation& obligation, const Unknowns& unknowns) {
  const std::size_t requests = unknowns.write.size();
  obligation.assume(Num(service_ms) <= unknowns.read_expire_ms);
  for (std::size_t i = 1; i < requests; ++i) {
    obligation.assume(unknowns.slot[i - 1] <= unknowns.slot[i]);
    obligation.assume(unknowns.slot[i] < Num(i));
  }
  for (std::size_t i = 0; i < requests; ++i) {
    obligation.assume(Num(0) <= unknowns.place[i] && unknowns.place[i] < Num(requests));
    for (std::size_t j = 0; j < i; ++j) obligation.assume(unknowns.place[i] != unknowns.place[j]);
  }
}

/// No oldest read waits for more than fifo_batch dispatches after its deadline.
template <class Core>
void claim(Obligation& obligation, const Unknowns& unknowns) {
  assume_run(obligation, unknowns);
  std::vector<QueuedRequest<Symbolic>> requests;
  for (std::size_t i = 0; i < unknowns.write.size(); ++i) {
    requests.push_back({unknowns.write[i], unknowns.place[i], arrival_ms(unknowns, i)});
  }
  Core core;
  core.fifo_batch = Num(fifo_batch);
  core.writes_starved = Num(writes_starved);
  DeadlineRun<Symbolic, Core> run(core, requests, unknowns.read_expire_ms, Num(write_expire_ms), Num(service_ms));

  std::vector<Num> waited(run.size(), Num(0));
  std::vector<Bool> late(run.size(), Bool(false));            // past its deadline at the previous dispatch
  std::vector<Bool> behind_another(run.size(), Bool(false));  // while it was late, an older read waited
  for (std::size_t k = 0; k < run.size(); ++k) {
    const auto dispatch = run.step();
    Bool older_read(false);
    for (std::size_t i = 0; i < run.size(); ++i) {
      const Bool waits = !run.request(i).write && dispatch.waiting[i];
      behind_another[i] = behind_another[i] || (waits && late[i] && older_read);
      waited[i] = Symbolic::select(waits && late[i] && !dispatch.dispatched[i], waited[i] + Num(1), waited[i]);
      late[i] = waits && run.expired(i, dispatch.at);
      older_read = older_read || waits;
    }
  }
  for (std::size_t i = 0; i < run.size(); ++i) {
    obligation.conclude(behind_another[i] || waited[i] <= Num(fifo_batch));
  }
}

template <class Core>
std::vector<Condition> conditions() {
  return {{fmt::format("{}-requests", smallest_violation),
           fmt::format("In no run of {} requests does an expired read with no older read before it wait for more than "
                       "fifo_batch = {} dispatches.",
                       smallest_violation, fifo_batch),
           [](Obligation& obligation) { claim<Core>(obligation, make_unknowns(smallest_violation)); }}};
}

CaseFile as_case(std::size_t requests, std::int64_t read_expire_ms) {
  CaseFile result;
  result.property = "deadline.one-batch";
  result.expect_violated = true;
  result.note = fmt::format(
      "Found by elvcheck prove: the smallest run, {} requests, in which the oldest read is past its deadline and still "
      "waits "
      "for more than fifo_batch dispatches. A write batch comes between, since writes have been passed over twice.",
      requests);
  result.scenario.scheduler = "deadline-4.19";
  result.scenario.tunables = {{"read_expire", read_expire_ms},
                              {"write_expire", write_expire_ms},
                              {"writes_starved", writes_starved},
                              {"fifo_batch", fifo_batch}};
  result.scenario.device.preset = "flat";
  result.scenario.device.parameters = {{"service_ns", service_ms * 1'000'000}};
  result.scenario.block.hz = 1000;
  return result;
}

/// The requests as the program of one process that waits for none of them.
ProcessSpec as_process(z3::solver& solver, const Unknowns& unknowns) {
  ProcessSpec process;
  process.name = "submitter";
  std::vector<std::int64_t> slots, places;
  std::vector<bool> writes;
  for (const Num& slot : unknowns.slot) slots.push_back(minimise(solver, slot, 0));
  for (const Bool& write : unknowns.write) writes.push_back(minimise(solver, write));
  for (const Num& place : unknowns.place) places.push_back(minimise(solver, place, 0));
  std::int64_t now_ms = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::int64_t at_ms = i == 0 ? 0 : slots[i] * service_ms + service_ms / 2;
    if (at_ms != now_ms) {
      ProcessOp sleep;
      sleep.kind = ProcessOp::Kind::at;
      sleep.time = std::chrono::milliseconds(at_ms);
      process.ops.push_back(sleep);
      now_ms = at_ms;
    }
    ProcessOp io;
    io.op = writes[i] ? Op::write : Op::read;
    io.nowait = true;
    io.sector = static_cast<Sector>(places[i] * sector_step);
    io.sectors = request_sectors;
    process.ops.push_back(io);
  }
  return process;
}

/// Fewest requests first, then the smallest numbers.
CaseFile smallest_counterexample() {
  for (std::size_t requests = 2; requests <= most_requests; ++requests) {
    SymbolicScope scope;
    const Unknowns unknowns = make_unknowns(requests);
    Obligation obligation;
    claim<DeadlineCore<Symbolic>>(obligation, unknowns);
    z3::solver solver(scope.context(), z3::solver::simple());
    for (const Hypothesis& hypothesis : obligation.hypotheses()) solver.add(hypothesis.condition.term());
    solver.add((!obligation.goal()).term());
    if (solver.check() != z3::sat) continue;
    CaseFile result = as_case(requests, minimise(solver, unknowns.read_expire_ms, 1));
    result.scenario.processes.push_back(as_process(solver, unknowns));
    return result;
  }
  throw std::runtime_error(fmt::format("no run of up to {} requests breaks the claim", most_requests));
}

}  // namespace

Theorem deadline_one_batch() {
  Theorem theorem;
  theorem.name = "deadline.one-batch";
  theorem.statement =
      "A read that is past its deadline, with no older read before it, waits for at most one batch: fifo_batch dispatches.";
  theorem.core = "DeadlineCore";
  theorem.abstraction =
      "The queues are those of the scheduler, without merges. The device takes one request at a time, needs 10 ms for each "
      "and "
      "is never idle.";
  theorem.flows = fmt::format("{} requests of free direction, place and arrival", smallest_violation);
  theorem.symbolic = "read_expire >= 10 ms; fifo_batch and writes_starved are 2";
  theorem.method = Method::bounded;
  theorem.expectation = Expectation::refuted;
  theorem.conditions = conditions<DeadlineCore<Symbolic>>();
  theorem.planted_bugs = {{"expiry-ends-batch",
                           "A repair: the deadline is looked at before every dispatch. The claim then holds.",
                           conditions<ExpiryEndsBatch<Symbolic>>()}};
  theorem.counterexample = smallest_counterexample;
  return theorem;
}

}  // namespace elvcheck
