// SPDX-License-Identifier: GPL-2.0-or-later
// A closed loop directly on a device, without a block layer: `depth` commands are kept inside, as fio does with iodepth.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/core/random.hpp"
#include "model/device/medium_view.hpp"
#include "model/device/preset.hpp"

namespace elvcheck::test {

/// A command's life.
struct Served {
  DeviceCommand command;
  Nanoseconds issued{0};
  Nanoseconds completed{-1};
  Nanoseconds response() const { return completed - issued; }
};

/// Feeds a device from `source` until that yields nothing, and records every command. Throws std::logic_error if the device
/// completes what it does not hold, or is left with a command for ever.
class ClosedLoop : public DeviceListener {
 public:
  using Source = std::function<std::optional<DeviceCommand>()>;

  ClosedLoop(Device& device, unsigned depth) : device_(device), inside_(depth) { device.attach(events_, *this); }

  /// Called before each completion is booked, and after each event; both for tests that look into the device.
  std::function<void(const Served&)> on_done = [](const Served&) {};

  void run(Source source) {
    source_ = std::move(source);
    dry_ = false;
    for (std::uint32_t tag = 0; tag < inside_.size(); ++tag) feed(tag);
    while (in_flight_ > 0) {
      if (!events_.step()) throw std::logic_error("a command never completed");
    }
  }
  /// Lets virtual time pass until `until`, for what the device does by itself.
  void rest(Nanoseconds until) {
    while (events_.step(until)) {
    }
  }

  EventQueue& events() { return events_; }
  const std::vector<Served>& served() const { return served_; }
  /// In the order of completion: indices into served().
  const std::vector<std::size_t>& completions() const { return completions_; }

  double iops() const { return static_cast<double>(completions_.size()) / seconds(); }
  double megabytes_per_second() const {
    double sectors = 0;
    for (const Served& one : served_) sectors += one.command.sectors;
    return sectors * 512 / 1e6 / seconds();
  }
  double seconds() const { return static_cast<double>(served_[completions_.back()].completed.count()) / 1e9; }

  void command_done(std::uint32_t tag) override {
    if (tag >= inside_.size() || !inside_[tag])
      throw std::logic_error("completed what is not inside: tag " + std::to_string(tag));
    Served& one = served_[*inside_[tag]];
    one.completed = events_.now();
    completions_.push_back(*inside_[tag]);
    on_done(one);
    inside_[tag].reset();
    --in_flight_;
    feed(tag);
  }

 private:
  void feed(std::uint32_t tag) {
    if (dry_) return;
    std::optional<DeviceCommand> command = source_();
    if (!command) {
      dry_ = true;
      return;
    }
    command->tag = tag;
    inside_[tag] = served_.size();
    served_.push_back({*command, events_.now(), Nanoseconds(-1)});
    ++in_flight_;
    device_.issue(*command);
  }

  Device& device_;
  EventQueue events_;
  std::vector<std::optional<std::size_t>> inside_;  // by tag: index into served_
  std::vector<Served> served_;
  std::vector<std::size_t> completions_;
  Source source_;
  std::size_t in_flight_ = 0;
  bool dry_ = true;
};

/// `count` operations of `sectors` at uniformly random multiples of `sectors`.
inline ClosedLoop::Source random_places(Op op, const Device& device, SectorCount sectors, std::size_t count,
                                        std::uint64_t seed = 1) {
  return [op, sectors, places = device.info().capacity / sectors, left = count,
          random = SplitMix64(seed)]() mutable -> std::optional<DeviceCommand> {
    if (left == 0) return std::nullopt;
    --left;
    return DeviceCommand{.op = op, .sector = random.below(places) * sectors, .sectors = sectors};
  };
}

/// `count` operations of `sectors`, one behind the other from `first`.
inline ClosedLoop::Source sequential(Op op, Sector first, SectorCount sectors, std::size_t count) {
  return [op, first, sectors, left = count]() mutable -> std::optional<DeviceCommand> {
    if (left == 0) return std::nullopt;
    --left;
    const DeviceCommand command{.op = op, .sector = first, .sectors = sectors};
    first += sectors;
    return command;
  };
}

inline std::unique_ptr<Device> device(std::string preset, std::vector<NamedValue> parameters = {}) {
  return make_device({.preset = std::move(preset), .parameters = std::move(parameters)});
}

/// Random 4 KiB reads per second at a queue depth.
inline double random_read_iops(std::string preset, unsigned depth, std::size_t count,
                               std::vector<NamedValue> parameters = {}) {
  parameters.push_back({"queue_depth", depth});
  const auto one = device(std::move(preset), std::move(parameters));
  ClosedLoop loop(*one, depth);
  loop.run(random_places(Op::read, *one, 8, count));
  return loop.iops();
}

}  // namespace elvcheck::test
