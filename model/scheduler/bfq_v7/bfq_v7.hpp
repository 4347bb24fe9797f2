// SPDX-License-Identifier: GPL-2.0-or-later
// BFQ as it was before it came into the kernel: the patches of 2014 for the single-queue block layer, as a reference model.
#pragma once

#include "model/scheduler/bfq_v7/features.hpp"

namespace elvcheck {

template <bfq_v7::Release release>
std::unique_ptr<SingleQueueElevator> make_bfq_v7(ElevatorHost& host, const TunableValues& tunables);

std::span<const TunableInfo> bfq_v7_tunables(bfq_v7::Release release);
std::span<const DecisionRule* const> bfq_v7_rules();
inline void store_bfq_v7_local_defaults(TunableValues& values, const BlockSettings& block, const DeviceInfo& device) {
  bfq_v7::store_local_defaults(values, block, device);
}

}  // namespace elvcheck
