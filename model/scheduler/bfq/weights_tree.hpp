// SPDX-License-Identifier: GPL-2.0-or-later
// How many queues with requests have each weight: whether weights differ is what the idling decision asks.
//
// Mirrors struct bfq_weight_counter and the queue_weights_tree of block/bfq-iosched.c (6.1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace elvcheck::bfq {

class WeightsTree {
 public:
  void add(std::int64_t weight) {
    auto at = std::lower_bound(counters_.begin(), counters_.end(), weight, lighter);
    if (at == counters_.end() || at->weight != weight) at = counters_.insert(at, Counter{weight, 0});
    ++at->queues;
  }
  /// The weight must have been added.
  void remove(std::int64_t weight) {
    const auto at = std::lower_bound(counters_.begin(), counters_.end(), weight, lighter);
    if (--at->queues == 0) counters_.erase(at);
  }
  bool varied() const { return counters_.size() > 1; }
  /// Whether this is the least weight counted.
  bool is_smallest(std::int64_t weight) const { return !counters_.empty() && counters_.front().weight == weight; }

 private:
  struct Counter {
    std::int64_t weight;
    unsigned queues;
  };
  static bool lighter(const Counter& counter, std::int64_t weight) { return counter.weight < weight; }
  std::vector<Counter> counters_;  // ascending
};

}  // namespace elvcheck::bfq
