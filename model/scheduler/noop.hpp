// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "model/scheduler/registry.hpp"

namespace elvcheck {

/// noop of 2.6.34 to 4.20.
std::unique_ptr<SingleQueueElevator> make_noop(ElevatorHost& host, const TunableValues& tunables);

}  // namespace elvcheck
