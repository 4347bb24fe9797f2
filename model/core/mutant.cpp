// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/core/mutant.hpp"

#include <algorithm>
#include <array>

namespace elvcheck {

std::span<const MutantInfo> mutants() {
  static constexpr auto table = std::to_array<MutantInfo>({
#define X(identifier, name, statement) {Mutant::identifier, name, statement},
      ELVCHECK_MUTANTS(X)
#undef X
  });
  return table;
}

const MutantInfo* find_mutant(std::string_view name) {
  const auto all = mutants();
  const auto at = std::find_if(all.begin(), all.end(), [&](const MutantInfo& info) { return info.name == name; });
  return at == all.end() ? nullptr : &*at;
}

}  // namespace elvcheck
