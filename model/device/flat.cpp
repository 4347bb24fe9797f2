// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/flat.hpp"

#include <algorithm>

namespace elvcheck {

const std::vector<Field<FlatConfig>>& FlatConfig::fields() {
  static const std::vector<Field<FlatConfig>> table = {
      {"service_ns", "ns", &FlatConfig::service_ns, 0, one_minute_ns, "time of every read, write and discard"},
      {"parallel", "", &FlatConfig::parallel, 0, 1, "0: one server in order of issue; 1: no command waits for another"},
      {"queue_depth", "commands", &FlatConfig::queue_depth, 1, largest_depth, "most commands inside the device"},
      {"capacity_sectors", "sectors", &FlatConfig::capacity_sectors, 8, largest_capacity, "size"},
      {"rotational", "", &FlatConfig::rotational, 0, 1, "what queue/rotational says; no influence on times"},
      {"volatile_cache", "", &FlatConfig::volatile_cache, 0, 1, "1: a completed write needs a flush to be safe"},
      {"flush_ns", "ns", &FlatConfig::flush_ns, 0, one_minute_ns, "time of a flush"},
      {"fua", "", &FlatConfig::fua, 0, 1, "1: understands FUA writes (at service_ns)"},
  };
  return table;
}

FlatDevice::FlatDevice(std::string name, const FlatConfig& config)
    : FifoDevice({.name = std::move(name),
                  .capacity = static_cast<Sector>(config.capacity_sectors),
                  .queue_depth = static_cast<unsigned>(config.queue_depth),
                  .rotational = config.rotational != 0,
                  .volatile_cache = config.volatile_cache != 0,
                  .fua = config.fua != 0}),
      config_(config) {}

Nanoseconds FlatDevice::least_time(const DeviceCommand& command) const {
  return Nanoseconds(command.op == Op::flush ? config_.flush_ns : config_.service_ns);
}

Nanoseconds FlatDevice::serve(const DeviceCommand& command, Nanoseconds now) { return now + least_time(command); }

void FlatDevice::issue(const DeviceCommand& command) {
  if (config_.parallel == 0) {
    FifoDevice::issue(command);
    return;
  }
  auto slot = std::find_if(flights_.begin(), flights_.end(), [](const Flight& flight) { return !flight.used; });
  if (slot == flights_.end()) slot = flights_.insert(slot, Flight{});
  *slot = {command, next_order(), true};
  events().schedule(serve(command, events().now()), Rank::host, *this, static_cast<std::uint64_t>(slot - flights_.begin()));
}

void FlatDevice::on_event(std::uint64_t what) {
  if (config_.parallel == 0) {
    FifoDevice::on_event(what);
    return;
  }
  Flight& flight = flights_[what];
  const DeviceCommand command = flight.command;
  settle(command, flight.order);
  flight.used = false;
  done(command.tag);
}

}  // namespace elvcheck
