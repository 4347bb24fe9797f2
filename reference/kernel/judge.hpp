// SPDX-License-Identifier: GPL-2.0-or-later
// The properties on a kernel's own code, contained; and one kernel against another.
#pragma once

#include <functional>
#include <span>
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
  std::string rule;  ///< empty: held
  std::string message;
  bool violated() const { return !rule.empty(); }
};

struct KernelProperty {
  const char* name;
  const char* statement;
};
/// The properties of this file.
std::span<const KernelProperty> kernel_properties();

/// The sentence of a property, of this file or of the registry; empty for an unknown one.
std::string statement_of(std::string_view property);

/// What one scenario said.
struct KernelJudgement {
  std::vector<KernelVerdict> verdicts;
  std::uint64_t issues = 0;  ///< a hash of what the device was handed and when; 0 if the run did not come to its end
};

/// Judges scenarios in child processes. `each` is called in order. Properties that say something about the scheduler alone
/// are judged with the first scenario only.
void judge_on_kernel(KernelSet& kernel, std::uint64_t count, const std::function<Scenario(std::uint64_t)>& scenario,
                     std::string_view glob, const std::function<void(std::uint64_t, const KernelJudgement&)>& each,
                     const ContainLimits& limits = {}, const std::function<bool()>& stop = {});

/// The verdicts on one scenario. Throws std::invalid_argument for one that cannot be built.
std::vector<KernelVerdict> judge_on_kernel(KernelSet& kernel, const Scenario& scenario, std::string_view glob,
                                           const ContainLimits& limits = {});

/// Whether the kernel violates that property by that rule. False for a scenario that cannot be built.
bool violates_on_kernel(KernelSet& kernel, const Scenario& scenario, const std::string& property, const std::string& rule,
                        const ContainLimits& limits);

}  // namespace elvcheck::kernel
