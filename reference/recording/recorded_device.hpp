// SPDX-License-Identifier: GPL-2.0-or-later
// The device of a recording: each command takes as long as the recording shows for the same command.
//
// A command is recognised by operation, sector and length; the k-th such command takes the time of the k-th recorded one.
// Commands that the recording does not show to their end (other merges, or still in flight at its end) go to a model device,
// which knows nothing of the others.
//
// A recorded time is from issue to completion. Where a request was ready and waited for the device, the few hundred
// nanoseconds from the previous completion to its issue are the host's work; the model's host works in no time, so they are
// added to the command's time: the device is free again when the recorded one was, and a chain of waiting requests does not
// drift.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <tuple>

#include "model/device/device.hpp"
#include "reference/recording/recording.hpp"

namespace elvcheck {

class RecordedDevice final : public Device, private Actor, private DeviceListener {
 public:
  /// The longest gap between a completion and the next issue that counts as the host's work.
  static constexpr Nanoseconds longest_turnaround{2000};

  /// @param info what it tells about itself (capacity, depth, cache)
  /// @param fallback takes the commands that were not recorded
  RecordedDevice(const Recording& recording, DeviceInfo info, std::unique_ptr<Device> fallback);

  void issue(const DeviceCommand& command) override;
  /// Commands that went to the fallback so far.
  std::uint64_t unknown_commands() const { return unknown_; }

 private:
  using Key = std::tuple<Op, Sector, SectorCount>;

  void on_event(std::uint64_t tag) override { done(static_cast<std::uint32_t>(tag)); }
  void command_done(std::uint32_t tag) override { done(tag); }

  std::map<Key, std::deque<Nanoseconds>> times_;
  std::unique_ptr<Device> fallback_;
  bool fallback_attached_ = false;
  std::uint64_t unknown_ = 0;
};

/// The median of the recorded times from issue to completion; 0 if there is none.
Nanoseconds median_service_time(const Recording& recording);

/// What a recording shows of its device: furthest sector, most commands at once, whether flushes and FUA writes reached it.
DeviceInfo observed_device(const Recording& recording);

}  // namespace elvcheck
