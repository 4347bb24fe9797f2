// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/ssd/ssd.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/core/mutant.hpp"

namespace elvcheck {

namespace {

FlashMap::Shape shape_of(const SsdConfig& config) {
  if (config.page_kib % 4 != 0) throw std::invalid_argument("page_kib: must be a multiple of 4");
  if (config.controller_serial_ns > config.controller_ns || config.write_serial_ns > config.write_ns) {
    throw std::invalid_argument("controller_serial_ns and write_serial_ns are parts of controller_ns and write_ns");
  }
  if (config.static_placement != 0 && config.planes * config.page_kib != 4) {
    throw std::invalid_argument("static_placement: only with one plane and page_kib 4");
  }
  FlashMap::Shape shape;
  shape.dies = static_cast<std::uint32_t>(config.channels * config.dies_per_channel);
  shape.blocks = static_cast<std::uint32_t>(config.blocks_per_die);
  shape.pages = static_cast<std::uint32_t>(config.pages_per_block);
  shape.slots = static_cast<std::uint32_t>(config.planes * config.page_kib / 4);
  const std::int64_t all = static_cast<std::int64_t>(shape.dies) * shape.blocks * shape.pages * shape.slots;
  shape.logical = static_cast<LogicalSlot>(std::min<std::int64_t>(all * 100 / (100 + config.spare_percent), ~0U - 1));
  const std::int64_t spare = config.blocks_per_die - config.blocks_per_die * 100 / (100 + config.spare_percent);
  shape.gc_below = static_cast<std::uint32_t>(std::max<std::int64_t>(3, spare * config.gc_percent / 100));
  // Every die must keep two open blocks and the free ones without running out of dead slots to collect.
  if (spare < 6) throw std::invalid_argument("fewer than 6 spare blocks a die: raise spare_percent or blocks_per_die");
  return shape;
}

}  // namespace

SsdDevice::SsdDevice(std::string name, const SsdConfig& config)
    : Device({.name = std::move(name),
              .queue_depth = static_cast<unsigned>(config.queue_depth),
              .rotational = false,
              .volatile_cache = config.volatile_cache != 0,
              .fua = config.fua != 0}),
      config_(config),
      slots_per_page_(shape_of(config).slots),
      map_(shape_of(config)),
      buffer_slots_(static_cast<std::size_t>(config.buffer_kib / 4)),
      dies_(map_.shape().dies),
      channels_(static_cast<std::size_t>(config.channels)) {
  info_.capacity = static_cast<Sector>(map_.shape().logical) * slot_sectors;
}

void SsdDevice::issue(const DeviceCommand& command) {
  const Slot slot = take_slot(command);
  switch (command.op) {
    case Op::read:
      events().schedule(through_controller(config_.controller_serial_ns, config_.controller_ns), Rank::host, *this,
                        std::uint64_t{slot} << 2 | 3);
      break;
    case Op::write:
      write_arrives(slot);
      break;
    case Op::flush:
      flush(slot);
      break;
    case Op::discard:
      discard(slot);
      break;
  }
}

SsdDevice::Slot SsdDevice::take_slot(const DeviceCommand& command) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<Slot>(entries_.size()));
    entries_.emplace_back();
  }
  const Slot slot = free_slots_.back();
  free_slots_.pop_back();
  entries_[slot] = {.command = command};
  return slot;
}

// The serial part is taken in turn, the rest overlaps with that of other commands.
Nanoseconds SsdDevice::through_controller(std::int64_t serial_ns, std::int64_t whole_ns) {
  controller_free_ = std::max(events().now(), controller_free_) + Nanoseconds(serial_ns);
  return controller_free_ + Nanoseconds(whole_ns - serial_ns);
}

Nanoseconds SsdDevice::over_link(Nanoseconds from, std::uint64_t bytes) {
  link_free_ = std::max(from, link_free_) + Nanoseconds(transfer_ns(static_cast<std::int64_t>(bytes), config_.link_mb_s));
  return link_free_;
}

// The controller knows where the data are: slots in the buffer cross the link at once, neighbours on one page are read
// together.
void SsdDevice::read_ready(Slot slot) {
  const DeviceCommand command = entries_[slot].command;
  const Sector end = command.sector + command.sectors;
  std::uint32_t buffered = 0;
  std::optional<Operation> read;
  std::uint32_t die = 0;
  std::uint64_t page = 0;
  const auto send = [&] {
    if (!read) return;
    ++entries_[slot].pieces;
    enqueue(die, std::move(*read));
    read.reset();
  };
  entries_[slot].pieces = 1;  // held until all are sent
  for (LogicalSlot at = entries_[slot].first_slot(); at < entries_[slot].slot_end(); ++at) {
    const Sector first = std::max<Sector>(command.sector, Sector{at} * slot_sectors);
    const Sector behind = std::min<Sector>(end, (Sector{at} + 1) * slot_sectors);
    const auto bytes = static_cast<std::uint32_t>((behind - first) * sector_bytes);
    if (buffer_.holds(at)) {
      buffered += bytes;
      continue;
    }
    const auto address = map_.find(at);
    // Striped pages of slots never written get numbers behind all real ones.
    const std::uint64_t its_page = address ? map_.page_of(*address) : (std::uint64_t{1} << 32) + at / slots_per_page_;
    if (read && its_page == page) {
      read->bytes += bytes;
      continue;
    }
    send();
    page = its_page;
    die = address ? map_.die_of(*address) : home_die(at);
    read = Operation{.kind = Operation::Kind::read, .command = slot, .bytes = bytes};
  }
  send();
  data_arrived(slot, buffered);
}

