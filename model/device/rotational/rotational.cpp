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
    return;
  }
  entry.place = mechanics_.layout().place(entry.command.sector);
  waiting_.push_back(slot);
  if (!arm_busy()) choose();
}

void RotationalDevice::issue_write(Slot slot) {
  Entry& entry = entries_[slot];
  if (!write_back(entry.command)) {
    drop_stale(entry.command.sector, entry.end());
    entry.data_at = over_bus(entry.arrival, entry.command.sectors);
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
  const Nanoseconds overhead(planted(Mutant::rotational_write_without_overhead) ? 0 : config_.write_overhead_ns);
  complete_at(over_bus(events().now() + overhead, entry.command.sectors), slot);
}

void RotationalDevice::answer_from_buffer(Slot slot) {
  complete_at(over_bus(events().now() + Nanoseconds(config_.hit_overhead_ns), entries_[slot].command.sectors), slot);
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

Nanoseconds RotationalDevice::over_bus(Nanoseconds from, std::uint64_t sectors) {
  bus_free_ = std::max(from, bus_free_) + Nanoseconds(config_.bus_ns_per_sector * static_cast<std::int64_t>(sectors));
  return bus_free_;
}

Nanoseconds RotationalDevice::least_time(const DeviceCommand& command) const {
  const Nanoseconds bus(config_.bus_ns_per_sector * static_cast<std::int64_t>(command.sectors));
  switch (command.op) {
    case Op::read:
      return bus + Nanoseconds(std::min(config_.read_overhead_ns, config_.hit_overhead_ns));
    case Op::write:
      // Without the cache the transfer may overlap with the overhead.
      return Nanoseconds(config_.write_overhead_ns) + (write_back(command) ? bus : 0ns);
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
