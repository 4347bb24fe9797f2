// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/rotational/config.hpp"

#include <stdexcept>

namespace elvcheck {

const std::vector<Field<RotationalConfig>>& RotationalConfig::fields() {
  using C = RotationalConfig;
  static const std::vector<Field<C>> table = {
      {"period_ns", "ns", &C::period_ns, 1'000'000, 60'000'000, "one turn; 8333333 is 7200 rpm"},
      {"period_ps", "ps", &C::period_ps, 0, 999, "a turn is so much longer than period_ns"},
      {"serpentine", "", &C::serpentine, 0, 1, "1: the heads of odd cylinders run backwards"},
      {"head_switch_ns", "ns", &C::head_switch_ns, 0, 50'000'000,
       "to another head; not added to a seek, the longer one counts"},
      {"write_settle_ns", "ns", &C::write_settle_ns, 0, 50'000'000, "added to a movement before a write"},
      {"write_least_move_ns", "ns", &C::write_least_move_ns, 0, 50'000'000, "no movement before a write is shorter"},
      {"read_overhead_ns", "ns", &C::read_overhead_ns, 0, 100'000'000, "before a read from the medium"},
      {"read_after_write_overhead_ns", "ns", &C::read_after_write_overhead_ns, C::same, 100'000'000,
       "the same if the command before was a write; -1: no difference"},
      {"write_overhead_ns", "ns", &C::write_overhead_ns, 0, 100'000'000, "before a write, cached or not"},
      {"write_after_write_overhead_ns", "ns", &C::write_after_write_overhead_ns, C::same, 100'000'000,
       "the same if the command before was a write; -1: no difference"},
      {"hit_overhead_ns", "ns", &C::hit_overhead_ns, 0, 100'000'000, "before a read from the buffer; a flush of nothing"},
      {"hit_after_write_overhead_ns", "ns", &C::hit_after_write_overhead_ns, C::same, 100'000'000,
       "the same if the command before was a write; -1: no difference"},
      {"write_data_ns", "ns", &C::write_data_ns, C::same, 100'000'000,
       "from the overhead of a write to the medium to its first data, while the arm moves; -1: data first, then the "
       "movement"},
      {"reconnect_ns", "ns", &C::reconnect_ns, 0, 100'000'000,
       "from the data in the buffer to the bus, of a read from the medium"},
      {"read_status_ns", "ns", &C::read_status_ns, 0, 100'000'000, "at the end of every read"},
      {"write_status_ns", "ns", &C::write_status_ns, 0, 100'000'000, "at the end of every write"},
      {"bus_ns_per_sector", "ns", &C::bus_ns_per_sector, 1, 1'000'000, "transfer time of a sector on the interface"},
      {"write_bus_ns_per_sector", "ns", &C::write_bus_ns_per_sector, C::same, 1'000'000,
       "transfer time of a sector that is written; -1: no difference"},
      {"bus_start_permille", "1/1000", &C::bus_start_permille, 0, 1000,
       "share of a read that is in the buffer before the bus transfer begins; 0: its first sector"},
      {"overlap_overhead", "", &C::overlap_overhead, 0, 1, "1: the overhead of a command that waits runs while it waits"},
      {"hold_arm", "", &C::hold_arm, 0, 1, "1: the arm moves on only when the read's data have left"},
      {"queue_depth", "commands", &C::queue_depth, 1, largest_depth, "most commands inside the device"},
      {"order", "", &C::order, 0, 2, "0: order of issue; 1: rotational position with ageing; 2: C-LOOK by sector"},
      {"age_permille", "1/1000", &C::age_permille, 0, 1000, "share of its age by which a command's cost falls"},
      {"age_limit_ns", "ns", &C::age_limit_ns, 0, one_minute_ns, "a command older than this comes first"},
      {"segments", "", &C::segments, 0, 4096, "read buffer segments; 0: no buffer and no read-ahead"},
      {"segment_sectors", "sectors", &C::segment_sectors, 0, 1 << 20, "size of a segment, and most read-ahead"},
      {"read_ahead_sectors", "sectors", &C::read_ahead_sectors, C::same, 1 << 24,
       "the head reads so far ahead of the host; -1: one segment"},
      {"read_ahead_tracks", "", &C::read_ahead_tracks, 0, 1,
       "1: it reads to the end of the track instead, and of the next if the buffer segment began on the track before"},
      {"read_ahead_again", "", &C::read_ahead_again, 0, 1,
       "1: after a read that was all in the buffer the idle arm goes back to reading ahead of it"},
      {"keep_passing", "", &C::keep_passing, 0, 1,
       "1: the blocks of the track that pass while the head waits for a read's first one are kept in the buffer"},
      {"reach_sectors", "sectors", &C::reach_sectors, 0, 1 << 20, "a read this close ahead of the stream waits for it"},
      {"write_cache_sectors", "sectors", &C::write_cache_sectors, 0, 1 << 24, "most dirty data; 0: no write-back cache"},
      {"fua", "", &C::fua, 0, 1, "1: understands FUA writes"},
  };
  return table;
}

const std::vector<Field<RotationalConfig>>& RotationalConfig::geometry_fields() {
  using C = RotationalConfig;
  static const std::vector<Field<C>> table = {
      {"cylinders", "", &C::cylinders, 8, 500'000, "cylinders"},
      {"heads", "", &C::heads, 1, 64, "surfaces"},
      {"zones", "", &C::zones, 1, 64, "zones of equally many cylinders"},
      {"outer_sectors", "sectors", &C::outer_sectors, 8, 16'384, "sectors per track of the first zone"},
      {"inner_sectors", "sectors", &C::inner_sectors, 8, 16'384, "sectors per track of the last zone"},
      {"skew_ns", "ns", &C::skew_ns, 0, 50'000'000, "skew between tracks and between cylinders"},
      {"seek_single_ns", "ns", &C::seek_single_ns, 1, 100'000'000, "seek to the next cylinder"},
      {"seek_mean_ns", "ns", &C::seek_mean_ns, 1, 100'000'000, "mean seek over all pairs of cylinders"},
      {"seek_full_ns", "ns", &C::seek_full_ns, 1, 100'000'000, "seek over all cylinders"},
  };
  return table;
}

namespace {

std::vector<Zone> zones_of(const DriveFacts& drive) {
  std::vector<Zone> zones;
  for (const ZoneFacts& facts : drive.zones) {
    const auto skew = [&](std::uint32_t sectors) { return skew_of(sectors, facts.sectors_per_track); };
    zones.push_back({.first_cylinder = facts.first_cylinder,
                     .last_cylinder = facts.last_cylinder,
                     .sectors_per_track = facts.sectors_per_track,
                     .blocks = facts.blocks,
                     .track_skew = skew(facts.track_skew),
                     .cylinder_skew = skew(facts.cylinder_skew),
                     .offset = skew(facts.offset),
                     .unused_front = facts.unused_front,
                     .slips = {facts.slips.begin(), facts.slips.end()},
                     .sector_slips = drive.slipped == DriveFacts::Slipped::sectors});
  }
  return zones;
}

std::vector<Zone> even_zones(const RotationalConfig& config) {
  if (config.zones > config.cylinders) throw std::invalid_argument("zones: more than there are cylinders");
  if (config.skew_ns >= config.period_ns) throw std::invalid_argument("skew_ns: must be below period_ns");
  const Skew skew = skew_of(static_cast<std::uint64_t>(config.skew_ns), static_cast<std::uint64_t>(config.period_ns));
  std::vector<Zone> zones;
  for (std::int64_t z = 0; z < config.zones; ++z) {
    const std::int64_t first = config.cylinders * z / config.zones;
    const std::int64_t behind = config.cylinders * (z + 1) / config.zones;
    const std::int64_t fall = config.zones == 1 ? 0 : (config.outer_sectors - config.inner_sectors) * z / (config.zones - 1);
    const std::int64_t sectors = config.outer_sectors - fall;
    zones.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(behind - 1),
                     static_cast<std::uint32_t>(sectors), static_cast<Sector>((behind - first) * config.heads * sectors),
                     skew, skew});
  }
  return zones;
}

}  // namespace

Mechanics RotationalConfig::mechanics() const {
  const Mechanics::Times times = {period_ns, period_ps, head_switch_ns, write_settle_ns, write_least_move_ns};
  if (drive != nullptr) {
    Layout layout(drive->heads, zones_of(*drive), serpentine != 0);
    SeekCurve curve = SeekCurve::through(layout.cylinders(), drive->seek, drive->seek_beyond);
    return {std::move(layout), std::move(curve), times};
  }
  Layout layout(static_cast<std::uint32_t>(heads), even_zones(*this), serpentine != 0);
  SeekCurve curve = SeekCurve::two_piece(layout.cylinders(), seek_single_ns, seek_mean_ns, seek_full_ns);
  return {std::move(layout), std::move(curve), times};
}

}  // namespace elvcheck
