// SPDX-License-Identifier: GPL-2.0-or-later
// The moving parts: where the arm is, how long it takes to a block, how long a run of blocks takes to pass the head.
#pragma once

#include "model/device/rotational/layout.hpp"
#include "model/device/rotational/seek_curve.hpp"

namespace elvcheck {

/// The arm and, while it follows a track, the end of its last transfer.
struct Arm {
  std::uint32_t cylinder = 0;
  std::uint32_t head = 0;
  Sector next_block = 0;  ///< behind the last transfer
  Nanoseconds at{-1};     ///< when that block's edge is under the head; -1: no transfer yet
};

/// A transfer: the edges of its first and behind its last block, and where it leaves the arm.
struct Access {
  Nanoseconds move{0};                 ///< of the first movement, write settle included
  Nanoseconds wait{0};                 ///< for the first block to come round
  Nanoseconds first{0};                ///< the first block's leading edge is under the head
  Nanoseconds end{0};                  ///< the last block has passed
  Nanoseconds last_piece{0};           ///< the edge of the first block on the last track, of which
  SectorCount last_piece_sectors = 0;  ///< so many are wanted
  std::uint32_t last_sectors_per_track = 1;
  Arm arm;
};

/// Times of the mechanism. One function finds the time at which a block comes under the head, for the choice between queued
/// commands as well as for their service: a choice by any other measure would be worse than none.
class Mechanics {
 public:
  struct Times {
    std::int64_t period_ns = 1;            ///< one turn, cut to whole nanoseconds,
    std::int64_t period_ps = 0;            ///< and the rest of it, 0..999: it adds up from turn to turn
    std::int64_t head_switch_ns = 0;       ///< counted as max(seek, head switch)
    std::int64_t write_settle_ns = 0;      ///< added to a movement before a write
    std::int64_t write_least_move_ns = 0;  ///< no such movement is shorter
  };
  Mechanics(Layout layout, SeekCurve curve, Times times)
      : layout_(std::move(layout)), curve_(std::move(curve)), times_(times) {}

  const Layout& layout() const { return layout_; }
  const SeekCurve& curve() const { return curve_; }
  const Times& times() const { return times_; }

  /// The angle under the heads at `at` >= 0.
  Angle angle_at(Nanoseconds at) const {
    std::int64_t time = at.count();
    if (times_.period_ps != 0) time -= time / times_.period_ns * times_.period_ps / 1000;
    return static_cast<Angle>((static_cast<std::uint64_t>(time % times_.period_ns) << 32) /
                              static_cast<std::uint64_t>(times_.period_ns));
  }

  /// From `ready` on, the arm moves to `place` of `block` and waits for it; it takes no block before `data`. Fills move,
  /// wait and first.
  Access position(const Arm& arm, Sector block, const Place& place, bool write, Nanoseconds ready,
                  Nanoseconds data = Nanoseconds(0)) const;

  /// The whole transfer of `sectors` > 0 blocks from `block`, whose place is `place`.
  Access access(const Arm& arm, Sector block, const Place& place, SectorCount sectors, bool write, Nanoseconds ready,
                Nanoseconds data = Nanoseconds(0)) const;

  /// The time in which `sectors` of a track pass, rounded up.
  Nanoseconds pass_time(std::uint64_t sectors, std::uint32_t sectors_per_track) const {
    return Nanoseconds((static_cast<std::int64_t>(sectors) * times_.period_ns + sectors_per_track - 1) / sectors_per_track);
  }

 private:
  std::int64_t move_ns(const Arm& arm, const Place& place) const;

  Layout layout_;
  SeekCurve curve_;
  Times times_;
};

}  // namespace elvcheck
