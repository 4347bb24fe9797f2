// SPDX-License-Identifier: GPL-2.0-or-later
// A flash device: a controller, channels with dies behind them, page-level mapping, a write buffer and garbage collection.
//
// It mirrors the structure on which the published simulators agree (A. Tavakkol and others, MQSim, FAST 2018, for one):
//  - A read passes the controller (partly one command at a time), then each page that it needs keeps its die busy for the
//  array
//    read and until the channel has carried the data away, then the data cross the host link.
//  - A write is complete when it is in the buffer; it waits if the buffer is full. As soon as the buffer holds a page's
//  worth, the
//    next idle die in turn gets it: channel transfer, then the program of one page in every plane.
//    While it programs, a die's register already takes the data of the next program, if that is next in line.
//  - A die, a channel and the link are given to the next in line when they become free, never reserved ahead: a transfer
//  that
//    waits for a busy die must not keep the channel from others. A die takes reads and programs in order of arrival; no
//    suspension.
//  - Collection is greedy: when a die runs low on free blocks, the full block with the fewest live slots is read page by
//  page,
//    its live slots are programmed into a block of the collector's own, and it is erased. The steps yield to the host's
//    commands until the last free block; from there on they come first.
//  - A flush completes when everything in the buffer at its issue is on flash, an FUA write when it is itself; while one
//  waits,
//    pages are programmed partly filled. A discard forgets whole slots and costs controller time only.
//  - A slot never written reads as if the device had been filled once from end to end: from the die where striping would
//  have put
//    it. So a device of terabytes needs no memory for what a run does not write.
//  - Variants for the comparison with MQSim, whose drive has no write cache: a write completes when it is programmed, goes
//  to
//    the die of its number, waits behind reads; an array read needs its channel free for the command; collection of a die,
//    once begun, comes before the host.
// Promises: the map is a bijection between written slots and live pages, and no live page is erased (check()).
//
// Left out: wear, read disturb, the read half of a write that covers 4 KiB only partly, an SLC cache, the map's own flash
// traffic.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "model/device/device.hpp"
#include "model/device/medium_view.hpp"
#include "model/device/ssd/config.hpp"
#include "model/device/ssd/flash_map.hpp"
#include "model/device/ssd/write_buffer.hpp"

namespace elvcheck {

class SsdDevice final : public Device, public MediumView, private Actor {
 public:
  /// Throws std::invalid_argument if the page is no multiple of 4 KiB, the serial part of a time is longer than the whole,
  /// or too few blocks are spare to collect at all.
  SsdDevice(std::string name, const SsdConfig& config);

  void issue(const DeviceCommand& command) override;
  Nanoseconds least_time(const DeviceCommand& command) const override;
  bool on_medium(Sector first, SectorCount sectors) const override;

  /// Slots that the host's writes and the collector have programmed, and blocks erased.
  struct Work {
    std::uint64_t host_slots = 0;
    std::uint64_t moved_slots = 0;
    std::uint64_t erases = 0;
  };
  const Work& work() const { return work_; }
  /// See FlashMap::check().
  std::string check() const override { return map_.check(); }

 private:
  using Slot = std::uint32_t;  // of a command

  struct Entry {
    DeviceCommand command;
    std::uint32_t pieces = 0;     // reads: pages still to come; FUA writes: slots still to be programmed
    std::uint64_t order = 0;      // flushes: covers what has a lower number
    std::uint64_t remaining = 0;  // flushes: that many of them are not on flash
    Nanoseconds done_at{0};       // reads: the last data so far are across the link
    LogicalSlot first_slot() const { return static_cast<LogicalSlot>(command.sector / slot_sectors); }
    LogicalSlot slot_end() const {
      return static_cast<LogicalSlot>((command.sector + command.sectors + slot_sectors - 1) / slot_sectors);
    }
  };

  /// What a die does or will do.
  struct Operation {
    enum class Kind : std::uint8_t { read, program, collect_read, collect_program, erase };
    Kind kind = Kind::read;
    Slot command = 0;                           // read
    std::uint32_t bytes = 0;                    // over the channel
    FlashAddress page = 0;                      // all but read
    std::uint32_t block = 0;                    // erase
    std::vector<WriteBuffer::Id> written = {};  // program
    bool loaded = false;                        // programs: the data are in the die's register
    bool is_program() const { return kind == Kind::program || kind == Kind::collect_program; }
  };

  /// The collection of one block.
  struct Collection {
    bool active = false;
    std::uint32_t block = 0;
    std::uint32_t next_page = 0;
    std::vector<FlashMap::Live> staged;  // read, not yet programmed
    std::vector<FlashMap::Live> moving;  // being programmed
  };

  struct Die {
    std::deque<Operation> queue;
    std::optional<Operation> current;
    unsigned programs = 0;    // of the host's, queued or under way
    bool loading = false;     // the first in the queue is a program that waits for or has the channel
    bool commanding = false;  // the current read waits for the channel to carry its command
    bool collector_was_last = false;
    std::int64_t burst_left = 0;  // blocks still to be collected in a row
    Collection collection;
  };

  struct Channel {
    std::deque<std::uint32_t> dies;  // waiting for a transfer; the first has it
  };

  void on_event(std::uint64_t what) override;
  Slot take_slot(const DeviceCommand& command);
  void complete_at(Nanoseconds at, Slot slot);
  void release(Slot slot);
  Nanoseconds through_controller(std::int64_t serial_ns, std::int64_t whole_ns);
  Nanoseconds over_link(Nanoseconds from, std::uint64_t bytes);

  // Commands (ssd.cpp).
  void read_ready(Slot slot);
  void write_arrives(Slot slot);
  bool has_room(const Entry& entry) const;
  void accept_write(Slot slot);
  void accept_waiting_writes();
  void discard(Slot slot);
  void flush(Slot slot);
  void data_arrived(Slot slot, std::uint32_t bytes);
  void retired(const WriteBuffer::Retired& entry);

  // Dies and channels (dies.cpp).
  std::uint32_t home_die(LogicalSlot slot) const {
    return slot / slots_per_page_ % static_cast<std::uint32_t>(dies_.size());
  }
  std::uint32_t channel_of(std::uint32_t die) const { return die % static_cast<std::uint32_t>(channels_.size()); }
  void enqueue(std::uint32_t die, Operation operation);
  void start_next(std::uint32_t die);
  void start(std::uint32_t die, Operation operation);
  void run_array(std::uint32_t die, std::int64_t ns);
  void array_done(std::uint32_t die);
  void ask_channel(std::uint32_t die);
  void begin_transfer(std::uint32_t channel);
  void transfer_done(std::uint32_t channel);
  void program_loaded(std::uint32_t die);
  void load_next(std::uint32_t die);
  void finish(std::uint32_t die);
  void program_done(std::uint32_t die, const Operation& operation);
  void empty_buffer();
  std::optional<std::uint32_t> die_for_program();
  std::optional<Operation> next_collection_step(std::uint32_t die);

  SsdConfig config_;
  std::uint32_t slots_per_page_;
  FlashMap map_;
  WriteBuffer buffer_;
  std::size_t buffer_slots_;
  std::vector<Entry> entries_;
  std::vector<Slot> free_slots_;
  std::deque<Slot> writes_waiting_;
  std::vector<Slot> flushes_;
  std::size_t fua_pending_ = 0;
  std::vector<Die> dies_;
  std::vector<Channel> channels_;
  std::uint32_t next_die_ = 0;  // where the search for an idle die begins
  Nanoseconds controller_free_{0};
  Nanoseconds link_free_{0};
  Work work_;
};

}  // namespace elvcheck
