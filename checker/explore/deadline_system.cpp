// SPDX-License-Identifier: GPL-2.0-or-later
// DeadlineCore among queues that hold a bounded number of requests. The queues are those of block/deadline-iosched.c (2.6.34
// to 4.20) as counts: how many others wait in each direction, how many of them are older than the watched request, and what
// next_rq is of each direction. Which request follows in order of sector is free at each dispatch, and so are arrivals. A
// dispatch forgets the next_rq of the other direction. Every request is past its deadline, so that a batch starts at the
// head of the fifo.
#include <algorithm>

#include "checker/explore/systems.hpp"
#include "model/scheduler/deadline_core.hpp"

namespace elvcheck {

namespace {

using Core = DeadlineCore<Concrete>;

enum Next : std::int64_t { no_next, next_is_older, next_is_newer, next_is_watched };

struct State {
  std::int64_t batching = 0;
  std::int64_t starved = 0;
  bool last_write = true;
  bool waiting = true;        ///< the watched request has not been dispatched
  std::int64_t older = 0;     ///< others of its direction before it
  std::int64_t newer = 0;     ///< behind it
  std::int64_t opposite = 0;  ///< of the other direction
  std::int64_t next_same = no_next;
  bool next_opposite = false;

  StateKey key() const { return {batching, starved, last_write, waiting, older, newer, opposite, next_same, next_opposite}; }
  static State of(const StateKey& key) {
    return {key[0], key[1], key[2] != 0, key[3] != 0, key[4], key[5], key[6], key[7], key[8] != 0};
  }
};

class DeadlineSystem final : public TransitionSystem {
 public:
  DeadlineSystem(SystemSize size, bool watched_write, std::int64_t writes_starved)
      : most_(std::int64_t{size.processes} * size.requests),
        watched_write_(watched_write),
        writes_starved_(writes_starved) {}

  /// The watched request comes to any load; more others than that come later.
  StateKey initial() const override {
    State state;
    state.older = most_ / 2;
    state.waiting = true;
    return state.key();
  }

  bool waits(const StateKey& key) const override { return State::of(key).waiting; }

  std::vector<Step> steps(const StateKey& key) const override {
    const State state = State::of(key);
    std::vector<Step> steps;
    if (!state.waiting) return steps;
    if (state.older + state.newer + state.opposite < most_) {
      State same = state;
      ++same.newer;
      steps.push_back({same.key(), watched_write_ ? "a write comes" : "a read comes", false});
      State other = state;
      ++other.opposite;
      steps.push_back({other.key(), watched_write_ ? "a read comes" : "a write comes", false});
    }
    dispatch(state, steps);
    return steps;
  }

 private:
  void dispatch(State state, std::vector<Step>& steps) const {
    Core core{2, writes_starved_, state.batching, state.starved, state.last_write};
    const DeadlineQueueView<Concrete> same{true, state.next_same != no_next, true};
    const DeadlineQueueView<Concrete> opposite{state.opposite > 0, state.next_opposite, true};
    const auto& reads = watched_write_ ? opposite : same;
    const auto& writes = watched_write_ ? same : opposite;
    const DeadlineChoice<Concrete> choice = core.choose(reads, writes);
    core.commit(reads, writes, choice, true);
    state.batching = core.batching;
    state.starved = core.starved;
    state.last_write = core.last_write;
    const std::string direction = choice.write ? "a write" : "a read";
    if (choice.write != watched_write_) {
      --state.opposite;
      state.next_same = no_next;
      for (const bool follows : {false, true}) {
        if (follows && state.opposite == 0) continue;
        state.next_opposite = follows;
        steps.push_back({state.key(), "dispatch " + direction, false});
      }
      return;
    }
    const std::int64_t taken = choice.from_fifo ? (state.older > 0 ? next_is_older : next_is_watched) : state.next_same;
    state.older -= taken == next_is_older;
    state.newer -= taken == next_is_newer;
    state.waiting = taken != next_is_watched;
    state.next_opposite = false;
    for (const std::int64_t next : {no_next, next_is_older, next_is_newer, next_is_watched}) {
      if ((next == next_is_older && state.older == 0) || (next == next_is_newer && state.newer == 0)) continue;
      if (next == next_is_watched && !state.waiting) continue;
      state.next_same = next;
      steps.push_back(
          {state.key(), state.waiting ? "dispatch " + direction : "dispatch the watched request", !state.waiting});
    }
  }

  std::int64_t most_;
  bool watched_write_;
  std::int64_t writes_starved_;
};

}  // namespace

std::unique_ptr<TransitionSystem> deadline_system(SystemSize size, bool watched_write, std::int64_t writes_starved) {
  return std::make_unique<DeadlineSystem>(size, watched_write, writes_starved);
}

}  // namespace elvcheck
