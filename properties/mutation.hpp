// SPDX-License-Identifier: GPL-2.0-or-later
// The campaign against planted bugs: does some property notice? A property that no planted bug can break is not a property,
// and a planted bug that no property notices shows what is not watched.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/core/mutant.hpp"
#include "model/core/scenario.hpp"
#include "properties/minimize.hpp"
#include "properties/property.hpp"

namespace elvcheck {

struct HuntPlan {
  std::uint64_t seed = 1;
  std::uint64_t cases = 20'000;  ///< for each planted bug at most
  std::vector<Scenario> given;   ///< tried first, whatever they were made for
  std::function<bool()> stop;    ///< asked before each case; may be empty
};

struct MutantOutcome {
  struct Kill {
    const Property* property;
    Violation violation;  ///< of the case of the campaign
    Minimized smallest;   ///< what is left of that case
  };
  const MutantInfo* mutant = nullptr;
  std::uint64_t cases = 0;    ///< tried; with a kill, the last one is the killing one
  std::uint64_t reached = 0;  ///< those of them that ran the code of the slip
  std::optional<Kill> kill;
};

/// Plants the bug in one case after the other until one of them violates a property that the same case without the bug
/// keeps, and minimises that case. The random cases are made of corners, small and large in turn, on every scheduler and on
/// a device of each kind; they are steered to the rules and corners that were reached rarely, and to the code of the slip
/// itself. Of several violated properties that with the smallest case is taken. Monitors come before relations, also those
/// of somewhat later cases, since a relation may judge scenarios of its own. It depends on nothing but the arguments.
MutantOutcome hunt_mutant(const MutantInfo& mutant, const HuntPlan& plan);

}  // namespace elvcheck
