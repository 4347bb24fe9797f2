// SPDX-License-Identifier: GPL-2.0-or-later
// metamorphic.scale-time: with everything twice as slow, a run is the same run in slow motion.
//
// Scaled are the programs' times, the device's, the tunables in milliseconds, and the tick itself (half as many a second),
// so that every deadline falls into the tick of the same number. It holds for block layers without times of their own on a
// device whose times are all parameters: blk-mq of 6.1 and the single queue of 4.19, on `flat`. Left out is what they have
// after all: the queue of 2.6.35 unplugs after 3 ms; a refused request, and a scheduler that has work but gives none, is
// asked again after 3 ms; cfq and bfq have times that are no tunables; a flush is put off for up to 5 s; a process that
// found no free request has 20 ms to allocate more.
#include <fmt/format.h>

#include <algorithm>

#include "properties/definitions.hpp"
#include "properties/minimize.hpp"
#include "properties/observation.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck::property {

namespace {

constexpr std::int64_t factor = 2;

bool flushes(const Scenario& scenario) {
  for (const ProcessSpec& process : scenario.processes) {
    for (const ProcessOp& op : process.ops) {
      if (op.kind == ProcessOp::Kind::fsync || op_is_flush(op.op, op.flags)) return true;
    }
  }
  return false;
}

/// The single queue's pool of requests may run full.
bool may_run_full(const Scenario& scenario, const RunFacts& facts) {
  if (facts.scheduler->flavour == BlockFlavour::multi_queue_6_1) return false;
  SectorCount longest = 0;
  for (const ProcessSpec& process : scenario.processes) {
    for (const ProcessOp& op : process.ops) longest = std::max(longest, op.sectors);
  }
  const std::uint64_t pieces = longest / facts.block.max_sectors + 1;
  return size_of(scenario).requests * pieces >= facts.block.nr_requests;
}

void scale_values(std::vector<NamedValue>& values, std::string_view name, std::int64_t usual) {
  const auto found = std::find_if(values.rbegin(), values.rend(), [&](const NamedValue& v) { return v.name == name; });
  values.push_back({std::string(name), (found == values.rend() ? usual : found->value) * factor});
}

std::optional<Violation> slow_motion(PlainRun& run) {
  const Scenario& scenario = run.scenario();
  if (!scenario.workload.name.empty()) return std::nullopt;  // its times are its own
  if (scenario.block.refuse_every != 0 || scenario.block.hz % factor != 0 || flushes(scenario)) return std::nullopt;
  const Machine machine(scenario);
  const RunFacts& facts = machine.facts();
  if (may_run_full(scenario, facts) || run.own_times()) return std::nullopt;
  Scenario slow = scenario;
  slow.block.hz /= factor;
  slow.limit = scenario.limit > Nanoseconds::max() / factor ? Nanoseconds::max() : scenario.limit * factor;
  for (ProcessSpec& process : slow.processes) {
    for (ProcessOp& op : process.ops) {
      op.time *= factor;
      op.think *= factor;
    }
  }
  for (const TunableInfo& tunable : facts.scheduler->tunables) {
    if (std::string_view(tunable.unit) != "ms") continue;
    if (facts.tunables->get(tunable.name) > tunable.max / factor) return std::nullopt;  // the store would clamp it
    scale_values(slow.tunables, tunable.name, tunable.preset_value);
  }
  const DevicePreset& preset = *find_device_preset(scenario.device.preset);
  for (const DeviceParameter& parameter : preset.parameters) {
    if (std::string_view(parameter.unit) != "ns") continue;
    scale_values(slow.device.parameters, parameter.name, parameter.preset_value);
    if (slow.device.parameters.back().value > parameter.max) return std::nullopt;
  }
  std::vector<Observation> seen = observe(slow);
  for (Observation& each : seen) each.at /= factor;
  return first_difference("not-the-same-in-slow-motion", run.seen(), seen);
}

bool no_times_of_its_own(const RunFacts& facts) {
  return on_flat_device(facts) && facts.scheduler != nullptr && facts.tunables.has_value() &&
         facts.scheduler->flavour != BlockFlavour::single_queue_2_6_35 && !runs(facts, "cfq") && !runs(facts, "bfq") &&
         !runs(facts, "kyber");
}

}  // namespace

Property scale_time() {
  return {
      "metamorphic.scale-time",
      "On a flat device, with every time of programs, device and tunables and the tick doubled, everything happens in the "
      "same order at twice the time.",
      "the schedulers here count in ticks; the block layers of 4.19 and 6.1 have no times of their own without refusals and "
      "flushes",
      "0 differences",
      no_times_of_its_own,
      nullptr,
      slow_motion};
}

}  // namespace elvcheck::property
