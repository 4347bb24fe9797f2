// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/rotational/stream.hpp"

#include <algorithm>

namespace elvcheck {

Stream::Piece Stream::piece_from(const Mechanics& mechanics, const Arm& arm) {
  const Place place = mechanics.layout().place(arm.next_block);
  const Access access = mechanics.access(arm, arm.next_block, place, place.left_on_track, false, arm.at);
  return {arm.next_block, arm.next_block + place.left_on_track, place.sectors_per_track, access.first, access.end,
          access.arm};
}

void Stream::start(const Mechanics& mechanics, const Arm& arm) {
  running_ = arm.next_block < mechanics.layout().capacity();
  if (running_) here_ = piece_from(mechanics, arm);
}

Sector Stream::position(const Mechanics& mechanics, Nanoseconds now, Sector limit) {
  while (here_.last <= now && here_.end < limit) here_ = piece_from(mechanics, here_.arm);
  if (now >= here_.last) return std::min(here_.end, limit);
  if (now <= here_.first) return here_.begin;
  const auto passed = static_cast<std::uint64_t>((now - here_.first).count());
  const Sector block =
      here_.begin + passed * here_.sectors_per_track / static_cast<std::uint64_t>(mechanics.times().period_ns);
  return std::min(block, limit);
}

Nanoseconds Stream::time_of(const Mechanics& mechanics, Sector end) const {
  Piece piece = here_;
  while (piece.end < end) piece = piece_from(mechanics, piece.arm);
  return piece.first + mechanics.pass_time(end - piece.begin, piece.sectors_per_track);
}

}  // namespace elvcheck
