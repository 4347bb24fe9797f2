// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "model/scheduler/registry.hpp"

namespace elvcheck {

std::span<const TunableInfo> mq_deadline_tunables();
std::span<const DecisionRule* const> mq_deadline_rules();

/// mq-deadline of 6.1.
std::unique_ptr<MultiQueueElevator> make_mq_deadline_6_1(ElevatorHost& host, const TunableValues& tunables);
/// mq-deadline of 6.12.
std::unique_ptr<MultiQueueElevator> make_mq_deadline_6_12(ElevatorHost& host, const TunableValues& tunables);

}  // namespace elvcheck
