// SPDX-License-Identifier: GPL-2.0-or-later
// CFQ, "completely fair queueing": the scheduler's entries for the registry.
#pragma once

#include <memory>
#include <span>

#include "model/scheduler/cfq/features.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck {

template <cfq::Version version>
std::unique_ptr<SingleQueueElevator> make_cfq(ElevatorHost& host, const TunableValues& tunables);
template <cfq::Version version>
void store_cfq_local_defaults(TunableValues& values, const BlockSettings& block, const DeviceInfo& device) {
  cfq::store_local_defaults(version, values, block, device);
}
std::span<const TunableInfo> cfq_tunables(cfq::Version version);
std::span<const DecisionRule* const> cfq_rules();

}  // namespace elvcheck
