// SPDX-License-Identifier: GPL-2.0-or-later
// All monitors of one run as a single listener.
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "properties/cfq_monitor.hpp"
#include "properties/property.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck {

/// Feeds each event to the monitors that want its kind; those that follow the scheduler's queue, or CFQ's queues,
/// share one set of books.
class MonitorSet final : public TraceListener {
 public:
  /// `facts` outlive the set.
  explicit MonitorSet(const RunFacts& facts) : books_(facts) {}
  MonitorSet(const MonitorSet&) = delete;
  MonitorSet& operator=(const MonitorSet&) = delete;

  /// The monitor is not owned and outlives the set's use.
  void add(Monitor& monitor);
  void on_event(const TraceEvent& event) override {
    for (std::uint64_t left = wanting_[static_cast<std::size_t>(event.kind)]; left != 0; left &= left - 1) {
      monitors_[static_cast<std::size_t>(std::countr_zero(left))]->on_event(event);
    }
    if (books_.has_readers()) books_.on_event(event);
    if (cfq_books_.has_readers()) cfq_books_.on_event(event);
  }

 private:
  QueueBooks books_;
  CfqBooks cfq_books_;
  std::vector<Monitor*> monitors_;                         // at most 64
  std::array<std::uint64_t, event_kind_count> wanting_{};  // for each kind a bit for each of monitors_
};

}  // namespace elvcheck
