// SPDX-License-Identifier: GPL-2.0-or-later
// The one source of pseudo-random numbers of the simulation: the same numbers from every compiler and library.
#pragma once

#include <cstdint>

namespace elvcheck {

/// splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  /// A number in [0, bound); bound > 0. The bias is below bound / 2^53.
  std::uint64_t below(std::uint64_t bound) { return (next() >> 11) % bound; }

 private:
  std::uint64_t state_;
};

/// xorshift32 (Marsaglia: Xorshift RNGs, Journal of Statistical Software 2003): stands in where the kernel asks for random numbers.
/// Where it looks at them (start hints of tag maps) any number would do; these are what the recordings were made with.
class XorShift32 {
 public:
  /// A number in [0, bound); bound > 0.
  std::uint32_t below(std::uint32_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_ % bound;
  }

 private:
  std::uint32_t state_ = 1;
};

}  // namespace elvcheck
