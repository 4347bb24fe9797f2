// SPDX-License-Identifier: GPL-2.0-or-later
// BFQ (Budget Fair Queueing) of blk-mq, as a reference model.
#pragma once

#include "model/scheduler/bfq/features.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck {

std::span<const TunableInfo> bfq_tunables_6_1();
std::span<const TunableInfo> bfq_tunables_6_12();
std::span<const DecisionRule* const> bfq_rules();

/// bfq of 6.1.
std::unique_ptr<MultiQueueElevator> make_bfq_6_1(ElevatorHost& host, const TunableValues& tunables);
/// bfq of 6.12.
std::unique_ptr<MultiQueueElevator> make_bfq_6_12(ElevatorHost& host, const TunableValues& tunables);
/// bfq with these features.
std::unique_ptr<MultiQueueElevator> make_bfq(ElevatorHost& host, const TunableValues& tunables,
                                             const bfq::Features& features);

}  // namespace elvcheck
