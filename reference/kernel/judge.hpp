// SPDX-License-Identifier: GPL-2.0-or-later
// The properties on a kernel's own code, contained; and one kernel against another.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/core/scenario.hpp"
#include "properties/property.hpp"
#include "reference/kernel/contain.hpp"
#include "reference/kernel/kernel_set.hpp"

namespace elvcheck::kernel {

/// What one scenario said about one property. The names beginning with "kernel." are this file's own: kernel.no-crash,
/// kernel.no-bug, kernel.locks, kernel.no-hang, kernel.no-warning, kernel.no-leak, kernel.engaged.
struct KernelVerdict {
  std::string property;
  std::uint64_t judged = 0;
  std::string rule;     ///< empty: held
  std::string message;
  bool violated() const { return !rule.empty(); }
};

/// A statement for the properties of this file; null for another name.
const char* kernel_statement(std::string_view property);

/// Judges scenarios, each in a child process. `each` is called in order.
void judge_on_kernel(KernelSet& kernel, std::uint64_t count, const std::function<Scenario(std::uint64_t)>& scenario,
                     std::string_view glob, const std::function<void(std::uint64_t, const std::vector<KernelVerdict>&)>& each,
                     const ContainLimits& limits = {}, const std::function<bool()>& stop = {});

/// The verdicts on one scenario. Throws std::invalid_argument for one that cannot be built.
std::vector<KernelVerdict> judge_on_kernel(KernelSet& kernel, const Scenario& scenario, std::string_view glob,
                                           const ContainLimits& limits = {});

/// One property's row of `elvcheck kernel`.
struct KernelTally {
  std::uint64_t judged = 0;
  std::uint64_t violated = 0;
  std::optional<std::uint64_t> first;  ///< the first scenario that violates it
  std::string rule;                    ///< of that one
  std::string message;
};
using KernelTallies = std::map<std::string, KernelTally>;

}  // namespace elvcheck::kernel
