// SPDX-License-Identifier: GPL-2.0-or-later
// The scheduler's tag map of a blk-mq queue, and who waits for a tag.
//
// Mirrors struct sbitmap_queue (lib/sbitmap.c) and blk_mq_get_tag() (block/blk-mq-tag.c) of 6.1 for one CPU and one hardware
// queue: the map is cut into words, a limit (shallow depth) applies to each word, freed bits come back to a word only when
// it has run out, the allocation hint is the bit freed last, and sleepers are spread over eight queues that are woken in
// turn. All of this is visible: with a limit of 1 of 64 tags a scheduler still gets one tag in each of four words. Left out:
// the random start of the hint (it starts at 0), reserved tags, tags shared between queues.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "model/core/mutant.hpp"
#include "model/core/units.hpp"

namespace elvcheck {

class TagMap {
 public:
  /// @param depth number of tags, >= 1
  /// @param min_shallow_depth the smallest limit that will be asked for; decides how many frees wake one sleeper
  TagMap(unsigned depth, unsigned min_shallow_depth);

  unsigned depth() const { return depth_; }
  unsigned in_use() const { return in_use_; }
  /// Tags in one word (1 << sb.shift).
  unsigned word_bits() const { return 1U << shift_; }

  static constexpr unsigned no_limit = ~0U;

  /// Takes a tag; with a limit, only that many low bits of each word are eligible. None if there is no such tag.
  std::optional<unsigned> get(unsigned shallow_depth = no_limit);
  /// Frees a tag and calls wake(ProcessId) for every sleeper that this wakes.
  template <class Wake>
  void put(unsigned tag, Wake wake) {
    release(tag);
    if (waiters_ == 0 || ++freed_since_wake_ < wake_batch_) return;
    freed_since_wake_ = 0;
    if (planted(Mutant::tags_wake_forgotten)) return;
    std::deque<ProcessId>* queue = next_wait_queue();
    for (unsigned woken = 0; woken < wake_batch_ && !queue->empty(); ++woken) {
      const ProcessId process = queue->front();
      queue->pop_front();
      --waiters_;
      wake(process);
    }
  }
  /// Puts the process to sleep at the end of the next wait queue.
  void wait(ProcessId process);

 private:
  static constexpr unsigned wait_queues = 8;      // SBQ_WAIT_QUEUES
  static constexpr unsigned most_wake_batch = 8;  // SBQ_WAKE_BATCH

  struct Word {
    std::uint64_t used = 0;     // allocated, or freed and not yet taken back
    std::uint64_t cleared = 0;  // freed since the word was last swept
    unsigned depth = 0;
  };
  static int find_zero(const Word& word, unsigned depth, unsigned hint);
  static int take_from(Word& word, unsigned depth, unsigned hint);
  void release(unsigned tag);
  std::deque<ProcessId>* next_wait_queue();  // the next one that is not empty; there is one

  unsigned depth_;
  unsigned shift_;
  unsigned wake_batch_;
  std::vector<Word> words_;
  unsigned hint_ = 0;
  unsigned in_use_ = 0;
  std::array<std::deque<ProcessId>, wait_queues> queues_;
  unsigned waiters_ = 0;
  unsigned wait_index_ = 0;
  unsigned wake_index_ = 0;
  unsigned freed_since_wake_ = 0;
};

}  // namespace elvcheck
