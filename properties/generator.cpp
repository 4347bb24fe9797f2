// SPDX-License-Identifier: GPL-2.0-or-later
// How a scenario is drawn. Every choice has a plain weight here; there is nothing to tune elsewhere.
//
// What matters for a scheduler is who competes with whom: so each process has one habit (a stream, a random reader, a writer
// in the background, ...), places lie near each other or far apart, and lengths and think times are of the sizes that the
// default time-outs distinguish. Regions of different processes may overlap: merges between processes come from that.
#include "properties/generator.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/core/random.hpp"

namespace elvcheck {
namespace {

/// Numbers for a scenario, mixed from everything that names it.
SplitMix64 numbers_for(std::uint64_t seed, std::uint64_t index, std::string_view scheduler, std::string_view device) {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  const auto mix = [&hash](std::uint64_t byte) { hash = (hash ^ byte) * 0x100000001B3U; };
  for (const char c : scheduler) mix(static_cast<unsigned char>(c));
  mix(0);
  for (const char c : device) mix(static_cast<unsigned char>(c));
  SplitMix64 first(hash ^ seed);
  SplitMix64 second(first.next() + index);
  return SplitMix64(second.next());
}

class Draw {
 public:
  Draw(SplitMix64 numbers, Sector capacity, std::uint32_t ios) : numbers_(numbers), capacity_(capacity), ios_left_(ios) {}

  bool chance(std::uint64_t percent) { return numbers_.below(100) < percent; }
  template <class T, std::size_t n>
  T pick(const std::array<T, n>& values) {
    return values[numbers_.below(n)];
  }
  std::uint64_t below(std::uint64_t bound) { return numbers_.below(bound); }

  IoPrio ioprio() {
    const std::uint64_t which = below(100);
    if (which < 50) return {};
    if (which < 60) return {IoClass::rt, static_cast<std::uint8_t>(below(8))};
    if (which < 90) return {IoClass::be, static_cast<std::uint8_t>(below(8))};
    return {IoClass::idle, 7};
  }

  Nanoseconds think() { return chance(60) ? 0ns : pick(think_times); }

  /// An I/O step after the process's habit; it fits the device.
  ProcessOp io();
  /// A process with a habit of its own.
  ProcessSpec process(std::size_t number);
  void tunables(Scenario& scenario, const SchedulerInfo& scheduler);
  void block(BlockSettings& block, const SchedulerInfo& scheduler);

 private:
  static constexpr std::array<Nanoseconds, 6> think_times = {10us, 100us, 1ms, 3ms, 8ms, 20ms};
  static constexpr std::array<SectorCount, 6> lengths = {8, 8, 16, 64, 256, 1024};
  static constexpr std::array<std::uint32_t, 7> depths = {1, 1, 1, 2, 4, 8, 32};
  static constexpr std::array<std::uint32_t, 6> counts = {1, 2, 5, 10, 30, 100};

