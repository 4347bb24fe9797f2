// SPDX-License-Identifier: GPL-2.0-or-later
// Given requests on a device, without a block layer.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "model/device/device.hpp"

namespace elvcheck {

/// A request's times.
struct ReplayedRequest {
  DeviceCommand command;
  Nanoseconds arrival{0};
  Nanoseconds completed{-1};
  Nanoseconds response() const { return completed - arrival; }
};

/// Plays requests on a device that was made for this. What the device cannot hold waits outside, in order of arrival.
class RequestReplay : private DeviceListener, private Actor {
 public:
  explicit RequestReplay(Device& device) : device_(device) { device.attach(events_, *this); }

  /// A request that arrives at `arrival`, not before now(). Its number is that of earlier calls.
  void add(const DeviceCommand& command, Nanoseconds arrival);
  /// Called at every completion with the request's number; may add().
  std::function<void(std::size_t)> on_done = [](std::size_t) {};
  /// Runs until everything is completed. Throws std::logic_error if something never is.
  void finish();
  /// Forgets the requests so far, which must be completed; numbers begin at 0 again.
  void forget();
  /// Runs the next event. Throws std::logic_error if there is none.
  void step();
  /// The clock goes on to `at`, and with it what the device does by itself.
  void wait_until(Nanoseconds at);

  Nanoseconds now() const { return events_.now(); }
  const std::vector<ReplayedRequest>& requests() const { return requests_; }
  /// The requests' numbers in the order of their completions.
  const std::vector<std::size_t>& completions() const { return completions_; }

 private:
  void on_event(std::uint64_t number) override;
  void command_done(std::uint32_t tag) override;
  void issue_waiting();

  EventQueue events_;
  Device& device_;
  std::vector<ReplayedRequest> requests_;
  std::vector<std::size_t> completions_;
  std::deque<std::size_t> waiting_;
  unsigned inside_ = 0;
};

}  // namespace elvcheck
