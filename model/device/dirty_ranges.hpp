// SPDX-License-Identifier: GPL-2.0-or-later
// The dirty part of a volatile cache: disjoint ranges of sectors, each with the age of its oldest write.
#pragma once

#include <cstdint>
#include <map>

#include "model/core/units.hpp"

namespace elvcheck {

/// A set of sectors that are newer in the cache than on the medium. Every write has an order number; a range keeps the
/// smallest of its sectors. Overwriting a dirty sector keeps the old number: a flush that waits for the older write must not
/// take the disappearance of that version for its arrival on the medium.
class DirtyRanges {
 public:
  struct Range {
    Sector end = 0;           ///< first sector behind
    std::uint64_t order = 0;  ///< of the oldest write in it
  };
  using Map = std::map<Sector, Range>;  ///< by first sector

  /// Marks [first, end) dirty. Touching ranges are joined while the result has at most `longest` sectors.
  void add(Sector first, Sector end, std::uint64_t order, Sector longest = 0);

  /// Forgets [first, end); ranges that stick out are cut. Returns the smallest order number forgotten, or the largest
  /// number.
  std::uint64_t remove(Sector first, Sector end);

  /// Forgets every range whose oldest write has a number below `order`.
  void remove_older(std::uint64_t order);

  bool overlaps(Sector first, Sector end) const;
  /// True if every sector of [first, end) is dirty.
  bool covers(Sector first, Sector end) const;
  /// The first range at or behind `from`, going round, whose oldest write has a number below `order`; end of ranges() if
  /// none.
  Map::const_iterator next_older(Sector from, std::uint64_t order) const;

  Sector sectors() const { return sectors_; }
  bool empty() const { return ranges_.empty(); }
  const Map& ranges() const { return ranges_; }

 private:
  Map ranges_;
  Sector sectors_ = 0;
};

}  // namespace elvcheck
