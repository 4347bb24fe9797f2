// SPDX-License-Identifier: GPL-2.0-or-later
// A disk array with a battery-backed write cache: the device on which fsync-bound loads made the case against idling.
//
// It mirrors a mid-range Fibre Channel array of about 2010 as a host sees it: a write is safe in the controller's memory
// after a latency of its own, many in parallel, and the link serialises the data. The latency is drawn uniformly around its
// mean, from one seeded generator in order of issue: constant latencies would lock the phase between a load and the kernel's
// tick. A read is answered from the cache, or else by the spindles behind it: `spindles` disks of the ent-15k-2008 kind,
// striped. A flush is a no-op of one write latency. Dirty data drain at a constant rate; a write that finds the cache full
// waits for room. The device calls itself rotational, although it answers faster than a scheduler idles: that contradiction
// is the point. Promise: a completed write survives a power cut.
//
// Left out: the load that draining puts on the spindles, RAID parity, the controller's own read-ahead.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "model/core/random.hpp"
#include "model/device/device.hpp"
#include "model/device/field.hpp"
#include "model/device/medium_view.hpp"
#include "model/device/rotational/rotational.hpp"

namespace elvcheck {

struct ArrayConfig {
  RotationalConfig spindle;  ///< of each disk behind the cache; not a parameter
  std::int64_t spindles = 8;
  std::int64_t stripe_sectors = 128;
  std::int64_t write_ns = 450'000;
  std::int64_t hit_ns = 500'000;
  std::int64_t flush_ns = 450'000;
  std::int64_t jitter_percent = 40;
  std::int64_t seed = 1;
  std::int64_t link_mb_s = 380;
  std::int64_t queue_depth = 64;
  std::int64_t cache_mib = 2048;
  std::int64_t destage_mb_s = 150;
  std::int64_t volatile_cache = 0;
  static const std::vector<Field<ArrayConfig>>& fields();
};

class ArrayDevice final : public Device, public MediumView, private Actor {
 public:
  ArrayDevice(std::string name, const ArrayConfig& config);
  ~ArrayDevice() override;

  void issue(const DeviceCommand& command) override;
  Nanoseconds least_time(const DeviceCommand& command) const override;
  bool on_medium(Sector, SectorCount) const override { return true; }

 private:
  class Spindle;
  struct Entry {
    DeviceCommand command;
    std::uint32_t pieces = 0;  // reads: that the spindles still owe
  };

  void on_event(std::uint64_t slot) override;
  std::uint32_t take_slot(const DeviceCommand& command);
  std::int64_t jittered(std::int64_t mean_ns);
  Nanoseconds over_link(Nanoseconds from, SectorCount sectors);
  void write(std::uint32_t slot);
  void read(std::uint32_t slot);
  void piece_done(std::uint32_t slot);
  bool cached(Sector first, Sector end) const;
  void remember(Sector first, Sector end);

  ArrayConfig config_;
  SplitMix64 random_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::unique_ptr<Spindle>> spindles_;
  Nanoseconds link_free_{0};
  Nanoseconds drained_at_{0};  // when the dirty data of now would all be on the spindles

  // Cached stripe units, the one used longest ago at the back.
  std::list<Sector> lines_;
  std::map<Sector, std::list<Sector>::iterator> line_of_;
  std::size_t most_lines_;
};

}  // namespace elvcheck