// Some of a read's data have left their channel or the buffer.
void SsdDevice::data_arrived(Slot slot, std::uint32_t bytes) {
  Entry& entry = entries_[slot];
  const bool crosses = bytes > 0 && !planted(Mutant::ssd_read_skips_link);
  entry.done_at = std::max(entry.done_at, crosses ? over_link(events().now(), bytes) : events().now());
  if (--entry.pieces == 0) complete_at(entry.done_at, slot);
}

void SsdDevice::write_arrives(Slot slot) {
  if (writes_waiting_.empty() && has_room(entries_[slot])) {
    accept_write(slot);
  } else {
    writes_waiting_.push_back(slot);
  }
}

bool SsdDevice::has_room(const Entry& entry) const {
  return buffer_.size() == 0 || buffer_.size() + (entry.slot_end() - entry.first_slot()) <= buffer_slots_;
}

void SsdDevice::accept_write(Slot slot) {
  Entry& entry = entries_[slot];
  const bool fua = entry.command.fua || config_.write_through != 0;
  const std::uint64_t bytes = entry.command.sectors * sector_bytes;
  const Nanoseconds taken = over_link(through_controller(config_.write_serial_ns, config_.write_serial_ns), bytes) +
                            Nanoseconds(config_.write_ns - config_.write_serial_ns);
  for (LogicalSlot at = entry.first_slot(); at < entry.slot_end(); ++at) buffer_.put(at, fua ? slot : WriteBuffer::nobody);
  if (fua) {
    entry.pieces = entry.slot_end() - entry.first_slot();
    entry.done_at = taken;
    fua_pending_ += entry.pieces;
  } else {
    complete_at(taken, slot);
  }
  empty_buffer();
}

void SsdDevice::accept_waiting_writes() {
  while (!writes_waiting_.empty() && has_room(entries_[writes_waiting_.front()])) {
    const Slot slot = writes_waiting_.front();
    writes_waiting_.pop_front();
    accept_write(slot);
  }
}

void SsdDevice::discard(Slot slot) {
  const DeviceCommand& command = entries_[slot].command;
  const auto first = static_cast<LogicalSlot>((command.sector + slot_sectors - 1) / slot_sectors);
  const auto behind = static_cast<LogicalSlot>((command.sector + command.sectors) / slot_sectors);
  for (LogicalSlot at = first; at < behind && buffer_.size() > 0; ++at) buffer_.drop(at);
  if (first < behind) map_.forget(first, behind);
  complete_at(through_controller(config_.controller_serial_ns, config_.controller_ns), slot);
  for (const WriteBuffer::Retired& entry : buffer_.take_dropped()) retired(entry);
  accept_waiting_writes();
}

void SsdDevice::flush(Slot slot) {
  Entry& entry = entries_[slot];
  entry.order = buffer_.next_order();
  entry.remaining = buffer_.size();
  if (entry.remaining == 0) {
    complete_at(events().now() + Nanoseconds(config_.write_ns), slot);
    return;
  }
  if (planted(Mutant::ssd_flush_early)) entry.remaining = 1;
  flushes_.push_back(slot);
  empty_buffer();
}

// A slot has left the buffer: a step towards the end of the flushes and FUA writes that count on it.
void SsdDevice::retired(const WriteBuffer::Retired& gone) {
  if (gone.owner != WriteBuffer::nobody) {
    --fua_pending_;
    Entry& owner = entries_[gone.owner];
    if (--owner.pieces == 0) complete_at(std::max(owner.done_at, events().now()), gone.owner);
  }
  std::erase_if(flushes_, [&](Slot slot) {
    Entry& flush = entries_[slot];
    if (gone.order >= flush.order || --flush.remaining > 0) return false;
    complete_at(events().now() + Nanoseconds(config_.write_ns), slot);
    return true;
  });
}

Nanoseconds SsdDevice::least_time(const DeviceCommand& command) const {
  const Nanoseconds link(transfer_ns(static_cast<std::int64_t>(command.sectors * sector_bytes), config_.link_mb_s));
  switch (command.op) {
    case Op::read:
      return Nanoseconds(config_.controller_ns) + link;
    case Op::write:
      return Nanoseconds(config_.write_ns) + link;
    case Op::flush:
      return Nanoseconds(config_.write_ns);
    case Op::discard:
      break;
  }
  return Nanoseconds(config_.controller_ns);
}

bool SsdDevice::on_medium(Sector first, SectorCount sectors) const {
  if (!info_.volatile_cache) return true;
  const auto end = static_cast<LogicalSlot>((first + sectors + slot_sectors - 1) / slot_sectors);
  for (auto at = static_cast<LogicalSlot>(first / slot_sectors); at < end; ++at) {
    if (buffer_.holds(at)) return false;
  }
  return true;
}

}  // namespace elvcheck
