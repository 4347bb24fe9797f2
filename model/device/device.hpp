// SPDX-License-Identifier: GPL-2.0-or-later
// The device side of the seam: a driver's view of a disk or SSD.
#pragma once

#include <cstdint>
#include <string>

#include "model/core/bio.hpp"
#include "model/core/event_queue.hpp"

namespace elvcheck {

/// What a device tells the block layer about itself.
struct DeviceInfo {
  std::string name;
  Sector capacity = 0;          ///< in sectors
  unsigned queue_depth = 1;     ///< most commands it holds at once (driver tags), >= 1
  bool rotational = true;       ///< queue/rotational
  bool volatile_cache = false;  ///< queue/write_cache is "write back": flushes mean something
  bool fua = false;             ///< understands FUA writes
};

struct DeviceCommand {
  std::uint32_t tag = 0;  ///< the caller's, unique among the commands inside the device
  Op op = Op::read;
  bool fua = false;  ///< complete only when on the medium
  Sector sector = 0;
  SectorCount sectors = 0;  ///< 0 for a flush
};

class DeviceListener {
 public:
  virtual void command_done(std::uint32_t tag) = 0;

 protected:
  ~DeviceListener() = default;
};

/// A device under virtual time. On a completion it calls the listener first and starts its own next work afterwards, so that
/// a command issued from inside command_done() takes its place behind those that wait in the device already.
class Device {
 public:
  virtual ~Device() = default;
  const DeviceInfo& info() const { return info_; }

  /// Connects the device. Called once, before the first issue(); both must outlive the device's use.
  void attach(EventQueue& events, DeviceListener& listener) {
    events_ = &events;
    listener_ = &listener;
  }

  /// Takes a command. At most info().queue_depth are inside at once; sector + sectors <= capacity.
  virtual void issue(const DeviceCommand& command) = 0;

  /// No such command takes less, whatever state the device is in (the tag has no influence).
  virtual Nanoseconds least_time(const DeviceCommand& command) const { return (void)command, Nanoseconds(0); }

  /// Recounts the device's own books: empty if they agree, otherwise one line about the first difference.
  virtual std::string check() const { return {}; }

 protected:
  explicit Device(DeviceInfo info) : info_(std::move(info)) {}
  EventQueue& events() const { return *events_; }
  void done(std::uint32_t tag) { listener_->command_done(tag); }

  DeviceInfo info_;

 private:
  EventQueue* events_ = nullptr;
  DeviceListener* listener_ = nullptr;
};

}  // namespace elvcheck
