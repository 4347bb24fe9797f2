// SPDX-License-Identifier: GPL-2.0-or-later
// A device with one server that takes commands in the order of issue.
#pragma once

#include <deque>

#include "model/device/device.hpp"
#include "model/device/dirty_ranges.hpp"
#include "model/device/medium_view.hpp"

namespace elvcheck {

/// The common part of the simplest devices: a queue, one server, and a volatile cache that costs no time itself. With a
/// volatile cache a completed write is dirty until a FLUSH that began after its completion is done; FUA writes go to the
/// medium.
class FifoDevice : public Device, public MediumView, protected Actor {
 public:
  void issue(const DeviceCommand& command) override;
  bool on_medium(Sector first, SectorCount sectors) const override { return !dirty_.overlaps(first, first + sectors); }

 protected:
  explicit FifoDevice(DeviceInfo info) : Device(std::move(info)) {}

  /// The completion time of a command that the server takes up now. Called once for each command, in order of service.
  virtual Nanoseconds serve(const DeviceCommand& command, Nanoseconds now) = 0;

  void on_event(std::uint64_t) override;
  /// The cache's part of a completion. `flush_order`: the order number of the write that the flush, when it began, saw next.
  void settle(const DeviceCommand& command, std::uint64_t flush_order);
  std::uint64_t next_order() const { return next_order_; }

 private:
  void start();

  std::deque<DeviceCommand> queue_;  // the front one is being served
  DirtyRanges dirty_;
  std::uint64_t next_order_ = 1;
};

}  // namespace elvcheck
