// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/dirty_ranges.hpp"

#include <algorithm>
#include <iterator>

namespace elvcheck {

void DirtyRanges::add(Sector first, Sector end, std::uint64_t order, Sector longest) {
  order = std::min(order, remove(first, end));
  auto next = ranges_.lower_bound(first);
  sectors_ += end - first;
  if (next != ranges_.begin()) {
    const auto before = std::prev(next);
    if (before->second.end == first && end - before->first <= longest) {
      first = before->first;
      order = std::min(order, before->second.order);
      ranges_.erase(before);
    }
  }
  if (next != ranges_.end() && next->first == end && next->second.end - first <= longest) {
    end = next->second.end;
    order = std::min(order, next->second.order);
    ranges_.erase(next);
  }
  ranges_.emplace(first, Range{end, order});
}

std::uint64_t DirtyRanges::remove(Sector first, Sector end) {
  std::uint64_t oldest_removed = ~std::uint64_t{0};
  auto at = ranges_.upper_bound(first);
  if (at != ranges_.begin() && std::prev(at)->second.end > first) --at;
  while (at != ranges_.end() && at->first < end) {
    const Sector begin = at->first;
    const Range range = at->second;
    at = ranges_.erase(at);
    oldest_removed = std::min(oldest_removed, range.order);
    sectors_ -= std::min(end, range.end) - std::max(first, begin);
    if (begin < first) ranges_.emplace(begin, Range{first, range.order});
    if (range.end > end) at = ranges_.emplace(end, Range{range.end, range.order}).first;
  }
  return oldest_removed;
}

void DirtyRanges::remove_older(std::uint64_t order) {
  for (auto at = ranges_.begin(); at != ranges_.end();) {
    if (at->second.order >= order) {
      ++at;
      continue;
    }
    sectors_ -= at->second.end - at->first;
    at = ranges_.erase(at);
  }
}

bool DirtyRanges::overlaps(Sector first, Sector end) const {
  const auto next = ranges_.lower_bound(first);
  if (next != ranges_.end() && next->first < end) return true;
  return next != ranges_.begin() && std::prev(next)->second.end > first;
}

bool DirtyRanges::covers(Sector first, Sector end) const {
  auto at = ranges_.upper_bound(first);
  if (at == ranges_.begin()) return false;
  --at;
  while (at != ranges_.end() && at->first <= first) {
    if (at->second.end >= end) return true;
    first = at->second.end;
    ++at;
  }
  return false;
}

DirtyRanges::Map::const_iterator DirtyRanges::next_older(Sector from, std::uint64_t order) const {
  const auto start = ranges_.lower_bound(from);
  const auto older = [order](const Map::value_type& entry) { return entry.second.order < order; };
  const auto found = std::find_if(start, ranges_.end(), older);
  if (found != ranges_.end()) return found;
  const auto wrapped = std::find_if(ranges_.begin(), start, older);
  return wrapped == start ? ranges_.end() : wrapped;
}

}  // namespace elvcheck
