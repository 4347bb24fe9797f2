// SPDX-License-Identifier: GPL-2.0-or-later
// The campaign against planted bugs: does some property notice? A property that no planted bug can break is not a property,
// and a planted bug that no property notices shows what is not watched.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/core/mutant.hpp"
#include "model/core/scenario.hpp"
#include "properties/property.hpp"

namespace elvcheck {

/// The cases of a campaign: the given ones, then random ones, small and large in turn, on every scheduler and on a device of
/// each kind (with and without a volatile cache, with FUA; the flash device is so small that it collects).
class MutationCampaign {
 public:
  /// @param given  tried first, whatever they were made for
  explicit MutationCampaign(std::uint64_t seed, std::vector<Scenario> given = {});

  /// Case number `index`, from 0, without a planted bug. Depends on nothing but the constructor's arguments and the number.
  Scenario scenario(std::uint64_t index) const;

 private:
  std::uint64_t seed_;
  std::vector<Scenario> given_;
  std::vector<DeviceSpec> devices_;
  std::vector<Sector> capacities_;
};

struct MutantOutcome {
  struct Kill {
    const Property* property;
    Violation violation;
    Scenario found;     ///< the case of the campaign, with the bug planted
    Scenario smallest;  ///< what is left of it
  };
  const MutantInfo* mutant = nullptr;
  std::uint64_t cases = 0;    ///< tried; with a kill, the last one is the killing one
  std::uint64_t reached = 0;  ///< those of them that ran the code of the slip
  std::optional<Kill> kill;
};

/// Plants the bug in the first `cases` cases of the campaign, until a property is violated by the case with the bug and held
/// without it. Monitors come before relations, also those of somewhat later cases, since a relation may judge scenarios of
/// its own; among equals the order of the registry decides. `stop()` ends it early. Throws std::logic_error if the model
/// without the bug violates the property: then the models are to be mended first.
MutantOutcome hunt_mutant(const MutantInfo& mutant, const MutationCampaign& campaign, std::uint64_t cases,
                          const std::function<bool()>& stop = {});

/// The operations that a scenario asks for: every read, write, discard and fsync, repeated as often as it is.
std::uint64_t count_operations(const Scenario& scenario);

}  // namespace elvcheck
