// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/seek.hpp"

#include <stdexcept>

#include "model/core/mutant.hpp"
#include "model/device/integer_root.hpp"

namespace elvcheck {

const std::vector<Field<SeekConfig>>& SeekConfig::fields() {
  // The largest capacity keeps distance << 30 below 2^64.
  static const std::vector<Field<SeekConfig>> table = {
      {"fixed_ns", "ns", &SeekConfig::fixed_ns, 0, one_minute_ns, "fixed part of every read, write and discard"},
      {"ns_per_kib", "ns", &SeekConfig::ns_per_kib, 0, 1'000'000'000, "transfer time of 1 KiB"},
      {"seek_min_ns", "ns", &SeekConfig::seek_min_ns, 0, one_minute_ns, "seek of no distance"},
      {"seek_max_ns", "ns", &SeekConfig::seek_max_ns, 0, one_minute_ns, "seek over the whole device; not below seek_min_ns"},
      {"capacity_sectors", "sectors", &SeekConfig::capacity_sectors, 8, std::int64_t{1} << 33, "size"},
      {"queue_depth", "commands", &SeekConfig::queue_depth, 1, largest_depth,
       "most commands inside; served in order of issue"},
      {"rotational", "", &SeekConfig::rotational, 0, 1, "what queue/rotational says"},
      {"cache_kib", "KiB", &SeekConfig::cache_kib, 0, 1 << 30,
       "above 0: a volatile write cache (its size has no influence on times)"},
      {"flush_ns", "ns", &SeekConfig::flush_ns, 0, one_minute_ns, "time of a flush"},
      {"fua", "", &SeekConfig::fua, 0, 1, "1: understands FUA writes (at the time of a write)"},
      {"start_ns", "ns", &SeekConfig::start_ns, 0, 1'000'000, "from issue to the start of the service timer"},
      {"granularity_ns", "ns", &SeekConfig::granularity_ns, 1, 1'000'000,
       "step of the clock that the timer is held against"},
      {"retry_ns", "ns", &SeekConfig::retry_ns, 0, 1'000'000, "delay of the second try of a timer that came early"},
  };
  return table;
}

SeekDevice::SeekDevice(std::string name, const SeekConfig& config)
    : FifoDevice({.name = std::move(name),
                  .capacity = static_cast<Sector>(config.capacity_sectors),
                  .queue_depth = static_cast<unsigned>(config.queue_depth),
                  .rotational = config.rotational != 0,
                  .volatile_cache = config.cache_kib > 0,
                  .fua = config.fua != 0}),
      config_(config) {
  if (config.seek_max_ns < config.seek_min_ns) throw std::invalid_argument("seek_max_ns: must not be below seek_min_ns");
}

std::int64_t SeekDevice::service_ns(Sector head, Sector sector, SectorCount sectors) const {
  std::int64_t time = config_.fixed_ns;
  if (!planted(Mutant::seek_free_transfer)) time += config_.ns_per_kib * static_cast<std::int64_t>(sectors) / 2;
  if (sector != head) {
    const Sector distance = sector > head ? sector - head : head - sector;
    const auto share = static_cast<std::int64_t>(integer_root((distance << 30) / info_.capacity));
    time += config_.seek_min_ns + ((config_.seek_max_ns - config_.seek_min_ns) * share >> 15);
  }
  return time;
}

Nanoseconds SeekDevice::least_time(const DeviceCommand& command) const {
  if (command.op == Op::flush) return Nanoseconds(config_.flush_ns);
  const std::int64_t transfer = command.op == Op::discard ? 0 : config_.ns_per_kib * std::int64_t{command.sectors} / 2;
  return Nanoseconds(config_.fixed_ns + transfer);
}

Nanoseconds SeekDevice::serve(const DeviceCommand& command, Nanoseconds now) {
  std::int64_t time = config_.fixed_ns;
  if (command.op == Op::flush) {
    time = config_.flush_ns;
  } else if (command.op != Op::discard) {
    time = service_ns(head_, command.sector, command.sectors);
    head_ = command.sector + command.sectors;
  }
  const std::int64_t due = now.count() + config_.start_ns + time;
  if (config_.granularity_ns == 1) return Nanoseconds(due);
  std::int64_t fires = due + phase_ + 1;
  if (fires / config_.granularity_ns * config_.granularity_ns < due) fires += config_.retry_ns;
  phase_ = fires % config_.granularity_ns;
  return Nanoseconds(fires - phase_);
}

}  // namespace elvcheck
