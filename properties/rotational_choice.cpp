// SPDX-License-Identifier: GPL-2.0-or-later
// device.rotational-choice: a disk that orders its queue by position knows what a command costs.
//
// The witness: as many reads as the disk takes, evenly spaced on its first track, given to it at once; no buffer, no ageing.
// After a read the disk needs the overhead of the next one before it can look for its first block. With s = the number of
// spacings that overhead and transfer take, rounded up, it reads every s-th block of the track as it passes, so that s turns
// do; a turn is granted for the first wait and one for each time that it has come round (the blocks left are not s apart).
// A choice that forgets the overhead always picks the next block, misses it, and takes a turn for each.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "model/core/mutant.hpp"
#include "model/device/preset.hpp"
#include "model/device/rotational/rotational.hpp"
#include "properties/definitions.hpp"
#include "properties/observation.hpp"

namespace elvcheck::property {

namespace {

class Counter : public DeviceListener {
 public:
  void command_done(std::uint32_t) override {}
};

std::int64_t parameter(const DeviceSpec& spec, std::string_view name) {
  for (const NamedValue& value : spec.parameters) {
    if (value.name == name) return value.value;
  }
  for (const DeviceParameter& known : find_device_preset(spec.preset)->parameters) {
    if (known.name == name) return known.preset_value;
  }
  return 0;
}

DeviceSpec witness_of(const DeviceSpec& spec) {
  DeviceSpec witness = spec;
  for (const NamedValue& forced : {NamedValue{"segments", 0}, NamedValue{"order", 1}, NamedValue{"age_permille", 0}}) {
    std::erase_if(witness.parameters, [&](const NamedValue& old) { return old.name == forced.name; });
    witness.parameters.push_back(forced);
  }
  return witness;
}

std::optional<Violation> judge_choice(PlainRun& run) {
  const Scenario& scenario = run.scenario();
  const MutantInfo* const mutant = find_mutant(scenario.mutant);
  const PlantMutant plant(mutant == nullptr ? Mutant::none : mutant->mutant);
  const DeviceSpec spec = witness_of(scenario.device);
  const auto device = make_device(spec);
  const auto& disk = dynamic_cast<const RotationalDevice&>(*device);
  const std::int64_t track = disk.mechanics().layout().place(0).sectors_per_track;
  const std::int64_t reads = std::min<std::int64_t>({device->info().queue_depth, 32, track / 16});
  const std::int64_t spacing = track / std::max<std::int64_t>(reads, 1);

  EventQueue events;
  Counter nobody;
  device->attach(events, nobody);
  for (std::int64_t i = 0; i < reads; ++i) {
    device->issue(
        {.tag = static_cast<std::uint32_t>(i), .op = Op::read, .sector = static_cast<Sector>(i * spacing), .sectors = 8});
  }
  while (events.step()) {
  }
  const std::int64_t turn = parameter(spec, "period_ns");
  const std::int64_t between = turn * spacing / track;
  const std::int64_t needed = parameter(spec, "read_overhead_ns") + turn * 8 / track + 1;
  const std::int64_t skip = (needed + between - 1) / between;
  const std::int64_t bus = parameter(spec, "bus_ns_per_sector") * 8;
  const std::int64_t bound = turn * (2 * skip + 1) + reads * (between + bus);
  const std::int64_t took = events.now().count();
  if (took <= bound) return std::nullopt;
  return Violation{
      "extra-turns", fmt::format("{} reads on one track took {} ns; the disk can do them in {} ns", reads, took, bound),
      events.now(),  0,
      took,          bound};
}

}  // namespace

Property device_rotational_choice() {
  return {"device.rotational-choice",
          "A disk that orders its queue by position serves reads that wait together on one track as they pass its head.",
          "Ruemmler and Wilkes, An introduction to disk drive modeling, IEEE Computer 27(3), 1994: positioning time "
          "includes the "
          "command's overhead",
          "2 s + 1 turns for s = (overhead + transfer) / spacing, and a spacing and a bus transfer for each read; in ns",
          [](const RunFacts& facts) {
            const DevicePreset* const preset = find_device_preset(facts.device.name);
            return facts.simulated && preset != nullptr && std::strcmp(preset->model, "rotational") == 0;
          },
          nullptr,
          judge_choice};
}

}  // namespace elvcheck::property
