// SPDX-License-Identifier: GPL-2.0-or-later
// The drive's read buffer: a few segments, each holding one run of blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "model/core/units.hpp"

namespace elvcheck {

/// Segments of equal size, replaced in least-recently-used order. A segment that grows beyond its size forgets its
/// beginning.
class ReadCache {
 public:
  struct Segment {
    Sector begin = 0;
    Sector end = 0;
    Sector host_end = 0;     ///< behind the last block that the host asked for: read-ahead may fill one segment from here
    std::uint64_t used = 0;  ///< for the replacement; 0: never
    bool covers(Sector first, Sector behind) const { return begin <= first && behind <= end; }
  };

  ReadCache(std::size_t segments, Sector segment_sectors) : size_(segment_sectors), segments_(segments) {}

  bool enabled() const { return !segments_.empty() && size_ > 0; }
  Sector segment_sectors() const { return size_; }

  /// The segment that holds all of [first, behind), or null.
  Segment* find(Sector first, Sector behind);
  /// The segment that holds `block` or ends there, or null.
  Segment* find_adjoining(Sector block);
  /// Room for a run that begins at `block`: the segment used longest ago, emptied.
  Segment& replace(Sector block);
  /// The host has asked for blocks up to `host_end` of this segment.
  void touch(Segment& segment, Sector host_end);
  /// The segment now reaches to `end`.
  void extend(Segment& segment, Sector end) const;
  /// Empties every segment with a block of [first, behind): written data would make it stale.
  void invalidate(Sector first, Sector behind);

 private:
  Sector size_;
  std::vector<Segment> segments_;
  std::uint64_t clock_ = 0;
};

}  // namespace elvcheck
