// SPDX-License-Identifier: GPL-2.0-or-later
// The tag map of a blk-mq queue or of a scheduler's domain, and who waits for a tag.
//
// Mirrors struct sbitmap_queue (lib/sbitmap.c) and blk_mq_get_tag() (block/blk-mq-tag.c) for one CPU and one hardware queue:
// the map is cut into words, freed bits come back to a word only when it has run out, the allocation hint is the bit freed
// last, and sleepers are spread over eight queues that are woken in turn. A limit (shallow depth) applies to each word
// in 6.1, so that with a limit of 1 of 64 tags a scheduler still gets one tag in each of four words; in 6.12 it applies to
// the whole map, and each word gets its share of it. A map can be resized within the words it was made with
// (sbitmap_queue_resize); tags above a smaller depth stay in use until they are freed. Left out: reserved tags, tags shared
// between queues.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/core/mutant.hpp"
#include "model/core/random.hpp"
#include "model/core/units.hpp"

namespace elvcheck {

class TagMap {
 public:
  /// What a limit counts.
  enum class Limit { each_word, whole_map };

  /// @param depth number of tags, >= 1
  /// @param random where a search starts that has no better hint; outlives the map
  TagMap(unsigned depth, XorShift32& random, Limit limit);

  /// The smallest limit that will be asked for, no_limit at first; decides how many frees wake one sleeper
  /// (sbitmap_queue_min_shallow_depth).
  void set_min_shallow_depth(unsigned limit);
  /// Changes the number of tags, 1 to the number that the map was made with. Wakes nobody.
  void resize(unsigned depth);

  unsigned depth() const { return depth_; }
  unsigned in_use() const { return in_use_; }
  /// Tags in one word (1 << sb.shift).
  unsigned word_bits() const { return 1U << shift_; }

  static constexpr unsigned no_limit = ~0U;

  /// Takes a tag; with a limit, only the low bits of each word are eligible: that many, or the word's share of the limit.
  /// None if there is no such tag. A limit of 0 is none, as it is in the kernel.
  std::optional<unsigned> get(unsigned shallow_depth = no_limit);
  /// Frees a tag and calls wake(ProcessId) for every sleeper that this wakes.
  template <class Wake>
  void put(unsigned tag, Wake wake) {
    release(tag);
    if (waiters_ == 0 || ++freed_since_wake_ < wake_batch_) return;
    freed_since_wake_ -= wake_batch_;
    if (planted(Mutant::tags_wake_forgotten)) return;
    unsigned left = wake_batch_;
    for (unsigned tried = 0; tried < wait_queues && left > 0; ++tried) {
      std::vector<ProcessId>& queue = queues_[wake_index_];
      wake_index_ = (wake_index_ + 1) % wait_queues;
      if (queue.empty()) continue;
      for (; left > 0 && !queue.empty(); --left) {
        const ProcessId process = queue.front();
        queue.erase(queue.begin());
        wake(process);
      }
      if (limit_ == Limit::each_word) break;  // 6.1 wakes in one queue only
    }
  }
  /// The wait queue for an allocation that has failed, whether or not it will sleep (bt_wait_ptr): each in its turn.
  unsigned take_wait_queue() {
    const unsigned taken = wait_index_;
    wait_index_ = (wait_index_ + 1) % wait_queues;
    return taken;
  }
  /// Puts the process to sleep at the end of a wait queue.
  void wait(ProcessId process, unsigned wait_queue) {
    queues_[wait_queue].push_back(process);
    ++waiters_;
  }
  /// A process that slept runs again. Until then it counts as a sleeper.
  void finish_wait() { --waiters_; }
  /// A sleeper of that wait queue gives up.
  void cancel_wait(ProcessId process, unsigned wait_queue) {
    std::erase(queues_[wait_queue], process);
    --waiters_;
  }

 private:
  static constexpr unsigned wait_queues = 8;      // SBQ_WAIT_QUEUES
  static constexpr unsigned most_wake_batch = 8;  // SBQ_WAKE_BATCH

  struct Word {
    std::uint64_t used = 0;     // allocated, or freed and not yet taken back
    std::uint64_t cleared = 0;  // freed since the word was last swept
  };
  static int find_zero(const Word& word, unsigned depth, unsigned hint);
  static void sweep(Word& word) {
    word.used &= ~word.cleared;
    word.cleared = 0;
  }
  static int take_from(Word& word, unsigned depth, unsigned hint);
  void release(unsigned tag);
  unsigned word_depth(std::size_t index) const;
  unsigned eligible_bits(std::size_t index, unsigned shallow_depth) const;
  void update_wake_batch();

  unsigned depth_;
  Limit limit_;
  XorShift32& random_;
  unsigned shift_ = 6;
  unsigned min_shallow_depth_ = no_limit;
  unsigned wake_batch_ = 1;
  std::vector<Word> words_;  // as many as the map was made with
  std::size_t word_count_;   // those that the depth needs
  unsigned hint_;
  unsigned in_use_ = 0;
  std::array<std::vector<ProcessId>, wait_queues> queues_;  // few wait at a time
  unsigned waiters_ = 0;
  unsigned wait_index_ = 0;
  unsigned wake_index_ = 0;
  unsigned freed_since_wake_ = 0;
};

}  // namespace elvcheck
