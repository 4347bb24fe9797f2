// SPDX-License-Identifier: GPL-2.0-or-later
// What limit_depth of a blk-mq scheduler promises: some requests hold no more than a share of the scheduler's tags.
#pragma once

#include <cstdint>

#include "properties/flat_map.hpp"
#include "properties/property.hpp"

namespace elvcheck::property {

/// Tags in one word of a map of `depth` tags: 64, or fewer in small maps, so that there are at least four words
/// (sbitmap_calculate_shift).
std::int64_t tags_in_word(std::int64_t depth);
/// How many tags of a map of `depth` a limit of `share` in each word leaves (sbitmap_get_shallow of 6.1).
std::int64_t tags_of_words(std::int64_t depth, std::int64_t share);

/// Counts the tags that limited requests hold. Requests of a flush sequence are left out: not every version limits them.
class AsyncTags : public Monitor {
 public:
  /// @param limited whether the operation is one that the scheduler limits
  AsyncTags(bool (*limited)(Op, ReqFlags), std::int64_t bound) : limited_(limited), bound_(bound) {}
  void on_event(const TraceEvent& event) override;

 private:
  bool (*limited_)(Op, ReqFlags);
  std::int64_t bound_;
  FlatSet<RequestId> held_;
};

}  // namespace elvcheck::property
