// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/rotational/layout.hpp"

#include <algorithm>

namespace elvcheck {

Layout::Layout(std::uint32_t heads, std::vector<Zone> zones, bool serpentine) : heads_(heads), serpentine_(serpentine) {
  for (const Zone& zone : zones) {
    zones_.push_back({capacity_, zone});
    capacity_ += zone.blocks;
  }
}

Place Layout::place(Sector block) const {
  const auto behind = std::upper_bound(zones_.begin(), zones_.end(), block,
                                       [](Sector value, const Entry& entry) { return value < entry.first_block; });
  const Entry& entry = *(behind - 1);
  const Zone& zone = entry.zone;
  const Sector offset = block - entry.first_block;
  const Sector track = offset / zone.sectors_per_track;
  const auto sector = static_cast<std::uint32_t>(offset % zone.sectors_per_track);
  const auto cylinder = static_cast<std::uint32_t>(track / heads_);  // within the zone
  const auto head = static_cast<std::uint32_t>(track % heads_);
  Place place;
  place.cylinder = zone.first_cylinder + cylinder;
  place.head = serpentine_ && cylinder % 2 == 1 ? heads_ - 1 - head : head;
  place.sectors_per_track = zone.sectors_per_track;
  place.angle = angle_of(sector, zone.sectors_per_track) + (head + (heads_ - 1) * cylinder) * zone.track_skew +
                cylinder * zone.cylinder_skew;
  place.left_on_track = static_cast<SectorCount>(std::min<Sector>(zone.sectors_per_track - sector, zone.blocks - offset));
  return place;
}

}  // namespace elvcheck
