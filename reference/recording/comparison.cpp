// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/recording/comparison.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace elvcheck {

namespace {

constexpr std::size_t none = SIZE_MAX;

std::vector<const TraceEvent*> issues_of(const std::vector<TraceEvent>& events) {
  std::vector<const TraceEvent*> issues;
  for (const TraceEvent& event : events)
    if (event.kind == EventKind::issue) issues.push_back(&event);
  return issues;
}

/// For each recorded issue the position of its counterpart in the replay, or `none`.
std::vector<std::size_t> match(const std::vector<const TraceEvent*>& recorded,
                               const std::vector<const TraceEvent*>& replayed) {
  using Key = std::tuple<Op, Sector, SectorCount>;
  const auto key = [](const TraceEvent& event) { return Key(event.op, event.sector, event.sectors); };
  std::map<Key, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < replayed.size(); ++i) places[key(*replayed[i])].push_back(i);
  std::map<Key, std::size_t> taken;
  std::vector<std::size_t> partner(recorded.size(), none);
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const auto found = places.find(key(*recorded[i]));
    if (found == places.end()) continue;
    std::size_t& k = taken[found->first];
    if (k < found->second.size()) partner[i] = found->second[k++];
  }
  return partner;
}

/// Marks a longest increasing subsequence of the positions: each position occurs once, so it is a longest common
/// subsequence.
std::vector<bool> longest_in_order(const std::vector<std::size_t>& partner) {
  std::vector<std::size_t> tail;  // tail[k]: index whose position ends the best subsequence of length k + 1
  std::vector<std::size_t> before(partner.size(), none);
  for (std::size_t i = 0; i < partner.size(); ++i) {
    if (partner[i] == none) continue;
    const auto at = std::lower_bound(tail.begin(), tail.end(), partner[i],
                                     [&](std::size_t a, std::size_t position) { return partner[a] < position; });
    if (at != tail.begin()) before[i] = *(at - 1);
    if (at == tail.end())
      tail.push_back(i);
    else
      *at = i;
  }
  std::vector<bool> kept(partner.size(), false);
  for (std::size_t i = tail.empty() ? none : tail.back(); i != none; i = before[i]) kept[i] = true;
  return kept;
}

}  // namespace

std::string Deviation::text() const {
  TraceEvent event = recorded;
  event.request = 0;
  std::string line = "issue " + std::to_string(index + 1) + ": " + to_line(event) + ": ";
  if (!replayed) return line + "the replay issued no such request";
  const auto shift = (*replayed - recorded.at).count();
  line += shift == 0 ? "at the same time"
                     : std::to_string(shift < 0 ? -shift : shift) + " ns " + (shift < 0 ? "earlier" : "later");
  return line + (in_order ? "" : ", in another place of the order");
}

Comparison compare_issues(const std::vector<TraceEvent>& recorded, const std::vector<TraceEvent>& replayed) {
  const auto left = issues_of(recorded);
  const auto right = issues_of(replayed);
  const auto partner = match(left, right);
  const auto kept = longest_in_order(partner);
  Comparison out;
  out.issues = left.size();
  out.replayed = right.size();
  for (std::size_t i = 0; i < left.size(); ++i) {
    bool close = false;
    std::optional<Nanoseconds> at;
    if (partner[i] != none) {
      at = right[partner[i]]->at;
      const Nanoseconds shift = std::chrono::abs(*at - left[i]->at);
      close = shift <= Comparison::tolerance;
      out.largest_shift = std::max(out.largest_shift, shift);
      ++out.matched;
    }
    if (kept[i]) ++out.in_order;
    if (close) ++out.within_2us;
    if (kept[i] && close)
      ++out.agree;
    else
      out.deviations.push_back({i, *left[i], at, kept[i]});
  }
  return out;
}

}  // namespace elvcheck
