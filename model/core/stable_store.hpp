// SPDX-License-Identifier: GPL-2.0-or-later
// Objects that stay where they are while their number grows.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace elvcheck {

/// As std::deque with nothing but growth at the end, but in chunks of 16 objects whatever their size.
template <class T>
class StableStore {
 public:
  std::size_t size() const { return size_; }
  T& operator[](std::size_t index) { return chunks_[index / chunk][index % chunk]; }
  /// A fresh one, with the index size() - 1.
  T& add() {
    if (size_ == chunks_.size() * chunk) chunks_.push_back(std::make_unique<T[]>(chunk));
    return (*this)[size_++];
  }

 private:
  static constexpr std::size_t chunk = 16;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace elvcheck
