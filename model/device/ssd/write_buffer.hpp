// SPDX-License-Identifier: GPL-2.0-or-later
// The flash device's write buffer: slots that have been written and are not on flash yet.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/device/ssd/flash_map.hpp"

namespace elvcheck {

/// Versions of slots in the order of writing. Rewriting a slot that still waits replaces its data in place and keeps its
/// order number, so that a flush which counts on the older version gets at least it. A slot whose older version is being
/// programmed gets a second entry, which is handed out only when the older one has retired: versions reach the map in order.
class WriteBuffer {
 public:
  using Id = std::uint32_t;
  static constexpr std::uint32_t nobody = ~0U;

  /// `owner`: the command that completes when this slot is on flash, or nobody.
  void put(LogicalSlot slot, std::uint32_t owner);
  /// The slot's data are discarded: what waits leaves at once, what is being programmed will not count.
  void drop(LogicalSlot slot);
  bool holds(LogicalSlot slot) const;

  /// Entries not retired yet: waiting or being programmed.
  std::size_t size() const { return live_; }
  /// The number that the next put() gets.
  std::uint64_t next_order() const { return next_order_; }
  /// Whether at least `count` entries wait and may be taken.
  bool has(std::size_t count) const { return takeable_ >= count; }
  /// The slot of an entry that has been taken.
  LogicalSlot slot(Id id) const { return entries_[id].slot; }
  /// Takes the `count` oldest that may be taken (fewer if there are fewer), for programming.
  std::vector<Id> take(std::size_t count);

  struct Retired {
    std::optional<LogicalSlot> slot;  ///< none if the data were discarded meanwhile
    std::uint64_t order;
    std::uint32_t owner;
  };
  /// The entry is on flash. Makes a newer version of the slot takeable.
  Retired retire(Id id);
  /// Entries that were dropped while they waited: retired without programming, in order of writing.
  std::vector<Retired> take_dropped();

 private:
  static constexpr Id none = ~0U;
  struct Entry {
    LogicalSlot slot = 0;
    std::uint64_t order = 0;
    std::uint32_t owner = nobody;
    Id older = none;  // versions of the same slot
    Id newer = none;
    bool taken = false;
    bool dropped = false;
  };

  std::vector<Entry> entries_;
  std::vector<Id> free_;
  std::deque<Id> waiting_;
  std::vector<Retired> dropped_;
  std::unordered_map<LogicalSlot, Id> newest_;  // only looked up, never walked through
  std::size_t live_ = 0;
  std::size_t takeable_ = 0;
  std::uint64_t next_order_ = 1;
};

}  // namespace elvcheck