  SplitMix64 numbers_;
  Sector capacity_;
  std::uint32_t ios_left_;
  std::uint64_t write_percent_ = 0;
  Sector region_ = 0;  ///< where the process works, in steps of 1024 sectors
};

ProcessOp Draw::io() {
  ProcessOp op;
  op.op = chance(write_percent_) ? Op::write : Op::read;
  if (op.op == Op::write && chance(40)) op.flags |= REQ_SYNC;
  if (op.op == Op::write && chance(3)) op.flags |= REQ_FUA;
  if (chance(5)) op.flags |= REQ_META;
  op.sectors = pick(lengths);
  op.count = std::min(pick(counts), std::max(ios_left_, 1U));
  ios_left_ -= std::min(ios_left_, op.count);
  op.depth = std::min(pick(depths), op.count);
  op.think = think();
  op.nowait = chance(10);
  const Sector room = capacity_ / op.sectors * op.sectors;
  const std::uint64_t kind = below(100);
  if (kind < 45) {  // a stream, or pieces of one
    const std::uint64_t gap = chance(80) ? 0 : 1 + below(3);
    op.stride = static_cast<std::int64_t>((1 + gap) * op.sectors);
    if (Sector{op.count} * (1 + gap) * op.sectors > room) op.stride = 0;
    Sector extent = Sector{op.count} * op.sectors * (op.stride == 0 ? 1 : 1 + gap);
    if (extent > room) {
      op.count = 1;
      extent = op.sectors;
    }
    op.sector = std::min(region_, capacity_ - extent) / 8 * 8;
  } else {  // draws from the process's neighbourhood, or from everywhere
    op.seed = 1 + below(1U << 20);
    op.span = kind < 70 ? std::min<Sector>(room, 1U << 16) : room;
    op.sector = kind < 70 ? std::min(region_, capacity_ - op.span) / 8 * 8 : 0;
  }
  return op;
}

ProcessSpec Draw::process(std::size_t number) {
  static constexpr std::array<std::uint64_t, 6> write_shares = {0, 0, 0, 50, 100, 100};
  ProcessSpec spec;
  spec.name = "p" + std::to_string(number + 1);
  spec.ioprio = ioprio();
  write_percent_ = pick(write_shares);
  region_ = below(capacity_ / 1024 + 1) * 1024;
  if (chance(30)) region_ = std::min<Sector>(capacity_ / 1024 / 2, below(8)) * 1024;  // beside the others
  if (chance(40)) {
    ProcessOp start;
    start.kind = ProcessOp::Kind::think;
    start.time = pick(think_times);
    spec.ops.push_back(start);
  }
  const std::uint64_t steps = 1 + below(4);
  for (std::uint64_t step = 0; step < steps && ios_left_ > 0; ++step) {
    ProcessOp other;
    if (chance(12)) {
      other.kind = ProcessOp::Kind::ioprio;
      other.ioprio = ioprio();
      spec.ops.push_back(other);
    }
    const bool plugged = chance(15);
    if (plugged) {
      other.kind = ProcessOp::Kind::plug;
      spec.ops.push_back(other);
    }
    spec.ops.push_back(io());
    if (plugged) {
      other.kind = ProcessOp::Kind::unplug;
      spec.ops.push_back(other);
    }
    if (write_percent_ > 0 && chance(15)) {
      other.kind = ProcessOp::Kind::fsync;
      spec.ops.push_back(other);
    }
  }
  return spec;
}

void Draw::tunables(Scenario& scenario, const SchedulerInfo& scheduler) {
  if (!chance(25)) return;
  for (const TunableInfo& tunable : scheduler.tunables) {
    if (tunable.feature || !chance(40)) continue;  // a version is what it is
    const std::int64_t normal = tunable.preset_value;
    const std::array<std::int64_t, 6> values = {0,          1,          normal / 4,
                                                normal / 2, normal + 1, normal <= 1 ? 1 - normal : normal * 4};
    scenario.tunables.push_back({tunable.name, std::clamp(pick(values), tunable.min, tunable.max)});
  }
}

void Draw::block(BlockSettings& block, const SchedulerInfo& scheduler) {
  block.hz = chance(50) ? 250 : 1000;
  if (chance(20)) block.nr_requests = pick(std::array<unsigned, 4>{4, 8, 32, 256});
  if (chance(15)) block.nomerges = 1 + static_cast<unsigned>(below(2));
  if (chance(10)) block.max_sectors = pick(std::array<unsigned, 3>{1024, 1280, 8192});
  if (chance(8)) block.refuse_every = 2 + static_cast<unsigned>(below(20));
  if (scheduler.flavour == BlockFlavour::multi_queue_6_1) block.plug_each_bio = chance(20);
}

}  // namespace

Scenario generate_scenario(std::uint64_t seed, std::uint64_t index, const SchedulerInfo& scheduler, const DeviceSpec& device,
                           Sector capacity, std::uint32_t max_ios) {
  Draw draw(numbers_for(seed, index, scheduler.name, device.preset), capacity, max_ios);
  Scenario scenario;
  scenario.scheduler = scheduler.name;
  scenario.device = device;
  draw.tunables(scenario, scheduler);
  draw.block(scenario.block, scheduler);
  const std::uint64_t processes = 1 + draw.below(6);
  for (std::uint64_t i = 0; i < processes; ++i) scenario.processes.push_back(draw.process(i));
  return scenario;
}

}  // namespace elvcheck
