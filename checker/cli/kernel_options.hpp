// SPDX-License-Identifier: GPL-2.0-or-later
// What the commands that compile a kernel tree have in common.
#pragma once

#include <string>
#include <vector>

#include "checker/cli/options.hpp"
#include "reference/kernel/build.hpp"
#include "reference/kernel/kernel_set.hpp"

namespace elvcheck {

/// "Cannot be tested": the exit code by which git bisect run skips a commit.
inline constexpr int untestable = 125;

struct KernelOptions {
  std::string tree;
  std::string scheduler;
  std::string cache;
  std::string compiler = "gcc";
  bool sanitize = false;
};

/// Declares --tree, --scheduler, --cache, --compiler, --sanitize.
void add_kernel_options(CLI::App& app, KernelOptions& options);

kernel::BuildOptions build_options(const KernelOptions& options);

/// The scheduler's model for a tree. Throws InputError if there is none.
const SchedulerInfo& model_of_tree(const KernelOptions& options, const kernel::KernelTree& tree);

/// Devices by name, or a few quick ones that differ in kind.
std::vector<DeviceSpec> devices_or_default(const std::vector<std::string>& names);

/// Executes; a BuildError becomes one line and exit code 125.
int with_untestable(const std::function<int()>& body);

}  // namespace elvcheck
