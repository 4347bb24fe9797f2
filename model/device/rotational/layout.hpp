// SPDX-License-Identifier: GPL-2.0-or-later
// Where a block lies: zones of cylinders with equally many sectors on each track, and the skews between tracks.
#pragma once

#include <cstdint>
#include <vector>

#include "model/core/units.hpp"

namespace elvcheck {

/// An angle in units of 2^-32 turn; arithmetic wraps as a turn does. It grows in the direction in which sectors pass the
/// head.
using Angle = std::uint32_t;

/// `part` sectors of a track of `whole`, as an angle.
constexpr Angle angle_of(std::uint64_t part, std::uint64_t whole) { return static_cast<Angle>((part << 32) / whole); }

/// A part of a turn in units of 2^-64 turn, so that the skews of a hundred thousand tracks add up exactly enough.
using Skew = std::uint64_t;

/// `part` sectors of a track of `whole` < 2^31, as a skew.
constexpr Skew skew_of(std::uint64_t part, std::uint64_t whole) {
  const std::uint64_t scaled = part % whole << 32;
  return (scaled / whole << 32) + ((scaled % whole << 32) / whole);
}

/// A zone: all tracks of a range of cylinders. Cylinders between two zones may be unused.
struct Zone {
  std::uint32_t first_cylinder = 0;
  std::uint32_t last_cylinder = 0;
  std::uint32_t sectors_per_track = 1;
  Sector blocks = 0;        ///< logical blocks; the sectors behind them are spare
  Skew track_skew = 0;      ///< from one head to the next of a cylinder
  Skew cylinder_skew = 0;   ///< from the last head of a cylinder to the first of the next
  Skew offset = 0;          ///< of the zone's first sector
  Sector unused_front = 0;  ///< sectors before the first logical block
  /// Defects that the blocks pass over: numbers of tracks or (`sector_slips`) sectors of the zone, ascending.
  std::vector<std::uint32_t> slips = {};
  bool sector_slips = false;
};

/// A block's place.
struct Place {
  std::uint32_t cylinder = 0;
  std::uint32_t head = 0;
  std::uint32_t sector = 0;  ///< on its track
  std::uint32_t sectors_per_track = 1;
  Angle angle = 0;                ///< of the block's leading edge
  SectorCount left_on_track = 0;  ///< logical blocks from this one to the end of its track or to a defect, >= 1
};

/// Maps logical blocks to places: cylinder by cylinder, in a cylinder head by head. With `serpentine` the heads of every odd
/// cylinder of a zone run backwards, so that no head switch is needed at the cylinder's end.
class Layout {
 public:
  Layout(std::uint32_t heads, std::vector<Zone> zones, bool serpentine);

  Sector capacity() const { return capacity_; }
  std::uint32_t cylinders() const { return zones_.back().zone.last_cylinder + 1; }
  /// The place of `block` < capacity().
  Place place(Sector block) const;
  /// The first block behind `block` that lies on another track; the capacity if there is none.
  Sector end_of_track(Sector block) const;

 private:
  struct Entry {
    Sector first_block;
    Zone zone;
    std::vector<Sector>
        slip_at;  // the number of the sector or track, counted without defects, from which each defect counts
  };
  std::uint32_t heads_;
  bool serpentine_;
  std::vector<Entry> zones_;
  Sector capacity_ = 0;
};

}  // namespace elvcheck
