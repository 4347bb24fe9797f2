// SPDX-License-Identifier: GPL-2.0-or-later
// Random cases for the tests of the case format: every field takes every kind of value it may have.
#pragma once

#include <rapidcheck.h>

#include <algorithm>

#include "model/core/mutant.hpp"
#include "model/device/preset.hpp"
#include "model/scheduler/registry.hpp"
#include "properties/case_check.hpp"
#include "properties/case_file.hpp"
#include "properties/property.hpp"

namespace elvcheck {

inline ProcessOp generate_io(Sector capacity) {
  ProcessOp op;
  op.op = *rc::gen::element(Op::read, Op::write, Op::discard);
  op.sectors = *rc::gen::inRange<SectorCount>(1, 2048);
  op.sector = *rc::gen::inRange<Sector>(0, capacity / 2);
  op.count = *rc::gen::inRange<std::uint32_t>(1, 20);
  op.depth = *rc::gen::inRange<std::uint32_t>(1, 64);
  op.think = Nanoseconds(*rc::gen::inRange<std::int64_t>(0, 10'000'000));
  if (*rc::gen::arbitrary<bool>()) {
    op.span = *rc::gen::inRange<Sector>(op.sectors, capacity / 2);
    op.seed = *rc::gen::arbitrary<std::uint64_t>();
  } else if (*rc::gen::arbitrary<bool>()) {
    op.stride = *rc::gen::inRange<std::int64_t>(-static_cast<std::int64_t>(op.sector) / 20, 4096);
  }
  const auto bits = *rc::gen::inRange<int>(0, 1 << 9);
  op.flags = static_cast<ReqFlags>(bits);
  op.nowait = *rc::gen::arbitrary<bool>();
  return op;
}

inline ProcessOp generate_op(Sector capacity, std::uint32_t self, std::size_t processes) {
  using Kind = ProcessOp::Kind;
  ProcessOp op;
  op.kind = *rc::gen::element(Kind::io, Kind::io, Kind::fsync, Kind::think, Kind::at, Kind::wait, Kind::yield, Kind::ioprio,
                              Kind::drain, Kind::exit);
  switch (op.kind) {
    case Kind::io:
      return generate_io(capacity);
    case Kind::think:
    case Kind::at:
      op.time = Nanoseconds(*rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40));
      break;
    case Kind::wait:
      if (self == 0)  // waits go one way, so that there is no circle
        op.kind = Kind::drain;
      else
        op.target = *rc::gen::inRange<std::uint32_t>(0, self);
      break;
    case Kind::yield:
      op.target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(processes));
      if (op.target == self) op.kind = Kind::drain, op.target = 0;
      break;
    case Kind::ioprio:
      op.ioprio = {IoClass::rt, *rc::gen::inRange<std::uint8_t>(0, 8)};
      break;
    default:
      break;
  }
  return op;
}

inline ProcessSpec generate_process(Sector capacity, std::uint32_t self, std::size_t processes) {
  ProcessSpec process;
  process.name = "p" + std::to_string(self);
  process.ioprio = *rc::gen::element(IoPrio{}, IoPrio{IoClass::rt, 0}, IoPrio{IoClass::be, 4}, IoPrio{IoClass::idle, 7});
  const auto plain = [](ProcessOp::Kind kind, std::uint32_t count = 1) {
    ProcessOp op;
    op.kind = kind;
    op.count = count;
    return op;
  };
  const auto length = *rc::gen::inRange(0, 8);
  for (int i = 0; i < length; ++i) {
    const auto shape = *rc::gen::inRange(0, 6);
    if (shape == 0) process.ops.push_back(plain(ProcessOp::Kind::repeat, *rc::gen::inRange<std::uint32_t>(1, 100)));
    if (shape == 1) process.ops.push_back(plain(ProcessOp::Kind::plug));
    process.ops.push_back(generate_op(capacity, self, processes));
    if (shape == 0) process.ops.push_back(plain(ProcessOp::Kind::end));
    if (shape == 1) process.ops.push_back(plain(ProcessOp::Kind::unplug));
  }
  return process;
}

/// A case on any scheduler and device of the tables. The verdict is not meant to be right.
inline rc::Gen<CaseFile> generate_case() {
  return rc::gen::exec([] {
    CaseFile value;
    const auto& property = properties()[*rc::gen::inRange<std::size_t>(0, properties().size())];
    if (*rc::gen::arbitrary<bool>()) value.property = property.name;
    value.expect_violated = !value.property.empty() && *rc::gen::arbitrary<bool>();
    if (value.expect_violated && *rc::gen::arbitrary<bool>()) value.rule = "overtaken";
    value.note = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
    value.note.erase(std::remove(value.note.begin(), value.note.end(), '\0'), value.note.end());

    Scenario& scenario = value.scenario;
    const auto& scheduler = schedulers()[*rc::gen::inRange<std::size_t>(0, schedulers().size())];
    scenario.scheduler = scheduler.name;
    for (const TunableInfo& tunable : scheduler.tunables) {
      const std::int64_t top = std::max(tunable.min, std::min(tunable.max, std::numeric_limits<std::int64_t>::max() - 1));
      if (*rc::gen::arbitrary<bool>()) scenario.tunables.push_back({tunable.name, *rc::gen::inRange(tunable.min, top + 1)});
    }
    // Their order counts; features, which a case lists apart, come last.
    const auto first_feature =
        std::find_if(scenario.tunables.begin(), scenario.tunables.end(), [&](const NamedValue& stored) {
          return std::any_of(scheduler.tunables.begin(), scheduler.tunables.end(),
                             [&](const TunableInfo& info) { return info.feature && info.name == stored.name; });
        });
    if (*rc::gen::arbitrary<bool>()) std::reverse(scenario.tunables.begin(), first_feature);
    scenario.device.preset = device_presets()[*rc::gen::inRange<std::size_t>(0, device_presets().size())].name;
    scenario.block.hz = *rc::gen::element(100U, 250U, 300U, 1000U);
    scenario.block.nr_requests = *rc::gen::inRange(0U, 512U);
    scenario.block.nomerges = *rc::gen::inRange(0U, 3U);
    scenario.block.max_sectors = *rc::gen::inRange(8U, 4096U);
    scenario.block.max_segments = *rc::gen::inRange(1U, 256U);
    scenario.block.plug_each_bio = *rc::gen::arbitrary<bool>();
    scenario.block.blk_cgroup = *rc::gen::arbitrary<bool>();
    const auto groups = *rc::gen::inRange<std::uint32_t>(0, 3);
    for (std::uint32_t i = 0; i < groups; ++i) {
      scenario.block.groups.push_back({*rc::gen::inRange<std::uint32_t>(1, 10'001),
                                       *rc::gen::inRange<std::uint32_t>(0, i + 1), "g" + std::to_string(i)});
    }
    if (*rc::gen::arbitrary<bool>()) scenario.mutant = mutants()[*rc::gen::inRange<std::size_t>(0, mutants().size())].name;
    scenario.limit = Nanoseconds(*rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 50));
    const Sector capacity = make_device(scenario.device)->info().capacity;
    const auto processes = *rc::gen::inRange<std::size_t>(1, 4);
    for (std::uint32_t i = 0; i < processes; ++i) scenario.processes.push_back(generate_process(capacity, i, processes));
    for (ProcessSpec& process : scenario.processes) process.group = *rc::gen::inRange<std::uint32_t>(0, groups + 1);
    return value;
  });
}

}  // namespace elvcheck
