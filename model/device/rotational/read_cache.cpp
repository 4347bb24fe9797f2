// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/rotational/read_cache.hpp"

#include <algorithm>

namespace elvcheck {

ReadCache::Segment* ReadCache::find(Sector first, Sector behind) {
  for (Segment& segment : segments_) {
    if (segment.covers(first, behind)) return &segment;
  }
  return nullptr;
}

ReadCache::Segment* ReadCache::find_adjoining(Sector block) {
  for (Segment& segment : segments_) {
    if (segment.used != 0 && segment.begin <= block && block <= segment.end) return &segment;
  }
  return nullptr;
}

ReadCache::Segment& ReadCache::replace(Sector block) {
  Segment& oldest = *std::min_element(segments_.begin(), segments_.end(),
                                      [](const Segment& a, const Segment& b) { return a.used < b.used; });
  oldest = {block, block, block, ++clock_};
  return oldest;
}

void ReadCache::touch(Segment& segment, Sector host_end) {
  segment.used = ++clock_;
  segment.host_end = host_end;
}

void ReadCache::extend(Segment& segment, Sector end) const {
  segment.end = std::max(segment.end, end);
  if (segment.end - segment.begin > size_) segment.begin = segment.end - size_;
}

void ReadCache::invalidate(Sector first, Sector behind) {
  for (Segment& segment : segments_) {
    if (segment.begin < behind && first < segment.end) segment = {};
  }
}

}  // namespace elvcheck
