// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/block/rules.hpp"

#include <array>

namespace elvcheck::block_rule {

const DecisionRule unplug_timer{"block.unplug-timer", "The plugged queue was unplugged by its timer, 3 ms after it was plugged.", {}};
const DecisionRule forced_drain{"block.forced-drain", "A flush moved everything the scheduler held to the dispatch list.",
                                {"requests"}};
const DecisionRule queue_delay{"block.queue-delay", "The queue was run again 3 ms after the driver refused a request.", {}};
const DecisionRule rerun{"block.rerun",
                         "The queue was run again after 3 ms: the scheduler had work but gave no request, or the driver refused one.",
                         {}};

std::span<const DecisionRule* const> all() {
  static constexpr std::array<const DecisionRule*, 4> table{&unplug_timer, &forced_drain, &queue_delay, &rerun};
  return table;
}

}  // namespace elvcheck::block_rule
