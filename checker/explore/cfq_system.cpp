// SPDX-License-Identifier: GPL-2.0-or-later
// SliceCore in one service tree of CFQ. A step is the slot of the queue with the least key: it lasts a tick or the whole
// slice and the idling after it, the queue then has more requests or not, and any idle queues become busy meanwhile.
// Real-time queues are served before the others. Keys are relative to now; those that lie before now only matter by their
// order, since a queue is never put there, so they are replaced by their ranks and the states are finite.
#include <algorithm>
#include <array>

#include "checker/explore/systems.hpp"
#include "model/scheduler/cfq/slice_core.hpp"

namespace elvcheck {

namespace {

constexpr std::array<std::int64_t, 3> levels{0, 4, 7};
constexpr std::int64_t idle_ticks = 1;

struct Queue {
  bool busy = false;
  std::int64_t key = 0;
};

class CfqSystem final : public TransitionSystem {
 public:
  CfqSystem(SystemSize size, bool real_time) : count_(size.processes), real_time_(real_time) {
    core_.slice_sync = 10;
    core_.slice_async = 4;
    core_.slice_idle = idle_ticks;
  }

  /// All queues become busy at once.
  StateKey initial() const override {
    std::vector<Queue> queues(count_);
    for (std::size_t j = 0; j < count_; ++j) put(queues, j, 0);
    return key_of(queues, 0);
  }

  bool waits(const StateKey& key) const override { return queues_of(key).back().busy; }

  std::vector<Step> steps(const StateKey& key) const override {
    const std::vector<Queue> queues = queues_of(key);
    std::vector<Step> steps;
    const std::size_t served = first(queues);
    if (served == count_) {
      arrivals(queues, 0, count_, "nobody is busy", false, steps);
      return steps;
    }
    const bool serves = served + 1 == count_;
    const std::int64_t whole = core_.slice(true, level(served)) + idle_ticks;
    for (const std::int64_t ticks : {std::int64_t{1}, whole}) {
      for (const bool backlogged : {true, false}) {
        std::vector<Queue> after = queues;
        after[served].busy = backlogged;
        if (backlogged) put(after, served, ticks);
        arrivals(after, ticks, served,
                 "queue " + std::to_string(served) + " is served for " + std::to_string(ticks) + " ticks" +
                     (backlogged ? " and has more" : " and is empty"),
                 serves, steps);
      }
    }
    return steps;
  }

 private:
  static std::int64_t level(std::size_t j) { return levels.at(j % levels.size()); }
  bool real_time(std::size_t j) const { return real_time_ && j == 0; }

  void put(std::vector<Queue>& queues, std::size_t j, std::int64_t now) const {
    queues[j].busy = true;
    const auto counted = std::count_if(queues.begin(), queues.end(), [](const Queue& queue) { return queue.busy; });
    queues[j].key = core_.service_key(now, true, level(j), counted, 0);
  }

  std::size_t first(const std::vector<Queue>& queues) const {
    std::size_t best = count_;
    for (std::size_t j = 0; j < count_; ++j) {
      if (!queues[j].busy) continue;
      const bool better = best == count_ || (real_time(j) && !real_time(best)) ||
                          (real_time(j) == real_time(best) && queues[j].key < queues[best].key);
      if (better) best = j;
    }
    return best;
  }

  /// One step for each set of idle queues that become busy. The served one may not: whether it has more is decided already.
  void arrivals(const std::vector<Queue>& queues, std::int64_t now, std::size_t served, const std::string& label,
                bool serves, std::vector<Step>& steps) const {
    for (unsigned set = 0; set < 1U << count_; ++set) {
      std::vector<Queue> after = queues;
      std::string comers;
      bool possible = true;
      for (std::size_t j = 0; j < count_; ++j) {
        if ((set >> j & 1U) == 0) continue;
        possible = possible && !queues[j].busy && j != served;
        put(after, j, now);
        comers += (comers.empty() ? "; queue " : ", queue ") + std::to_string(j);
      }
      if (possible && (served < count_ || set != 0)) {
        steps.push_back({key_of(after, now), label + comers + (comers.empty() ? "" : " comes"), serves});
      }
    }
  }

  static StateKey key_of(const std::vector<Queue>& queues, std::int64_t now) {
    std::vector<std::int64_t> past;
    for (const Queue& queue : queues) {
      if (queue.busy && queue.key < now) past.push_back(queue.key);
    }
    std::sort(past.begin(), past.end());
    past.erase(std::unique(past.begin(), past.end()), past.end());
    StateKey key;
    for (const Queue& queue : queues) {
      const std::int64_t rank = std::lower_bound(past.begin(), past.end(), queue.key) - past.begin();
      const std::int64_t place = queue.key < now ? rank - static_cast<std::int64_t>(past.size()) : queue.key - now;
      key.push_back(queue.busy);
      key.push_back(queue.busy ? place : 0);
    }
    return key;
  }

  std::vector<Queue> queues_of(const StateKey& key) const {
    std::vector<Queue> queues(count_);
    for (std::size_t j = 0; j < count_; ++j) queues[j] = {key[2 * j] != 0, key[2 * j + 1]};
    return queues;
  }

  std::size_t count_;
  bool real_time_;
  cfq::SliceCore<Concrete> core_{};
};

}  // namespace

std::unique_ptr<TransitionSystem> cfq_system(SystemSize size, bool real_time) {
  return std::make_unique<CfqSystem>(size, real_time);
}

}  // namespace elvcheck
