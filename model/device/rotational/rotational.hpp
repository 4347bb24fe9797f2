// SPDX-License-Identifier: GPL-2.0-or-later
// A rotating disk: zones and skews (layout), arm and rotation (seek_curve, mechanics), read-ahead (stream, read_cache), a
// write-back cache and a command queue in the order of rotational position.
//
// It mirrors the drive of Ruemmler and Wilkes (An introduction to disk drive modeling, IEEE Computer 27(3), 1994) and of the
// DiskSim 4.0 manual (CMU-PDL-08-101): a command pays its overhead, the movement max(seek, head switch) plus settling for
// writes, the wait for its first block, and the passing of its blocks with the skew at each track's end; data cross the bus
// as they come.
//  - Reads. A read leaves its blocks in a buffer segment, and the head reads on into it until it is one segment (or so far
//  as the
//    drive does) ahead of the host or something else needs the arm. A read inside a segment costs the hit overhead and the
//    bus; one that begins inside gets the rest from the medium. A read that begins in the running stream, or at most
//    `reach_sectors` ahead of the head, waits for the head to get there instead of seeking. With `keep_passing` the blocks
//    of the track that pass before a read's first one are kept, too.
//  - The bus. With `overlap_overhead` a command is taken in as soon as the bus is free, whatever the arm does, and takes it
//    before data that wait; until then it is not chosen. The drive's data begin to move when `bus_start_permille` of them
//    are in the buffer.
//  - Writes. With the write-back cache a write completes after overhead and bus if the dirty data stay within the limit,
//  otherwise
//    it waits for room. Dirty data go to the medium when nothing else is to do, when they exceed three quarters of the
//    limit, when a write waits for room, or when a flush waits. A flush completes when everything that was dirty at its
//    issue is on the medium; an FUA write completes when it is there itself.
//  - The queue (order 1; others are in order of issue, and C-LOOK). Next comes what is in the buffer, then what the running
//  stream will reach, then the command with the least
//    positioning time less `age_permille` of its age; one older than `age_limit_ns` comes before all. A transfer in progress
//    is never broken off. Dirty data take part in the choice with the 32 ranges that follow the arm.
// Promises: the choice and the service use one function (Mechanics::position); a command waits at most age_limit_ns plus one
// service for each command in the device, a flush that long for each dirty range; no write is lost between cache and medium.
//
// Held against DiskSim and four real drives by `elvcheck validate-device`. Left out: reads of a track from wherever the head
// lands (a bus slower than the medium, which sends blocks in order, hides their gain), reads that begin in the write cache
// and end on the medium (they go to the medium as a whole), power states, errors.
#pragma once

#include <optional>
#include <vector>

#include "model/device/device.hpp"
#include "model/device/dirty_ranges.hpp"
#include "model/device/medium_view.hpp"
#include "model/device/rotational/config.hpp"
#include "model/device/rotational/mechanics.hpp"
#include "model/device/rotational/read_cache.hpp"
#include "model/device/rotational/stream.hpp"

namespace elvcheck {

class RotationalDevice final : public Device, public MediumView, private Actor {
 public:
  /// Throws std::invalid_argument if the configuration has no disk (see Mechanics and SeekCurve).
  RotationalDevice(std::string name, const RotationalConfig& config);

  void issue(const DeviceCommand& command) override;
  Nanoseconds least_time(const DeviceCommand& command) const override;
  bool on_medium(Sector first, SectorCount sectors) const override;
  const Mechanics& mechanics() const { return mechanics_; }
  /// Sets the arm, which must be at rest, where a transfer up to the block before `behind` > 0 leaves it.
  void put_arm(Sector behind);

 private:
  using Slot = std::uint32_t;

  /// A command inside the device.
  struct Entry {
    DeviceCommand command;
    Sector medium_from = 0;  // the blocks before are in the buffer
    Place place;             // of that block
    Nanoseconds arrival{0};
    Nanoseconds overhead{0};  // of the command
    Nanoseconds known{0};     // if overheads overlap: its overhead is over, it may be chosen
    Nanoseconds data_at{0};   // writes: the drive has the data
    std::uint64_t order = 0;  // flushes: everything dirty with a lower number
    Sector end() const { return command.sector + command.sectors; }
  };

