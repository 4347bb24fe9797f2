// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/rotational/rotational.hpp"

#include <algorithm>

#include "model/core/mutant.hpp"

namespace elvcheck {

namespace {
constexpr Sector longest_destage = 1024;  // dirty ranges are joined up to this: one stroke on the medium
}

RotationalDevice::RotationalDevice(std::string name, const RotationalConfig& config)
    : Device({.name = std::move(name),
              .queue_depth = static_cast<unsigned>(config.queue_depth),
              .rotational = true,
              .volatile_cache = config.write_cache_sectors > 0,
              .fua = config.fua != 0}),
      config_(config),
      mechanics_(config.mechanics()),
      buffer_(static_cast<std::size_t>(config.segments), static_cast<Sector>(config.segment_sectors)) {
  info_.capacity = mechanics_.layout().capacity();
}

void RotationalDevice::issue(const DeviceCommand& command) {
  const Slot slot = take_slot(command);
  switch (command.op) {
    case Op::read:
      return issue_read(slot);
    case Op::write:
      return issue_write(slot);
    case Op::flush:
      return issue_flush(slot);
    case Op::discard:
      dirty_.remove(command.sector, entries_[slot].end());
      drop_stale(command.sector, entries_[slot].end());
      complete_at(events().now() + Nanoseconds(config_.hit_overhead_ns), slot);
      settle_waiters();
  }
}

RotationalDevice::Slot RotationalDevice::take_slot(const DeviceCommand& command) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<Slot>(entries_.size()));
    entries_.emplace_back();
  }
  const Slot slot = free_slots_.back();
  free_slots_.pop_back();
  entries_[slot] = {.command = command, .place = {}, .arrival = events().now()};
  return slot;
}

void RotationalDevice::issue_read(Slot slot) {
  Entry& entry = entries_[slot];
  update_stream();
  ReadCache::Segment* segment = buffer_.find(entry.command.sector, entry.end());
  if (segment != nullptr) buffer_.touch(*segment, entry.end());
  if (segment != nullptr || dirty_.covers(entry.command.sector, entry.end())) {
    answer_from_buffer(slot);
    if (segment != nullptr && config_.read_ahead_again != 0) read_ahead_again(*segment);
    return;
  }
  const ReadCache::Segment* const part = buffer_.find(entry.command.sector, entry.command.sector + 1);
  entry.medium_from = part != nullptr ? part->end : entry.command.sector;
  entry.place = mechanics_.layout().place(entry.medium_from);
  entry.overhead = overhead(config_.read_overhead_ns, config_.read_after_write_overhead_ns);
  take_command(entry, part != nullptr ? hit_overhead() : entry.overhead);
  waiting_.push_back(slot);
  if (!arm_busy()) choose();
}

// The time of a command's overhead after a read, or after a write if that makes a difference.
Nanoseconds RotationalDevice::overhead(std::int64_t first, std::int64_t after_write) const {
  return Nanoseconds(last_was_write_ && after_write != RotationalConfig::same ? after_write : first);
}

std::int64_t RotationalDevice::write_bus_ns(SectorCount sectors) const {
  const bool differs = config_.write_bus_ns_per_sector != RotationalConfig::same;
  return (differs ? config_.write_bus_ns_per_sector : config_.bus_ns_per_sector) * std::int64_t{sectors};
}

// With overheads that overlap, the drive takes a command in as soon as the bus is free, whatever the arm does.
void RotationalDevice::take_command(Entry& entry, Nanoseconds on_bus) {
  if (config_.overlap_overhead == 0) return;
  const bool reads = work_.kind == Work::Kind::read || work_.kind == Work::Kind::stream_read;
  if (reads && std::max(work_.data_from, bus_free_) <= entry.arrival) send(work_);  // these data were there first
  const Nanoseconds begin = std::max(entry.arrival, bus_free_);
  entry.known = begin + entry.overhead;
  bus_free_ = begin + on_bus;
}

void RotationalDevice::issue_write(Slot slot) {
  Entry& entry = entries_[slot];
  if (!write_back(entry.command)) {
    drop_stale(entry.command.sector, entry.end());
    entry.overhead = overhead(config_.write_overhead_ns, config_.write_after_write_overhead_ns);
    take_command(entry, entry.overhead);
    const bool data_first = config_.write_data_ns == RotationalConfig::same;
    const Nanoseconds data_from =
        data_first ? entry.arrival
                   : std::max(entry.known, entry.arrival + entry.overhead) + Nanoseconds(config_.write_data_ns);
    entry.medium_from = entry.command.sector;
    entry.data_at = over_bus(data_from, write_bus_ns(entry.command.sectors));
    entry.place = mechanics_.layout().place(entry.command.sector);
    waiting_.push_back(slot);
  } else if (writes_waiting_.empty() && has_room(entry)) {
    accept_write(slot);
  } else {
    writes_waiting_.push_back(slot);
  }
  if (!arm_busy()) choose();
}

