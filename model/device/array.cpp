// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/array.hpp"

#include <algorithm>

#include "model/core/mutant.hpp"

namespace elvcheck {

const std::vector<Field<ArrayConfig>>& ArrayConfig::fields() {
  using C = ArrayConfig;
  static const std::vector<Field<C>> table = {
      {"spindles", "", &C::spindles, 1, 64, "disks behind the cache"},
      {"stripe_sectors", "sectors", &C::stripe_sectors, 8, 65'536, "stripe unit, and unit of the read cache"},
      {"write_ns", "ns", &C::write_ns, 0, one_minute_ns, "mean latency of a write, without the link"},
      {"hit_ns", "ns", &C::hit_ns, 0, one_minute_ns, "mean latency of a read from the cache, without the link"},
      {"flush_ns", "ns", &C::flush_ns, 0, one_minute_ns, "mean latency of a flush, which does nothing"},
      {"jitter_percent", "%", &C::jitter_percent, 0, 100, "latencies are uniform within this share of the mean"},
      {"seed", "", &C::seed, 0, std::numeric_limits<std::int64_t>::max(), "of the latencies"},
      {"link_mb_s", "MB/s", &C::link_mb_s, 1, 100'000, "host link, one transfer at a time"},
      {"queue_depth", "commands", &C::queue_depth, 1, largest_depth, "most commands inside the device"},
      {"cache_mib", "MiB", &C::cache_mib, 1, 1 << 20, "cache: most dirty data, and separately most data kept for reads"},
      {"destage_mb_s", "MB/s", &C::destage_mb_s, 1, 100'000, "rate at which dirty data drain"},
      {"volatile_cache", "", &C::volatile_cache, 0, 1, "1: claims a volatile cache, so that the kernel sends flushes"},
  };
  return table;
}

/// One disk of the stripe, and the commands that it has not taken yet.
class ArrayDevice::Spindle final : private DeviceListener {
 public:
  Spindle(ArrayDevice& array, const RotationalConfig& config) : array_(array), disk_("spindle", config) {}

  void read(EventQueue& events, Sector first, SectorCount sectors, std::uint32_t slot) {
    if (!attached_) disk_.attach(events, *this);
    attached_ = true;
    backlog_.push_back({.op = Op::read, .sector = first, .sectors = sectors});
    owners_of_backlog_.push_back(slot);
    feed();
  }
  Sector capacity() const { return disk_.info().capacity; }

 private:
  void feed() {
    while (!backlog_.empty() && inside_ < disk_.info().queue_depth) {
      auto tag = static_cast<std::uint32_t>(std::find(owner_.begin(), owner_.end(), nobody) - owner_.begin());
      if (tag == owner_.size()) owner_.push_back(nobody);
      DeviceCommand command = backlog_.front();
      command.tag = tag;
      owner_[tag] = owners_of_backlog_.front();
      backlog_.pop_front();
      owners_of_backlog_.pop_front();
      ++inside_;
      disk_.issue(command);
    }
  }
  void command_done(std::uint32_t tag) override {
    const std::uint32_t slot = owner_[tag];
    owner_[tag] = nobody;
    --inside_;
    array_.piece_done(slot);
    feed();
  }

  static constexpr std::uint32_t nobody = ~0U;
  ArrayDevice& array_;
  RotationalDevice disk_;
  bool attached_ = false;
  unsigned inside_ = 0;
  std::deque<DeviceCommand> backlog_;
  std::deque<std::uint32_t> owners_of_backlog_;
  std::vector<std::uint32_t> owner_;  // by tag
};

ArrayDevice::ArrayDevice(std::string name, const ArrayConfig& config)
    : Device({.name = std::move(name),
              .queue_depth = static_cast<unsigned>(config.queue_depth),
              .rotational = true,
              .volatile_cache = config.volatile_cache != 0}),
      config_(config),
      random_(static_cast<std::uint64_t>(config.seed)),
      most_lines_(static_cast<std::size_t>(std::max<std::int64_t>(1, config.cache_mib * 2048 / config.stripe_sectors))) {
  for (std::int64_t i = 0; i < config.spindles; ++i) spindles_.push_back(std::make_unique<Spindle>(*this, config.spindle));
  const auto unit = static_cast<Sector>(config.stripe_sectors);
  info_.capacity = spindles_.front()->capacity() / unit * unit * spindles_.size();
}

ArrayDevice::~ArrayDevice() = default;

void ArrayDevice::issue(const DeviceCommand& command) {
  const std::uint32_t slot = take_slot(command);
  switch (command.op) {
    case Op::read:
      return read(slot);
    case Op::write:
      return write(slot);
    case Op::flush:
    case Op::discard:
      events().schedule(events().now() + Nanoseconds(jittered(config_.flush_ns)), Rank::host, *this, slot);
  }
}

std::uint32_t ArrayDevice::take_slot(const DeviceCommand& command) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  entries_[slot] = {command, 0};
  return slot;
}

void ArrayDevice::on_event(std::uint64_t slot) {
  const std::uint32_t tag = entries_[slot].command.tag;
  free_slots_.push_back(static_cast<std::uint32_t>(slot));
  done(tag);
}

Nanoseconds ArrayDevice::least_time(const DeviceCommand& command) const {
  const auto least = [&](std::int64_t mean_ns) { return Nanoseconds(mean_ns - mean_ns * config_.jitter_percent / 100); };
  const Nanoseconds link(transfer_ns(static_cast<std::int64_t>(command.sectors * sector_bytes), config_.link_mb_s));
  switch (command.op) {
    case Op::read:
      return link;  // from a disk that has it in its buffer
    case Op::write:
      return link + least(config_.write_ns);
    case Op::flush:
    case Op::discard:
      break;
  }
  return least(config_.flush_ns);
}

std::int64_t ArrayDevice::jittered(std::int64_t mean_ns) {
  const std::int64_t reach = mean_ns * config_.jitter_percent / 100;
  return mean_ns - reach + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(2 * reach + 1)));
}

Nanoseconds ArrayDevice::over_link(Nanoseconds from, SectorCount sectors) {
  link_free_ = std::max(from, link_free_) +
               Nanoseconds(transfer_ns(static_cast<std::int64_t>(sectors * sector_bytes), config_.link_mb_s));
  return link_free_;
}

// Dirty data are a level that falls at the drain's rate: a write has room once the level has fallen to the cache's size less
// its own length.
void ArrayDevice::write(std::uint32_t slot) {
  const DeviceCommand& command = entries_[slot].command;
  const auto bytes = static_cast<std::int64_t>(command.sectors * sector_bytes);
  const Nanoseconds full(transfer_ns(config_.cache_mib << 20, config_.destage_mb_s));
  const Nanoseconds now = events().now();
  drained_at_ = std::max(drained_at_, now) + Nanoseconds(transfer_ns(bytes, config_.destage_mb_s));
  const Nanoseconds room_at = std::max(now, drained_at_ - full);
  remember(command.sector, command.sector + command.sectors);
  const Nanoseconds latency(planted(Mutant::array_write_at_once) ? 0 : jittered(config_.write_ns));
  events().schedule(over_link(room_at, command.sectors) + latency, Rank::host, *this, slot);
}

void ArrayDevice::read(std::uint32_t slot) {
  const DeviceCommand command = entries_[slot].command;
  const Sector end = command.sector + command.sectors;
  const auto unit = static_cast<Sector>(config_.stripe_sectors);
  if (cached(command.sector, end)) {
    remember(command.sector, end);
    const Nanoseconds latency(jittered(config_.hit_ns));
    events().schedule(over_link(events().now(), command.sectors) + latency, Rank::host, *this, slot);
    return;
  }
  entries_[slot].pieces = static_cast<std::uint32_t>((end - 1) / unit - command.sector / unit + 1);
  for (Sector at = command.sector; at < end;) {
    const Sector piece_end = std::min(end, (at / unit + 1) * unit);
    Spindle& spindle = *spindles_[at / unit % spindles_.size()];
    const Sector place = at / unit / spindles_.size() * unit + at % unit;
    spindle.read(events(), place, static_cast<SectorCount>(piece_end - at), slot);
    at = piece_end;
  }
}

void ArrayDevice::piece_done(std::uint32_t slot) {
  Entry& entry = entries_[slot];
  if (--entry.pieces > 0) return;
  const DeviceCommand& command = entry.command;
  remember(command.sector, command.sector + command.sectors);
  events().schedule(over_link(events().now(), command.sectors), Rank::host, *this, slot);
}

bool ArrayDevice::cached(Sector first, Sector end) const {
  const auto unit = static_cast<Sector>(config_.stripe_sectors);
  for (Sector line = first / unit; line <= (end - 1) / unit; ++line) {
    if (!line_of_.contains(line)) return false;
  }
  return true;
}

void ArrayDevice::remember(Sector first, Sector end) {
  const auto unit = static_cast<Sector>(config_.stripe_sectors);
  for (Sector line = first / unit; line <= (end - 1) / unit; ++line) {
    const auto known = line_of_.find(line);
    if (known != line_of_.end()) {
      lines_.splice(lines_.begin(), lines_, known->second);
      continue;
    }
    if (lines_.size() == most_lines_) {
      line_of_.erase(lines_.back());
      lines_.pop_back();
    }
    lines_.push_front(line);
    line_of_.emplace(line, lines_.begin());
  }
}

}  // namespace elvcheck
