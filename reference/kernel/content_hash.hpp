// SPDX-License-Identifier: GPL-2.0-or-later
// A hash of contents, by which trees and builds are kept. Fast rather than strong: it tells versions apart, not attackers.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

namespace elvcheck::kernel {

class ContentHash {
 public:
  void add(std::string_view bytes) {
    mix(bytes.size());
    std::size_t i = 0;
    for (; i + sizeof(std::uint64_t) <= bytes.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, sizeof word);
      mix(word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes.data() + i, bytes.size() - i);
    mix(rest);
  }
  void add(std::uint64_t number) { mix(number); }
  /// The contents of a file; a missing one counts as such.
  void add_file(const std::filesystem::path& path);

  std::uint64_t value() const { return state_; }
  /// Sixteen hexadecimal digits.
  std::string text() const;

 private:
  void mix(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15U;
    state_ ^= state_ >> 29;
  }
  std::uint64_t state_ = 0xCBF29CE484222325U;
};

}  // namespace elvcheck::kernel
