// SPDX-License-Identifier: GPL-2.0-or-later
// Random scenarios: a few processes that read and write in the patterns that schedulers are made for, and in those that
// hurt them. Drawn by the simulation's own generator of numbers, so that a seed means the same scenario on every machine.
#pragma once

#include <cstdint>

#include "model/core/scenario.hpp"
#include "model/device/device.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck {

/// Number `index` of the scenarios of a seed for a scheduler on a device: 1 to 6 processes with at most `max_ios` operations
/// together, sequential, random and local, sync and async, at depths of 1 to 32, with think times up to 20 ms, I/O
/// priorities, plugs and fsyncs; now and then with other tunables, fewer requests, without merges; HZ is 250 or 1000.
/// It depends on nothing but these arguments. `capacity` is that of the device, at least 1024 sectors.
Scenario generate_scenario(std::uint64_t seed, std::uint64_t index, const SchedulerInfo& scheduler, const DeviceSpec& device,
                           Sector capacity, std::uint32_t max_ios = 300);

}  // namespace elvcheck
