// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "model/scheduler/registry.hpp"

namespace elvcheck {

std::span<const TunableInfo> deadline_tunables();
std::span<const DecisionRule* const> deadline_rules();

/// deadline of 2.6.34/35.
std::unique_ptr<SingleQueueElevator> make_deadline_2_6_35(ElevatorHost& host, const TunableValues& tunables);
/// deadline of 4.4 to 4.20.
std::unique_ptr<SingleQueueElevator> make_deadline_4_19(ElevatorHost& host, const TunableValues& tunables);

}  // namespace elvcheck
