// SPDX-License-Identifier: GPL-2.0-or-later
// The flash side of SsdDevice: dies and channels, programs from the buffer, collection.
#include <algorithm>
#include <utility>

#include "model/core/mutant.hpp"
#include "model/device/ssd/ssd.hpp"

namespace elvcheck {

namespace {

constexpr std::uint32_t slot_bytes = slot_sectors * static_cast<std::uint32_t>(sector_bytes);

// The number of an event: its kind in the two lowest bits, then a command's slot, a die or a channel.
enum EventNumber : std::uint64_t { completion = 0, array_ready = 1, channel_ready = 2, controller_ready = 3 };

}  // namespace

void SsdDevice::on_event(std::uint64_t what) {
  const auto which = static_cast<std::uint32_t>(what >> 2);
  switch (what & 3) {
    case completion:
      return release(which);
    case array_ready:
      return array_done(which);
    case channel_ready:
      return transfer_done(which);
    case controller_ready:
      return read_ready(which);
  }
}

void SsdDevice::complete_at(Nanoseconds at, Slot slot) {
  events().schedule(at, Rank::host, *this, std::uint64_t{slot} << 2 | completion);
}

void SsdDevice::release(Slot slot) {
  const std::uint32_t tag = entries_[slot].command.tag;
  free_slots_.push_back(slot);
  done(tag);
}

void SsdDevice::enqueue(std::uint32_t index, Operation operation) {
  Die& die = dies_[index];
  auto place = die.queue.end();
  if (config_.reads_first != 0 && operation.kind == Operation::Kind::read) {
    // Not before a program whose data are on their way or there.
    const auto first = die.queue.begin() + (die.loading || (!die.queue.empty() && die.queue.front().loaded) ? 1 : 0);
    place = std::find_if(first, die.queue.end(), [](const Operation& waiting) { return waiting.is_program(); });
  }
  die.queue.insert(place, std::move(operation));
  if (!die.current) {
    start_next(index);
  } else if (die.queue.size() == 1 && die.current->loaded) {
    load_next(index);
  }
}

// An idle die takes the host's next operation, or a step of the collector; in turn when only the collector's reserve is
// left.
void SsdDevice::start_next(std::uint32_t index) {
  Die& die = dies_[index];
  if (die.loading) return;  // the program whose data are on the way comes next
  const bool loaded = !die.queue.empty() && die.queue.front().loaded;
  const bool gc_goes_on = config_.gc_first != 0 && (die.collection.active || die.burst_left > 0);
  const bool collector_first = map_.free_blocks(index) <= 1 && !die.collector_was_last && !loaded;
  // With static placement a program gets its page only now.
  const bool no_page = config_.static_placement != 0 && !die.queue.empty() && die.queue.front().is_program() &&
                       !map_.has_page(index, FlashMap::Writer::host);
  if (collector_first || gc_goes_on || no_page || die.queue.empty()) {
    if (auto step = next_collection_step(index)) {
      die.collector_was_last = true;
      return start(index, std::move(*step));
    }
  }
  if (die.queue.empty() || no_page) return;
  die.collector_was_last = false;
  Operation next = std::move(die.queue.front());
  die.queue.pop_front();
  start(index, std::move(next));
}

void SsdDevice::start(std::uint32_t index, Operation operation) {
  Die& die = dies_[index];
  die.current = std::move(operation);
  if (config_.static_placement != 0 && die.current->kind == Operation::Kind::program) {
    die.current->page = map_.take_page(index, FlashMap::Writer::host);
  }
  switch (die.current->kind) {
    case Operation::Kind::program:
    case Operation::Kind::collect_program:
      return die.current->loaded ? program_loaded(index) : ask_channel(index);
    case Operation::Kind::read:
    case Operation::Kind::collect_read:
      if (config_.channel_commands == 0) return run_array(index, config_.read_ns);
      die.commanding = true;
      return ask_channel(index);
    case Operation::Kind::erase:
      return run_array(index, config_.erase_ns);
  }
}

void SsdDevice::run_array(std::uint32_t index, std::int64_t ns) {
  events().schedule(events().now() + Nanoseconds(ns), Rank::host, *this, std::uint64_t{index} << 2 | array_ready);
}

void SsdDevice::array_done(std::uint32_t index) {
  const Operation::Kind kind = dies_[index].current->kind;
  if (kind == Operation::Kind::read || kind == Operation::Kind::collect_read) {
    ask_channel(index);  // the die keeps the data until they are carried away
  } else {
    finish(index);
  }
}

void SsdDevice::ask_channel(std::uint32_t index) {
  Channel& channel = channels_[channel_of(index)];
  auto place = channel.dies.end();
  if (config_.channel_commands != 0 && !dies_[index].commanding && !channel.dies.empty()) {
    place = std::find_if(channel.dies.begin() + 1, channel.dies.end(),
                         [this](std::uint32_t other) { return dies_[other].commanding; });
  }
  channel.dies.insert(place, index);
  if (channel.dies.size() == 1) begin_transfer(channel_of(index));
}

void SsdDevice::begin_transfer(std::uint32_t channel) {
  const Die& die = dies_[channels_[channel].dies.front()];
  if (die.commanding) {
    events().schedule(events().now(), Rank::host, *this, std::uint64_t{channel} << 2 | channel_ready);
    return;
  }
  const std::uint32_t bytes = die.loading ? die.queue.front().bytes : die.current->bytes;
  events().schedule(events().now() + Nanoseconds(transfer_ns(bytes, config_.channel_mb_s)), Rank::host, *this,
                    std::uint64_t{channel} << 2 | channel_ready);
}

void SsdDevice::transfer_done(std::uint32_t channel) {
  std::deque<std::uint32_t>& dies = channels_[channel].dies;
  const std::uint32_t index = dies.front();
  dies.pop_front();
  if (!dies.empty()) begin_transfer(channel);
  Die& die = dies_[index];
  if (die.commanding) {
    die.commanding = false;
    run_array(index, config_.read_ns);
  } else if (die.loading) {
    die.loading = false;
    die.queue.front().loaded = true;
    if (!die.current) start_next(index);
  } else if (die.current->is_program()) {
    program_loaded(index);
  } else {
    finish(index);
  }
}

void SsdDevice::program_loaded(std::uint32_t index) {
  dies_[index].current->loaded = true;
  run_array(index, config_.program_ns);
  load_next(index);
}

// The array programs; its register is free for the data of the next program.
void SsdDevice::load_next(std::uint32_t index) {
  Die& die = dies_[index];
  if (config_.cache_register == 0) return;
  if (die.queue.empty() || !die.queue.front().is_program() || die.queue.front().loaded || die.loading) return;
  die.loading = true;
  ask_channel(index);
}

void SsdDevice::finish(std::uint32_t index) {
  Die& die = dies_[index];
  const Operation operation = std::move(*die.current);  // current stays set: nothing starts in between
  switch (operation.kind) {
    case Operation::Kind::read:
      data_arrived(operation.command, operation.bytes);
      break;
    case Operation::Kind::program:
      program_done(index, operation);
      break;
    case Operation::Kind::collect_read:
      for (const FlashMap::Live& live : map_.live(operation.page)) die.collection.staged.push_back(live);
      break;
    case Operation::Kind::collect_program: {
      map_.commit_page(operation.page);
      FlashAddress address = operation.page;
      for (const FlashMap::Live& moved : die.collection.moving) {
        // Unless the host has written or discarded the slot meanwhile.
        if (map_.find(moved.slot) == moved.address) map_.place(moved.slot, address);
        ++address;
      }
      work_.moved_slots += die.collection.moving.size();
      die.collection.moving.clear();
      break;
    }
    case Operation::Kind::erase:
      map_.erase(index, operation.block);
      ++work_.erases;
      die.collection = {};
      break;
  }
  die.current.reset();
  if (operation.kind == Operation::Kind::program || operation.kind == Operation::Kind::erase) empty_buffer();
  if (!die.current) start_next(index);
}

void SsdDevice::program_done(std::uint32_t index, const Operation& operation) {
  --dies_[index].programs;
  map_.commit_page(operation.page);
  FlashAddress address = operation.page;
  work_.host_slots += operation.written.size();
  for (const WriteBuffer::Id id : operation.written) {
    const WriteBuffer::Retired entry = buffer_.retire(id);
    if (entry.slot) map_.place(*entry.slot, address);
    ++address;
    retired(entry);
  }
  accept_waiting_writes();
}

// Hands pages to idle dies as long as the buffer holds full ones; partly filled ones only if somebody waits for them.
void SsdDevice::empty_buffer() {
  while (config_.static_placement != 0 && buffer_.has(1)) {
    Operation program{.kind = Operation::Kind::program};
    program.written = buffer_.take(1);
    program.bytes = slot_bytes;
    const std::uint32_t die = home_die(buffer_.slot(program.written.front()));
    ++dies_[die].programs;
    enqueue(die, std::move(program));
  }
  const bool hurried = !flushes_.empty() || fua_pending_ > 0;
  while (buffer_.has(hurried ? 1 : slots_per_page_)) {
    const auto die = die_for_program();
    if (!die) return;
    Operation program{.kind = Operation::Kind::program};
    program.written = buffer_.take(slots_per_page_);
    program.bytes = static_cast<std::uint32_t>(program.written.size()) * slot_bytes;
    program.page = map_.take_page(*die, FlashMap::Writer::host);
    ++dies_[*die].programs;
    enqueue(*die, std::move(program));
  }
}

// The next die in turn with a page for the host and nothing to program; otherwise one that programs and can load the next
// page.
std::optional<std::uint32_t> SsdDevice::die_for_program() {
  const auto count = static_cast<std::uint32_t>(dies_.size());
  for (unsigned programs = 0; programs < 2; ++programs) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t die = (next_die_ + i) % count;
      if (dies_[die].programs != programs) continue;
      if (!map_.has_page(die, FlashMap::Writer::host)) {
        if (!dies_[die].current) start_next(die);  // its collector may have found nothing dead so far
        continue;
      }
      next_die_ = (die + 1) % count;
      return die;
    }
  }
  return std::nullopt;
}

