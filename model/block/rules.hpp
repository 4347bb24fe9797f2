// SPDX-License-Identifier: GPL-2.0-or-later
// The decisions of the block layers that a trace shows.
#pragma once

#include <span>

#include "model/core/trace.hpp"

namespace elvcheck::block_rule {

/// 2.6.35: the queue stood plugged until its timer fired.
extern const DecisionRule unplug_timer;
/// 2.6.35: a flush empties the scheduler into the dispatch list first.
extern const DecisionRule forced_drain;
/// 4.19: the queue runs again after a refusal of the driver.
extern const DecisionRule queue_delay;
/// blk-mq: the queue runs again because the scheduler had work but gave no request, or the driver refused one.
extern const DecisionRule rerun;

/// All of them.
std::span<const DecisionRule* const> all();

}  // namespace elvcheck::block_rule
