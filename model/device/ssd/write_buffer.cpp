// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/ssd/write_buffer.hpp"

#include <utility>

namespace elvcheck {

void WriteBuffer::put(LogicalSlot slot, std::uint32_t owner) {
  const auto known = newest_.find(slot);
  const Id older = known == newest_.end() ? none : known->second;
  if (older != none) {
    Entry& entry = entries_[older];
    if (!entry.taken && (owner == nobody || entry.owner == nobody)) {
      if (owner != nobody) entry.owner = owner;
      return;
    }
  }
  if (free_.empty()) {
    free_.push_back(static_cast<Id>(entries_.size()));
    entries_.emplace_back();
  }
  const Id id = free_.back();
  free_.pop_back();
  entries_[id] = {.slot = slot, .order = next_order_++, .owner = owner, .older = older};
  if (older == none) {
    ++takeable_;
  } else {
    entries_[older].newer = id;
  }
  newest_[slot] = id;
  waiting_.push_back(id);
  ++live_;
}

void WriteBuffer::drop(LogicalSlot slot) {
  const auto known = newest_.find(slot);
  if (known == newest_.end()) return;
  for (Id id = known->second; id != none;) {
    Entry& entry = entries_[id];
    entry.dropped = true;
    if (entry.taken) {
      entry.newer = none;
      known->second = id;  // the next version still has to wait for it
      return;
    }
    if (entry.older == none) --takeable_;
    --live_;
    dropped_.push_back({std::nullopt, entry.order, entry.owner});
    id = entry.older;  // take() clears the place in waiting_
  }
  newest_.erase(known);
}

bool WriteBuffer::holds(LogicalSlot slot) const {
  const auto known = newest_.find(slot);
  return known != newest_.end() && !entries_[known->second].dropped;
}

std::vector<WriteBuffer::Id> WriteBuffer::take(std::size_t count) {
  std::vector<Id> result;
  std::vector<Id> passed_over;
  while (result.size() < count && !waiting_.empty()) {
    const Id id = waiting_.front();
    waiting_.pop_front();
    Entry& entry = entries_[id];
    if (entry.dropped) {
      free_.push_back(id);
    } else if (entry.older != none) {
      passed_over.push_back(id);
    } else {
      entry.taken = true;
      --takeable_;
      result.push_back(id);
    }
  }
  waiting_.insert(waiting_.begin(), passed_over.begin(), passed_over.end());
  return result;
}

WriteBuffer::Retired WriteBuffer::retire(Id id) {
  const Entry entry = entries_[id];
  if (entry.newer != none) {
    entries_[entry.newer].older = none;
    ++takeable_;
  } else {
    newest_.erase(entry.slot);
  }
  free_.push_back(id);
  --live_;
  return {entry.dropped ? std::nullopt : std::optional(entry.slot), entry.order, entry.owner};
}

std::vector<WriteBuffer::Retired> WriteBuffer::take_dropped() { return std::exchange(dropped_, {}); }

}  // namespace elvcheck
