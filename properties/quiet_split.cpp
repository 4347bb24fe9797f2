// SPDX-License-Identifier: GPL-2.0-or-later
// metamorphic.quiet-split: a run that is split at a quiet instant is two runs.
//
// The scenario runs, everything ends, and at a later whole second all its processes come again, as new ones. Split at the
// quiet time between, the second half must be the first one again. It holds for noop and deadline: with nothing queued there
// is no next request, so no batch to go on, and a write has been the last to count for writes_starved. It does not hold
// under blk-mq, whose queue keeps an average of how busy the driver was and where it found the last free tag
// (hctx->dispatch_busy, sbitmap's alloc_hint). It holds on `flat` only: other devices remember the arm's place, what is
// cached or what is written. Left out are a driver that refuses every n-th request, which counts through both halves, and
// two things of 2.6.35: what a barrier drains from noop is sorted around the place where the last request ended
// (q->end_sector), and deadline goes on with the count of its last batch when an equal sector pushes a request out.
#include <fmt/format.h>

#include <algorithm>

#include "properties/definitions.hpp"
#include "properties/observation.hpp"

namespace elvcheck::property {

namespace {

/// Longer than anything that is put off: flushes wait up to 5 s.
constexpr Nanoseconds quiet = 10s;

bool has_barrier(const Scenario& scenario) {
  const auto is_barrier = [](const ProcessOp& op) {
    return op.kind == ProcessOp::Kind::fsync || (op.kind == ProcessOp::Kind::io && op_is_flush(op.op, op.flags));
  };
  return std::any_of(scenario.processes.begin(), scenario.processes.end(), [&](const ProcessSpec& process) {
    return std::any_of(process.ops.begin(), process.ops.end(), is_barrier);
  });
}

std::optional<Violation> twice_in_a_row(PlainRun& run) {
  const Scenario& scenario = run.scenario();
  if (scenario.block.refuse_every != 0 || !scenario.workload.name.empty()) return std::nullopt;
  if (find_scheduler(scenario.scheduler)->flavour == BlockFlavour::single_queue_2_6_35 && has_barrier(scenario))
    return std::nullopt;
  const RunResult& result = run.result();
  if (result.stopped_at_limit || result.requests_left != 0 || !result.stuck_process.empty()) return std::nullopt;
  const Nanoseconds again = std::chrono::ceil<std::chrono::seconds>(result.end + quiet);

  Scenario both = scenario;
  both.limit = Nanoseconds::max();
  const auto count = static_cast<std::uint32_t>(scenario.processes.size());
  for (const ProcessSpec& process : scenario.processes) {
    ProcessSpec copy = process;
    copy.name += "-again";
    ProcessOp sleep;
    sleep.kind = ProcessOp::Kind::at;
    for (ProcessOp& op : copy.ops) {
      if (op.kind == ProcessOp::Kind::at) op.time += again;
      if (op.names_process()) op.target += count;
    }
    sleep.time = again;
    copy.ops.insert(copy.ops.begin(), sleep);
    both.processes.push_back(std::move(copy));
  }
  const std::vector<Observation> seen = observe(both);
  const auto split =
      std::partition_point(seen.begin(), seen.end(), [&](const Observation& each) { return each.at < again; });
  if (auto difference = first_difference("the-future-matters", run.seen(), {seen.begin(), split})) return difference;
  std::vector<Observation> second(split, seen.end());
  for (Observation& each : second) each.at -= again;
  return first_difference("the-past-matters", run.seen(), second);
}

bool forgetful(const RunFacts& facts) {
  const bool counts_on = runs(facts, "deadline") && facts.scheduler->flavour == BlockFlavour::single_queue_2_6_35;
  return on_flat_device(facts) && (runs(facts, "noop") || runs(facts, "deadline")) && !counts_on;
}

}  // namespace

Property quiet_split() {
  return {"metamorphic.quiet-split",
          "Single queue, on a flat device: when everything has ended, the same processes coming again are served as if for "
          "the first time.",
          "block/deadline-iosched.c (4.4 to 4.20): nothing outlives an empty queue; noop keeps nothing",
          "0 differences",
          forgetful,
          nullptr,
          twice_in_a_row};
}

}  // namespace elvcheck::property