void RotationalDevice::issue_flush(Slot slot) {
  Entry& entry = entries_[slot];
  entry.order = next_order_;
  if (flush_done(entry)) {
    complete_at(entry.arrival + Nanoseconds(config_.hit_overhead_ns), slot);
    return;
  }
  flushes_.push_back(slot);
  if (!arm_busy()) choose();
}

bool RotationalDevice::has_room(const Entry& entry) const {
  const Sector on_the_way = work_.kind == Work::Kind::destage ? work_.end - work_.first : 0;
  const Sector held = dirty_.sectors() + on_the_way;
  return held == 0 || held + entry.command.sectors <= static_cast<Sector>(config_.write_cache_sectors);
}

void RotationalDevice::accept_write(Slot slot) {
  const Entry& entry = entries_[slot];
  drop_stale(entry.command.sector, entry.end());
  dirty_.add(entry.command.sector, entry.end(), next_order_++, longest_destage);
  const Nanoseconds before = planted(Mutant::rotational_write_without_overhead)
                                 ? 0ns
                                 : overhead(config_.write_overhead_ns, config_.write_after_write_overhead_ns);
  destage_from_ = events().now() + before;
  complete_at(over_bus(destage_from_, write_bus_ns(entry.command.sectors)) + Nanoseconds(config_.write_status_ns), slot);
}

void RotationalDevice::answer_from_buffer(Slot slot) {
  const Nanoseconds sent =
      over_bus(events().now() + hit_overhead(), config_.bus_ns_per_sector * std::int64_t{entries_[slot].command.sectors});
  complete_at(sent + Nanoseconds(config_.read_status_ns), slot);
}

void RotationalDevice::read_ahead_again(ReadCache::Segment& segment) {
  if (arm_busy() || stream_.running() || segment.end >= info_.capacity) return;
  segment_ = &segment;
  if (segment.end >= stream_limit()) return;
  arm_.next_block = segment.end;
  arm_.at = events().now();
  stream_.start(mechanics_, arm_);
}

bool RotationalDevice::flush_done(const Entry& flush) const {
  const bool on_the_way = work_.kind == Work::Kind::destage && work_.order < flush.order;
  if (on_the_way && !planted(Mutant::rotational_flush_early)) return false;
  return dirty_.next_older(arm_.next_block, flush.order) == dirty_.ranges().end();
}

// Something dirty has gone: room for the writes that wait, and an end for the flushes.
void RotationalDevice::settle_waiters() {
  while (!writes_waiting_.empty() && has_room(entries_[writes_waiting_.front()])) {
    accept_write(writes_waiting_.front());
    writes_waiting_.erase(writes_waiting_.begin());
  }
  while (!flushes_.empty() && flush_done(entries_[flushes_.front()])) {
    complete_at(events().now(), flushes_.front());
    flushes_.erase(flushes_.begin());
  }
}

// Written blocks leave the read buffer; a stream that feeds their segment ends.
void RotationalDevice::drop_stale(Sector first, Sector end) {
  update_stream();
  buffer_.invalidate(first, end);
  if (segment_ != nullptr && segment_->used == 0) {
    stream_.stop();
    segment_ = nullptr;
  }
}

// The bus is taken for `ns`, from `from` on or as soon as it is free.
Nanoseconds RotationalDevice::over_bus(Nanoseconds from, std::int64_t ns) {
  bus_free_ = std::max(from, bus_free_) + Nanoseconds(ns);
  return bus_free_;
}

// A read's data go out from `data_from` on, if the bus is free.
void RotationalDevice::send(Work& work) {
  if (work.sent) return;
  const auto sectors = static_cast<std::int64_t>(work.end - work.first);
  work.sent = std::max(over_bus(work.data_from, config_.bus_ns_per_sector * sectors), work.data_until);
  bus_free_ = *work.sent + Nanoseconds(config_.read_status_ns);
}

Nanoseconds RotationalDevice::least_time(const DeviceCommand& command) const {
  const auto least = [](std::int64_t first, std::int64_t after_write) {
    return Nanoseconds(after_write == RotationalConfig::same ? first : std::min(first, after_write));
  };
  switch (command.op) {
    case Op::read:
      return Nanoseconds(config_.bus_ns_per_sector * std::int64_t{command.sectors} + config_.read_status_ns) +
             std::min(least(config_.read_overhead_ns, config_.read_after_write_overhead_ns),
                      least(config_.hit_overhead_ns, config_.hit_after_write_overhead_ns));
    case Op::write:
      // Without the cache the transfer may overlap with the overhead.
      return least(config_.write_overhead_ns, config_.write_after_write_overhead_ns) +
             Nanoseconds(config_.write_status_ns + (write_back(command) ? write_bus_ns(command.sectors) : 0));
    case Op::discard:
      return Nanoseconds(config_.hit_overhead_ns);
    case Op::flush:
      break;
  }
  return 0ns;  // the last write that it waits for may just have reached the medium
}

bool RotationalDevice::on_medium(Sector first, SectorCount sectors) const {
  const Sector end = first + sectors;
  const bool on_the_way = work_.kind == Work::Kind::destage && work_.first < end && first < work_.end;
  return !on_the_way && !dirty_.overlaps(first, end);
}

}  // namespace elvcheck
