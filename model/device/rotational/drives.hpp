// SPDX-License-Identifier: GPL-2.0-or-later
// Four real drives: where their blocks lie and how long their arms take.
//
// Zones, skews, defects and seek times as extracted from the drives and shipped, validated against them, with DiskSim 4.0
// (J. S. Bucy, J. Schindler, S. W. Schlosser, G. R. Ganger, Reference Manual, CMU-PDL-08-101, 2008).
#pragma once

#include <cstdint>
#include <span>

#include "model/core/units.hpp"
#include "model/device/rotational/seek_curve.hpp"

namespace elvcheck {

/// A zone as drive manuals and DiskSim's parameter sets give it.
struct ZoneFacts {
  std::uint32_t first_cylinder, last_cylinder, sectors_per_track;
  Sector blocks;                              ///< logical blocks
  std::uint32_t unused_front;                 ///< sectors before the first logical block
  std::uint32_t offset;                       ///< sectors from angle 0 to the zone's first sector
  std::uint32_t track_skew, cylinder_skew;    ///< in sectors
  std::span<const std::uint32_t> slips = {};  ///< numbers of the defective sectors or tracks of the zone, ascending
};

/// The measured geometry of one drive; replaces the made-up one of RotationalConfig.
struct DriveFacts {
  enum class Slipped : std::uint8_t { sectors, tracks };
  std::uint32_t heads;
  Slipped slipped;  ///< what a defect takes out of use
  std::span<const ZoneFacts> zones;
  std::span<const SeekPoint> seek;
  SeekTail seek_beyond = {};
};

extern const DriveFacts hp_c2247a;    ///< 1 GB, 5400 rpm, 1992
extern const DriveFacts hp_c3323a;    ///< 1 GB, 5400 rpm, 1994
extern const DriveFacts cheetah_9lp;  ///< Seagate ST39102LW: 9 GB, 10045 rpm, 1998
extern const DriveFacts atlas_10k;    ///< Quantum Tornado: 9 GB, 10025 rpm, 1999

}  // namespace elvcheck
