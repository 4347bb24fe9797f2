// SPDX-License-Identifier: GPL-2.0-or-later
// All monitors of one run as a single listener.
#pragma once

#include <vector>

#include "properties/property.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck {

/// Feeds each event to the monitors that want its kind; those that follow the scheduler's queue share one set of books.
class MonitorSet final : public TraceListener {
 public:
  /// `facts` outlive the set.
  explicit MonitorSet(const RunFacts& facts) : books_(facts) {}
  MonitorSet(const MonitorSet&) = delete;
  MonitorSet& operator=(const MonitorSet&) = delete;

  /// The monitor is not owned and outlives the set's use.
  void add(Monitor& monitor);
  void on_event(const TraceEvent& event) override {
    const EventKinds kind = event_kinds(event.kind);
    for (const auto& [monitor, wanted] : monitors_) {
      if ((wanted & kind) != 0) monitor->on_event(event);
    }
    if (books_.has_readers()) books_.on_event(event);
  }

 private:
  QueueBooks books_;
  struct Entry {
    Monitor* monitor;
    EventKinds wanted;
  };
  std::vector<Entry> monitors_;
};

}  // namespace elvcheck
