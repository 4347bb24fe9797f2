// SPDX-License-Identifier: GPL-2.0-or-later
// How the corners are drawn. Each recipe is one or two lines where it changes a choice; the choices themselves are plain.
#include "properties/corner_generator.hpp"

#include <algorithm>
#include <string_view>

#include "model/device/preset.hpp"
#include "model/workload/workloads.hpp"

namespace elvcheck {

namespace {

using Kind = ProcessOp::Kind;

constexpr Sector room_for_workloads = Sector{1} << 21;  // 1 GiB

class Corners {
 public:
  Corners(SplitMix64 numbers, const SchedulerInfo& scheduler, Sector capacity, RecipeSet chosen)
      : numbers_(numbers), scheduler_(scheduler), capacity_(capacity), chosen_(chosen) {}

  Scenario draw(const DeviceSpec& device, std::uint32_t ios) {
    scenario_.scheduler = scheduler_.name;
    scenario_.device = device;
    settings();
    processes_ = 1 + below(4);
    common_prio_ = explicit_prio();
    start_ = time();
    const auto each = static_cast<std::uint32_t>(std::max<std::uint64_t>(ios / processes_, 1));
    for (std::uint32_t i = 0; i < processes_; ++i) process(i, each);
    if (has(Recipe::workloads) && capacity_ >= room_for_workloads && chance(25)) workload();
    return std::move(scenario_);
  }

 private:
  struct Place {
    Sector sector;
    SectorCount sectors;
  };

  bool has(Recipe recipe) const { return contains(chosen_, recipe); }
  std::uint64_t below(std::uint64_t bound) { return numbers_.below(bound); }
  bool chance(std::uint64_t percent) { return below(100) < percent; }
  template <class T, std::size_t n>
  T pick(const std::array<T, n>& values) {
    return values[below(n)];
  }

  void tunable(std::string_view name, std::int64_t value) {
    for (const TunableInfo& info : scheduler_.tunables) {
      if (info.name == name) scenario_.tunables.push_back({info.name, std::clamp(value, info.min, info.max)});
    }
  }
  std::int64_t value_of(std::string_view name) const {
    for (const NamedValue& value : scenario_.tunables) {
      if (value.name == name) return value.value;
    }
    for (const TunableInfo& info : scheduler_.tunables) {
      if (info.name == name) return info.preset_value;
    }
    return 0;
  }

  void settings() {
    static constexpr std::array<std::int64_t, 8> short_times = {0, 1, 2, 4, 8, 12, 20, 50};
    if (has(Recipe::short_expiry)) {
      for (const char* name :
           {"read_expire", "write_expire", "prio_aging_expire", "fifo_expire_sync", "fifo_expire_async"}) {
        if (chance(80)) tunable(name, pick(short_times));
      }
    }
    if (has(Recipe::small_batch)) {
      if (chance(80)) tunable("fifo_batch", static_cast<std::int64_t>(below(4)));
      if (chance(60)) tunable("writes_starved", static_cast<std::int64_t>(below(4)));
      if (chance(60)) tunable("quantum", static_cast<std::int64_t>(1 + below(4)));
      if (chance(60)) tunable("slice_async_rq", static_cast<std::int64_t>(1 + below(2)));
      if (chance(30)) tunable("slice_sync", pick(std::array<std::int64_t, 4>{1, 5, 20, 50}));
    }
    if (chance(10)) tunable("front_merges", 0);
    if (chance(25)) tunable("slice_idle", pick(std::array<std::int64_t, 3>{0, 1, 4}));
    if (chance(25)) tunable("group_idle", pick(std::array<std::int64_t, 3>{0, 1, 20}));
    if (has(Recipe::yields)) tunable("journal-yield", 1);
    BlockSettings& block = scenario_.block;
    block.hz = pick(std::array<unsigned, 4>{100, 250, 300, 1000});
    if (has(Recipe::few_requests)) {
      block.nr_requests = static_cast<unsigned>(1 + below(8));
      if (chance(50)) tunable("async_depth", static_cast<std::int64_t>(1 + below(block.nr_requests)));
    } else if (scheduler_.flavour == BlockFlavour::multi_queue_6_1 && chance(80)) {
      block.nr_requests = 64;  // the default for a device of depth 1 is 2, and nothing would ever wait in the scheduler
    }
    if (has(Recipe::refusals)) block.refuse_every = static_cast<unsigned>(2 + below(6));
    if (has(Recipe::merge_limits)) {
      block.max_sectors = pick(std::array<unsigned, 4>{8, 16, 24, 64});
      block.max_segments = pick(std::array<unsigned, 4>{1, 2, 3, 128});
    }
    if (chance(10)) block.nomerges = static_cast<unsigned>(1 + below(2));
    if (scheduler_.flavour == BlockFlavour::multi_queue_6_1) block.plug_each_bio = chance(15);
    if (has(Recipe::small_depth)) {
      const DevicePreset* const preset = find_device_preset(scenario_.device.preset);
      const auto fits = [](const DeviceParameter& p) { return std::string_view(p.name) == "queue_depth"; };
      if (std::any_of(preset->parameters.begin(), preset->parameters.end(), fits)) {
        scenario_.device.parameters.push_back({"queue_depth", static_cast<std::int64_t>(1 + below(2))});
      }
    }
  }