std::optional<SsdDevice::Operation> SsdDevice::next_collection_step(std::uint32_t index) {
  Collection& collection = dies_[index].collection;
  if (!collection.active) {
    std::int64_t& burst = dies_[index].burst_left;
    if (burst == 0 && !map_.wants_collection(index)) return std::nullopt;
    burst = std::max<std::int64_t>(burst == 0 ? config_.gc_burst - 1 : burst - 1, 0);
    const auto victim = map_.victim(index);
    if (!victim) return std::nullopt;
    collection.active = true;
    collection.block = *victim;
    if (planted(Mutant::ssd_erases_live_block)) return Operation{.kind = Operation::Kind::erase, .block = *victim};
  }
  // Dead by now: what the host has overwritten since it was read.
  std::erase_if(collection.staged, [this](const FlashMap::Live& live) { return map_.find(live.slot) != live.address; });
  while (collection.staged.size() < slots_per_page_ && collection.next_page < map_.shape().pages) {
    const FlashAddress page = map_.page_address(index, collection.block, collection.next_page++);
    const std::size_t live = map_.live(page).size();
    if (live == 0) continue;
    return Operation{
        .kind = Operation::Kind::collect_read, .bytes = static_cast<std::uint32_t>(live) * slot_bytes, .page = page};
  }
  if (collection.staged.empty()) return Operation{.kind = Operation::Kind::erase, .block = collection.block};
  const auto count = std::min<std::size_t>(collection.staged.size(), slots_per_page_);
  const auto behind = collection.staged.begin() + static_cast<std::ptrdiff_t>(count);
  collection.moving.assign(collection.staged.begin(), behind);
  collection.staged.erase(collection.staged.begin(), behind);
  return Operation{.kind = Operation::Kind::collect_program,
                   .bytes = static_cast<std::uint32_t>(count) * slot_bytes,
                   .page = map_.take_page(index, FlashMap::Writer::collector)};
}

}  // namespace elvcheck