  /// What the arm is doing.
  struct Work {
    enum class Kind : std::uint8_t { none, read, stream_read, write, destage, hold };
    Kind kind = Kind::none;
    Slot slot = 0;
    Sector first = 0;      // of the transfer
    Sector kept_from = 0;  // reads: passed before and is kept, too
    Sector end = 0;
    std::uint64_t order = 0;          // destage
    Nanoseconds data_from{0};         // reads: enough of the blocks have passed, and the overhead is over
    Nanoseconds data_until{0};        // reads: the bus transfer cannot end earlier, since the last blocks pass so late
    std::optional<Nanoseconds> sent;  // reads: the end of the bus transfer, once it has got the bus
    Arm arm;                          // afterwards
  };

  /// A candidate for the arm: a command, or a dirty range.
  struct Choice {
    std::int64_t cost = 0;
    std::optional<Slot> slot;
    Sector destage = 0;
  };

  void on_event(std::uint64_t what) override;
  Slot take_slot(const DeviceCommand& command);
  void complete_at(Nanoseconds at, Slot slot);
  Nanoseconds overhead(std::int64_t first, std::int64_t after_write) const;
  std::int64_t write_bus_ns(SectorCount sectors) const;
  void take_command(Entry& entry, Nanoseconds on_bus);
  Nanoseconds hit_overhead() const { return overhead(config_.hit_overhead_ns, config_.hit_after_write_overhead_ns); }
  void release(Slot slot);

  // Commands, buffer and cache (rotational.cpp).
  void issue_read(Slot slot);
  void issue_write(Slot slot);
  void issue_flush(Slot slot);
  bool write_back(const DeviceCommand& command) const { return config_.write_cache_sectors > 0 && !command.fua; }
  bool has_room(const Entry& entry) const;
  void accept_write(Slot slot);
  void answer_from_buffer(Slot slot);
  void read_ahead_again(ReadCache::Segment& segment);
  bool flush_done(const Entry& flush) const;
  void settle_waiters();
  void drop_stale(Sector first, Sector end);
  Nanoseconds over_bus(Nanoseconds from, std::int64_t ns);
  void send(Work& work);

  // What the arm does next, and doing it (arm.cpp).
  bool arm_busy() const { return work_.kind != Work::Kind::none; }
  void choose();
  void answer_what_arrived();
  bool serve_stream();
  Nanoseconds waiting_since(const std::vector<Slot>& queue) const;
  Nanoseconds destage_wanted_since() const;
  std::optional<Choice> best_choice(Nanoseconds now) const;
  void consider_destage(Nanoseconds now, Nanoseconds waiting_since, std::optional<Choice>& best) const;
  Nanoseconds ready_time(const Entry& entry, Nanoseconds now) const;
  Nanoseconds data_needed(const Entry& entry) const;
  Sector kept_from(const Entry& entry, const Access& access) const;
  std::optional<Slot> first_known(Nanoseconds now) const;
  std::optional<Slot> next_upwards(Nanoseconds now) const;
  Sector stream_limit() const;
  std::int64_t cost(Sector block, const Place& place, bool write, Nanoseconds ready, Nanoseconds since) const;
  void begin_command(Slot slot);
  void begin_destage(Sector first);
  void occupy_arm(const Work& work, Nanoseconds until);
  void arm_done();
  Nanoseconds finish_read(Work work);
  void update_stream();
  void wake_at_stream_end();

  RotationalConfig config_;
  Mechanics mechanics_;
  ReadCache buffer_;
  std::vector<Entry> entries_;
  std::vector<Slot> free_slots_;
  std::vector<Slot> waiting_;         // for the arm, in order of issue
  std::vector<Slot> writes_waiting_;  // for room in the cache, in order of issue
  std::vector<Slot> flushes_;         // in order of issue
  DirtyRanges dirty_;
  std::uint64_t next_order_ = 1;
  Work work_;
  Arm arm_;
  Stream stream_;
  ReadCache::Segment* segment_ = nullptr;  // that the stream fills
  Nanoseconds bus_free_{0};
  Nanoseconds destage_from_{0};  // the newest dirty data are in the cache
  bool last_was_write_ = false;  // the command completed last
  Sector served_ = 0;            // where the command chosen last begins
  std::uint64_t wake_ = 0;       // generation of the stream-end event
};

}  // namespace elvcheck
