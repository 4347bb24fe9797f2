// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/block/tags.hpp"

#include <algorithm>
#include <bit>

namespace elvcheck {

TagMap::TagMap(unsigned depth, XorShift32& random, Limit limit)
    : depth_(depth), limit_(limit), random_(random), hint_(random.below(depth)) {
  if (depth >= 4) {
    while ((4U << shift_) > depth) --shift_;
  }
  word_count_ = (depth + word_bits() - 1) >> shift_;
  words_.resize(word_count_);
  update_wake_batch();
}

void TagMap::set_min_shallow_depth(unsigned limit) {
  min_shallow_depth_ = limit;
  update_wake_batch();
}

void TagMap::update_wake_batch() {
  const unsigned bits = word_bits();
  const unsigned shallow = std::min(bits, min_shallow_depth_);
  const unsigned usable = limit_ == Limit::whole_map ? std::min(depth_, min_shallow_depth_)
                                                     : (depth_ >> shift_) * shallow + std::min(depth_ & (bits - 1), shallow);
  wake_batch_ = std::clamp(usable / wait_queues, 1U, most_wake_batch);
}

void TagMap::resize(unsigned depth) {
  for (std::size_t i = 0; i < word_count_; ++i) sweep(words_[i]);
  depth_ = depth;
  word_count_ = (depth + word_bits() - 1) >> shift_;
  update_wake_batch();
}

int TagMap::find_zero(const Word& word, unsigned depth, unsigned hint) {
  for (int pass = 0; pass < 2; ++pass) {
    if (hint < depth) {
      const std::uint64_t eligible =
          (depth == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << depth) - 1) & (~std::uint64_t{0} << hint);
      if (const std::uint64_t zeros = ~word.used & eligible; zeros != 0) return std::countr_zero(zeros);
    }
    if (hint == 0) break;
    hint = 0;
  }
  return -1;
}

int TagMap::take_from(Word& word, unsigned depth, unsigned hint) {
  for (;;) {
    if (const int bit = find_zero(word, depth, hint); bit >= 0) {
      word.used |= std::uint64_t{1} << bit;
      return bit;
    }
    if (word.cleared == 0) return -1;
    sweep(word);
  }
}

unsigned TagMap::word_depth(std::size_t index) const {
  return index + 1 == word_count_ ? depth_ - (static_cast<unsigned>(index) << shift_) : word_bits();
}

/// __map_depth_with_shallow() of 6.12: shares are rounded so that they add up to the limit.
unsigned TagMap::eligible_bits(std::size_t index, unsigned shallow_depth) const {
  const unsigned whole = word_depth(index);
  if (limit_ == Limit::each_word) return std::min(whole, shallow_depth);
  if (shallow_depth >= depth_) return whole;
  const std::uint64_t product = std::uint64_t{whole} * shallow_depth;
  return static_cast<unsigned>(product / depth_ + (product % depth_ >= (index + 1) * whole ? 1 : 0));
}

std::optional<unsigned> TagMap::get(unsigned shallow_depth) {
  if (hint_ >= depth_) hint_ = random_.below(depth_);
  if (shallow_depth == 0) shallow_depth = no_limit;
  const bool shallow = shallow_depth != no_limit;
  auto index = static_cast<std::size_t>(hint_ >> shift_);
  // Without a limit the hint only chooses the word.
  unsigned bit_hint = shallow ? hint_ & (word_bits() - 1) : 0;
  for (std::size_t tried = 0; tried < word_count_; ++tried) {
    Word& word = words_[index];
    const unsigned eligible = eligible_bits(index, shallow_depth);
    if (const int bit = eligible > 0 ? take_from(word, eligible, bit_hint) : -1; bit >= 0) {
      const unsigned tag = (static_cast<unsigned>(index) << shift_) + static_cast<unsigned>(bit);
      if (tag == hint_) hint_ = tag + 1 >= depth_ - 1 ? 0 : tag + 1;
      ++in_use_;
      return tag;
    }
    bit_hint = 0;
    index = index + 1 == word_count_ ? 0 : index + 1;
  }
  hint_ = 0;
  return std::nullopt;
}

void TagMap::release(unsigned tag) {
  words_[tag >> shift_].cleared |= std::uint64_t{1} << (tag & (word_bits() - 1));
  --in_use_;
  if (tag < depth_) hint_ = tag;
}

}  // namespace elvcheck
