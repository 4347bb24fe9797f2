// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/monitor_set.hpp"

namespace elvcheck {

void MonitorSet::add(Monitor& monitor) {
  if (QueueMonitor* const reader = monitor.as_queue_monitor()) {
    reader->share(books_);
  } else {
    monitors_.push_back({&monitor, monitor.wants()});
  }
}

}  // namespace elvcheck
