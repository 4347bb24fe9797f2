// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/monitor_set.hpp"

#include <stdexcept>

namespace elvcheck {

void MonitorSet::add(Monitor& monitor) {
  if (QueueMonitor* const reader = monitor.as_queue_monitor()) {
    reader->share(books_);
    return;
  }
  if (CfqMonitor* const reader = monitor.as_cfq_monitor()) {
    reader->share(cfq_books_);
    return;
  }
  if (monitors_.size() == 64) throw std::length_error("a set of monitors holds 64 of them");
  const std::uint64_t bit = std::uint64_t{1} << monitors_.size();
  monitors_.push_back(&monitor);
  const EventKinds wanted = monitor.wants();
  for (std::size_t kind = 0; kind < wanting_.size(); ++kind) {
    if ((wanted >> kind & 1U) != 0) wanting_[kind] |= bit;
  }
}

}  // namespace elvcheck
