// SPDX-License-Identifier: GPL-2.0-or-later
// What the commands that compile a kernel tree have in common.
#pragma once

#include <cstdint>
#include <functional>
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
  std::vector<std::string> patches;
};

/// Declares --tree, --cache, --compiler, --sanitize, and --scheduler unless the command finds it out itself.
void add_kernel_options(CLI::App& app, KernelOptions& options, bool scheduler = true);
/// Declares --patch.
void add_patch_option(CLI::App& app, KernelOptions& options);

kernel::BuildOptions build_options(const KernelOptions& options);

/// The options as they were given, for a command to paste: " --tree debian --patch v2.mbox --sanitize".
std::string kernel_arguments(const KernelOptions& options);

/// The scheduler of a tree with the patches applied. What is to be known about them goes to `note`, one line each.
kernel::KernelSet patched_kernel(const KernelOptions& options, const std::string& scheduler, const kernel::KernelTree& tree,
                                 const kernel::BuildOptions& build, const std::function<void(const std::string&)>& note);

/// How much random work a command does, as in `fuzz`.
struct WorkOptions {
  std::uint64_t cases;
  std::uint64_t seed;
  unsigned seconds = 0;
  unsigned jobs = 0;
};

/// Declares --cases, --seed, --time, --jobs.
void add_work_options(CLI::App& app, WorkOptions& options, const char* cases);

/// Says when to end: a signal has come, or --time is up. The clock starts now.
std::function<bool()> stop_after(unsigned seconds);

/// The scheduler's model for a tree. Throws InputError if there is none.
const SchedulerInfo& model_of_tree(const KernelOptions& options, const kernel::KernelTree& tree);

/// Devices by name, or a few quick ones that differ in kind.
std::vector<DeviceSpec> devices_or_default(const std::vector<std::string>& names);

/// Executes; a BuildError becomes one line and exit code 125.
int with_untestable(const std::function<int()>& body);

}  // namespace elvcheck
