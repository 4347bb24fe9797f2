// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/rotational/layout.hpp"

#include <algorithm>

namespace elvcheck {

Layout::Layout(std::uint32_t heads, std::vector<Zone> zones, bool serpentine) : heads_(heads), serpentine_(serpentine) {
  for (Zone& zone : zones) {
    Entry entry{capacity_, {}, {}};
    for (std::size_t i = 0; i < zone.slips.size(); ++i) entry.slip_at.push_back(zone.slips[i] - i);
    capacity_ += zone.blocks;
    entry.zone = std::move(zone);
    zones_.push_back(std::move(entry));
  }
}

Place Layout::place(Sector block) const {
  const auto behind = std::upper_bound(zones_.begin(), zones_.end(), block,
                                       [](Sector value, const Entry& entry) { return value < entry.first_block; });
  const Entry& entry = *(behind - 1);
  const Zone& zone = entry.zone;
  Sector number = block - entry.first_block + zone.unused_front;  // of the sector within the zone
  SectorCount to_slip = zone.sectors_per_track;
  if (zone.sector_slips) {
    const auto next = std::upper_bound(entry.slip_at.begin(), entry.slip_at.end(), number);
    if (next != entry.slip_at.end()) to_slip = static_cast<SectorCount>(std::min<Sector>(*next - number, to_slip));
    number += static_cast<Sector>(next - entry.slip_at.begin());
  }
  Sector track = number / zone.sectors_per_track;
  const auto sector = static_cast<std::uint32_t>(number % zone.sectors_per_track);
  if (!zone.sector_slips && !entry.slip_at.empty()) {
    const auto next = std::upper_bound(entry.slip_at.begin(), entry.slip_at.end(), track);
    track += static_cast<Sector>(next - entry.slip_at.begin());
  }
  const auto cylinder = static_cast<std::uint32_t>(track / heads_);  // within the zone
  const auto head = static_cast<std::uint32_t>(track % heads_);
  Place place;
  place.cylinder = zone.first_cylinder + cylinder;
  place.head = serpentine_ && cylinder % 2 == 1 ? heads_ - 1 - head : head;
  place.sector = sector;
  place.sectors_per_track = zone.sectors_per_track;
  const Skew skew = zone.offset + (head + (heads_ - 1) * Skew{cylinder}) * zone.track_skew + cylinder * zone.cylinder_skew;
  place.angle = angle_of(sector, zone.sectors_per_track) + static_cast<Angle>(skew >> 32);
  const Sector left_in_zone = entry.first_block + zone.blocks - block;
  place.left_on_track = static_cast<SectorCount>(std::min<Sector>({zone.sectors_per_track - sector, to_slip, left_in_zone}));
  return place;
}

Sector Layout::end_of_track(Sector block) const {
  const Place here = place(block);
  for (;;) {
    block += place(block).left_on_track;
    if (block >= capacity_) return capacity_;
    const Place next = place(block);
    if (next.cylinder != here.cylinder || next.head != here.head) return block;
  }
}

}  // namespace elvcheck
