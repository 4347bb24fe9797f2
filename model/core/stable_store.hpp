// SPDX-License-Identifier: GPL-2.0-or-later
// Objects that stay where they are while their number grows, and such as are used again.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Objects that are taken and given back; who takes one finds what was left in it.
template <class T>
class ReusedStore {
 public:
  T& take() {
    if (free_.empty()) free_.push_back(&storage_.add());
    T& object = *free_.back();
    free_.pop_back();
    return object;
  }
  void give_back(T& object) { free_.push_back(&object); }
  std::size_t in_use() const { return storage_.size() - free_.size(); }

 private:
  StableStore<T> storage_;
  std::vector<T*> free_;
};

/// The same, for those who know their objects by number.
template <class T>
class NumberedStore {
 public:
  std::uint32_t take() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(storage_.size()));
      storage_.add();
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  void give_back(std::uint32_t number) { free_.push_back(number); }
  T& operator[](std::uint32_t number) { return storage_[number]; }
  std::size_t in_use() const { return storage_.size() - free_.size(); }

 private:
  StableStore<T> storage_;
  std::vector<std::uint32_t> free_;
};

}  // namespace elvcheck
