// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/async_tags.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace elvcheck::property {

std::int64_t tags_in_word(std::int64_t depth) {
  int shift = 6;
  while (depth >= 4 && shift > 0 && (std::int64_t{4} << shift) > depth) --shift;
  return std::int64_t{1} << shift;
}

std::int64_t tags_of_words(std::int64_t depth, std::int64_t share) {
  const std::int64_t word = tags_in_word(depth);
  return depth / word * std::min(word, share) + std::min(depth % word, share);
}

void AsyncTags::on_event(const TraceEvent& event) {
  if (event.kind == EventKind::get_request) {
    if (op_is_flush(event.op, event.flags) || !limited_(event.op, event.flags)) return;
    held_.insert(event.request);
    const auto held = static_cast<std::int64_t>(held_.size());
    judge(held);
    if (held > bound_) {
      violate({"too-many-async", fmt::format("{} limited requests hold scheduler tags; {} are allowed", held, bound_),
               event.at, event.request, held, bound_});
    }
  } else if (event.kind == EventKind::complete) {
    held_.erase(event.request);
  } else if (event.kind == EventKind::request_merge) {
    held_.erase(event.other);
  }
}

}  // namespace elvcheck::property
