// SPDX-License-Identifier: GPL-2.0-or-later
// One kernel for every tick rate: modules of the same tree and scheduler, built when a scenario first asks for their HZ.
#pragma once

#include <map>
#include <string>

#include "model/machine.hpp"
#include "model/scheduler/registry.hpp"
#include "reference/kernel/build.hpp"
#include "reference/kernel/kernel_layer.hpp"

namespace elvcheck::kernel {

class KernelSet {
 public:
  /// @param core       the tree of the block core
  /// @param source     the tree of the scheduler's files; the same, or a patched copy
  /// @param scheduler  its sysfs name
  KernelSet(KernelTree core, KernelTree source, std::string scheduler, BuildOptions options);

  /// Builds for that tick rate unless it is there already. Throws BuildError.
  const KernelBuild& build(unsigned hz);
  /// Builds if necessary and loads.
  KernelModule& module(unsigned hz);

  /// A maker for BehindTheSeam; refers to this set.
  SeamMaker seam(KernelLayer::LogSink log = {});

  const std::string& scheduler() const { return scheduler_; }
  const KernelTree& source() const { return source_; }

 private:
  KernelTree core_;
  KernelTree source_;
  std::string scheduler_;
  BuildOptions options_;
  std::map<unsigned, KernelBuild> builds_;
};

/// The model of that scheduler whose version comes closest to the tree's from below, or else the oldest; null if there is none.
/// Its tunables and its properties are those that the kernel's scheduler is held against.
const SchedulerInfo* model_for(const std::string& scheduler, const std::string& tree_version);

}  // namespace elvcheck::kernel
