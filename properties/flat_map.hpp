// SPDX-License-Identifier: GPL-2.0-or-later
// A map for what is in flight: few keys, which come mostly in ascending order.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace elvcheck {

/// A sorted vector with the interface of std::map, as far as monitors use it. A new key above all others costs no search,
/// and nothing is allocated once the vector has grown to what is in flight at most.
template <class Key, class Value>
class FlatMap {
 public:
  using value_type = std::pair<Key, Value>;
  using iterator = typename std::vector<value_type>::iterator;
  using const_iterator = typename std::vector<value_type>::const_iterator;

  iterator begin() { return entries_.begin(); }
  iterator end() { return entries_.end(); }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  iterator find(const Key& key) {
    const iterator at = place(key);
    return at != end() && at->first == key ? at : end();
  }
  /// As std::map: nothing happens to a key that is there.
  std::pair<iterator, bool> emplace(const Key& key, Value value) {
    const iterator at = place(key);
    if (at != end() && at->first == key) return {at, false};
    return {entries_.emplace(at, key, std::move(value)), true};
  }
  void insert_or_assign(const Key& key, Value value) {
    const auto [at, fresh] = emplace(key, value);
    if (!fresh) at->second = std::move(value);
  }
  Value& operator[](const Key& key) { return emplace(key, Value{}).first->second; }
  iterator erase(iterator at) { return entries_.erase(at); }
  /// How many were erased: 0 or 1.
  std::size_t erase(const Key& key) {
    const iterator at = find(key);
    if (at == end()) return 0;
    entries_.erase(at);
    return 1;
  }

 private:
  iterator place(const Key& key) {
    if (entries_.empty() || entries_.back().first < key) return end();
    return std::lower_bound(begin(), end(), key, [](const value_type& entry, const Key& k) { return entry.first < k; });
  }

  std::vector<value_type> entries_;
};

}  // namespace elvcheck
