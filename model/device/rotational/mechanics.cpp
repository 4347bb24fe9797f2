// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/rotational/mechanics.hpp"

#include <algorithm>

namespace elvcheck {

namespace {
// Every rounding of a transfer's times is upwards, so a transfer that goes on where the last one ended may find its block
// some nanoseconds past; within this limit it has not missed it.
constexpr std::int64_t rounding_ns = 1000;
}  // namespace

std::int64_t Mechanics::move_ns(const Arm& arm, const Place& place) const {
  const std::uint32_t distance =
      place.cylinder > arm.cylinder ? place.cylinder - arm.cylinder : arm.cylinder - place.cylinder;
  const std::int64_t seek = curve_.ns(distance);
  return place.head == arm.head ? seek : std::max(seek, times_.head_switch_ns);
}

Access Mechanics::position(const Arm& arm, Sector block, const Place& place, bool write, Nanoseconds ready,
                           Nanoseconds data) const {
  const bool goes_on = block == arm.next_block && ready == arm.at;
  std::int64_t move = move_ns(arm, place);
  if (write && !goes_on) move = std::max(move > 0 ? move + times_.write_settle_ns : 0, times_.write_least_move_ns);
  const Nanoseconds there = std::max(ready + Nanoseconds(move), data);
  const auto period = static_cast<std::uint64_t>(times_.period_ns);
  const Angle missing = place.angle - angle_at(there);
  auto wait = std::min(static_cast<std::int64_t>((missing * period + 0xFFFFFFFFU) >> 32), times_.period_ns - 1);
  if (goes_on && wait > times_.period_ns - rounding_ns) wait = 0;
  Access result;
  result.move = Nanoseconds(move);
  result.wait = Nanoseconds(wait);
  result.first = there + result.wait;
  return result;
}

Access Mechanics::access(const Arm& arm, Sector block, const Place& place, SectorCount sectors, bool write,
                         Nanoseconds ready, Nanoseconds data) const {
  Access result = position(arm, block, place, write, ready, data);
  Place here = place;
  Nanoseconds edge = result.first;
  for (;;) {
    const SectorCount on_track = std::min(sectors, here.left_on_track);
    result.last_piece = edge;
    result.last_piece_sectors = on_track;
    result.last_sectors_per_track = here.sectors_per_track;
    edge += pass_time(on_track, here.sectors_per_track);
    block += on_track;
    sectors -= on_track;
    result.arm = {here.cylinder, here.head, block, edge};
    if (sectors == 0) break;
    here = layout_.place(block);
    edge = position(result.arm, block, here, write, edge).first;
  }
  result.end = edge;
  return result;
}

}  // namespace elvcheck
