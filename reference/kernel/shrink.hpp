// SPDX-License-Identifier: GPL-2.0-or-later
// The smallest scenario that still shows something.
#pragma once

#include <functional>

#include "model/core/scenario.hpp"

namespace elvcheck::kernel {

/// Takes away and simplifies, as long as `shows` stays true: processes, steps, tunables and settings, repetitions, lengths of
/// queues, think times, flags. Greedy, from large pieces to small, at most `budget` runs of `shows`. `shows` must be true of the
/// given scenario and may throw std::invalid_argument for one that cannot be built.
Scenario shrink(Scenario scenario, const std::function<bool(const Scenario&)>& shows, unsigned budget = 400);

}  // namespace elvcheck::kernel
