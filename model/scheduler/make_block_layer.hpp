// SPDX-License-Identifier: GPL-2.0-or-later
// From a scheduler's name to a block layer with that scheduler in it.
#pragma once

#include <memory>

#include "model/block/block_layer.hpp"
#include "model/core/scenario.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck {

/// Builds the block layer that the scheduler needs, with the scheduler in it. Everything given must outlive it.
std::unique_ptr<BlockLayer> make_block_layer(const SchedulerInfo& scheduler, const TunableValues& tunables,
                                             const BlockSettings& settings, EventQueue& events, Trace& trace, Device& device,
                                             BlockLayerHost& host);

/// queue/nr_requests: the setting, or the kernel's default for this flavour and device.
unsigned resolve_nr_requests(const BlockSettings& settings, BlockFlavour flavour, bool has_scheduler, const DeviceInfo& device);

}  // namespace elvcheck
