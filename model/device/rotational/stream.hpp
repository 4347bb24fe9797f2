// SPDX-License-Identifier: GPL-2.0-or-later
// The head reading on: which block passes it at which time, from the end of a read until something else moves the arm.
#pragma once

#include "model/device/rotational/mechanics.hpp"

namespace elvcheck {

/// A sequential pass over the medium. Times are those that Mechanics gives to a transfer of the same blocks. Queries must
/// come in the order of time; what lies ahead can be asked for without moving on.
class Stream {
 public:
  /// The head is at arm.next_block at arm.at, and goes on. No stream if that is the end of the device.
  void start(const Mechanics& mechanics, const Arm& arm);
  void stop() { running_ = false; }
  bool running() const { return running_; }

  /// The block that is passing at `now`, but at most `limit` <= capacity: all before it have been read.
  Sector position(const Mechanics& mechanics, Nanoseconds now, Sector limit);
  /// When the block before `end` has passed; `end` > position, <= capacity.
  Nanoseconds time_of(const Mechanics& mechanics, Sector end) const;
  /// The arm at the end of the track piece that is passing now, or between pieces.
  Arm arm() const { return here_.arm; }

 private:
  struct Piece {
    Sector begin = 0;
    Sector end = 0;
    std::uint32_t sectors_per_track = 1;
    Nanoseconds first{0};
    Nanoseconds last{0};
    Arm arm;  // behind the piece
  };
  static Piece piece_from(const Mechanics& mechanics, const Arm& arm);

  Piece here_;
  bool running_ = false;
};

}  // namespace elvcheck