  /// dump(8), with each parameter at its default, at an end of its range for random runs, or in between. The workloads with a
  /// file system under them have cases and tests of their own: a random one takes minutes to minimise.
  void workload() {
    const WorkloadInfo& info = *find_workload("dump");
    scenario_.workload.name = info.name;
    for (const WorkloadParameter& parameter : info.parameters) {
      const std::int64_t most = parameter.random_max < 0 ? parameter.max : parameter.random_max;
      const auto range = static_cast<std::uint64_t>(most - parameter.min) + 1;
      const std::int64_t drawn = parameter.min + static_cast<std::int64_t>(below(range));
      scenario_.workload.parameters.push_back(
          {parameter.name, chance(25) ? pick(std::array{parameter.min, most, std::min(parameter.usual, most)}) : drawn});
    }
  }

  Nanoseconds time() {
    static constexpr std::array<Nanoseconds, 8> pauses = {0ns, 10us, 500us, 1ms, 2ms, 3ms, 8ms, 20ms};
    if (!has(Recipe::expiry_times) || chance(30)) return pick(pauses);
    const auto name = pick(std::array<const char*, 3>{"read_expire", "write_expire", "prio_aging_expire"});
    const Nanoseconds tick(1'000'000'000 / scenario_.block.hz);
    const Nanoseconds expiry = std::chrono::milliseconds(std::clamp<std::int64_t>(value_of(name), 0, 20'000));
    return std::max(expiry + tick * (static_cast<int>(below(3)) - 1), Nanoseconds(0));
  }

  IoPrio explicit_prio() {
    const std::uint64_t which = below(10);
    if (which < 3) return {IoClass::rt, static_cast<std::uint8_t>(below(8))};
    if (which < 8) return {IoClass::be, static_cast<std::uint8_t>(below(8))};
    return {IoClass::idle, 7};
  }
  IoPrio prio() {
    if (has(Recipe::prio_ties)) return common_prio_;
    if (has(Recipe::prio_mix)) return chance(80) ? explicit_prio() : IoPrio{};
    return {};
  }

  Place place() {
    static constexpr std::array<SectorCount, 6> lengths = {8, 8, 8, 16, 24, 128};
    Place next{0, pick(lengths)};
    if (!used_.empty() && chance(70)) {
      const Place& near = used_[used_.size() - 1 - below(std::min<std::size_t>(used_.size(), 6))];
      std::array<Recipe, 3> ways{};
      std::size_t count = 0;
      for (const Recipe way : {Recipe::equal, Recipe::adjacent, Recipe::overlapping}) {
        if (has(way)) ways[count++] = way;
      }
      if (count > 0) {
        switch (ways[below(count)]) {
          case Recipe::equal:
            return near;
          case Recipe::adjacent:
            next.sector = chance(50) || near.sector < next.sectors ? near.sector + near.sectors : near.sector - next.sectors;
            break;
          default:
            next.sector = near.sector + (near.sectors > 1 ? 1 + below(near.sectors - 1) : 0);
            break;
        }
        if (next.sector + next.sectors <= capacity_) return next;
      }
    }
    if (has(Recipe::end_of_disk) && chance(60)) {
      next.sector = chance(30) ? 0 : capacity_ - next.sectors * (1 + below(3));
    } else {
      next.sector = chance(50) ? below(32) * 8 : below((capacity_ - next.sectors) / 8) * 8;
    }
    return next;
  }

  ProcessOp io(std::uint32_t left) {
    ProcessOp op;
    const bool write = has(Recipe::mixed) ? chance(50) : writer_;
    const Place where = place();
    used_.push_back(where);
    op.op = write ? (chance(3) ? Op::discard : Op::write) : Op::read;
    if (write && chance(40)) op.flags |= REQ_SYNC;
    if (op.op == Op::write && has(Recipe::flushes) && chance(25)) op.flags |= chance(50) ? REQ_FUA : REQ_PREFLUSH;
    if (chance(4)) op.flags |= REQ_NOMERGE;
    op.sector = where.sector;
    op.sectors = where.sectors;
    op.nowait = has(Recipe::burst) ? chance(90) : chance(40);
    if (has(Recipe::streams) && chance(50)) {
      const Sector room = (capacity_ - op.sector) / op.sectors;
      op.count = static_cast<std::uint32_t>(std::min<Sector>({1 + below(12), left, room}));
      op.depth = static_cast<std::uint32_t>(1 + below(op.count));
      if (chance(30) && room / 2 >= op.count) op.stride = 2 * static_cast<std::int64_t>(op.sectors);
    }
    return op;
  }

  void process(std::uint32_t number, std::uint32_t ios) {
    ProcessSpec& spec = scenario_.processes.emplace_back();
    spec.name = "p" + std::to_string(number + 1);
    spec.ioprio = prio();
    writer_ = chance(50);
    const auto plain = [&](Kind kind, Nanoseconds at = 0ns) {
      ProcessOp op;
      op.kind = kind;
      op.time = at;
      spec.ops.push_back(op);
    };
    if (has(Recipe::burst)) {
      plain(Kind::at, start_);
    } else if (chance(60)) {
      plain(chance(50) ? Kind::at : Kind::think, time());
    }
    bool plugged = false;
    for (std::uint32_t done = 0; done < ios;) {
      if (has(Recipe::plugs) && chance(25)) {
        plain(plugged ? Kind::unplug : Kind::plug);
        plugged = !plugged;
      }
      spec.ops.push_back(io(ios - done));
      done += spec.ops.back().count;
      if (has(Recipe::yields) && processes_ > 1 && chance(30)) {
        plain(Kind::yield);
        spec.ops.back().target = static_cast<std::uint32_t>((number + 1 + below(processes_ - 1)) % processes_);
      }
      if (chance(12)) plain(Kind::think, time());
      if (has(Recipe::flushes) && chance(8)) plain(Kind::fsync);
      if (has(Recipe::prio_mix) && chance(8)) {
        plain(Kind::ioprio);
        spec.ops.back().ioprio = prio();
      }
    }
    if (plugged) plain(Kind::unplug);
    if (has(Recipe::exit_inside)) {
      spec.ops.push_back(io(1));
      spec.ops.back().nowait = true;
    }
  }

  SplitMix64 numbers_;
  const SchedulerInfo& scheduler_;
  Sector capacity_;
  RecipeSet chosen_;
  Scenario scenario_;
  std::vector<Place> used_;
  IoPrio common_prio_;
  std::uint64_t processes_ = 1;
  Nanoseconds start_{0};
  bool writer_ = false;
};

}  // namespace

Scenario generate_corners(SplitMix64 numbers, const SchedulerInfo& scheduler, const DeviceSpec& device, Sector capacity,
                          RecipeSet chosen, std::uint32_t ios) {
  return Corners(numbers, scheduler, capacity, chosen).draw(device, ios);
}

}  // namespace elvcheck
