// SPDX-License-Identifier: GPL-2.0-or-later
// Builds a tree's own block core and one of its schedulers, unmodified, into a shared object for user space.
//
// The tree's files are compiled against the tree's own headers with a small fake architecture (shim/), and linked with a runtime
// (runtime/) and a driver, processes and trace points (glue/). What the tree needs and nobody provides becomes a function that
// reports its name when it is called. Builds are kept in the cache by the content of all that went into them.
#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/kernel/tree.hpp"

namespace elvcheck::kernel {

struct BuildOptions {
  std::filesystem::path cache;
  std::string compiler = "gcc";  ///< gcc or clang, as found in PATH
  unsigned hz = 250;             ///< CONFIG_HZ
  bool sanitize = false;         ///< with AddressSanitizer
  unsigned jobs = 2;
};

/// The tree does not build, or has not what is asked for: exit status 125. The text begins with FILE:LINE of the compiler's
/// first error, FILE relative to the tree.
class BuildError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct KernelBuild {
  std::filesystem::path object;
  bool cached = false;             ///< nothing had to be compiled
  double seconds = 0;              ///< elapsed
  std::vector<std::string> traps;  ///< functions that nobody provides
};

/// Which of a tree's block layers a scheduler lives in: what is compiled, and what drives it.
enum class Flavour {
  multi_queue,   ///< blk-mq
  single_queue,  ///< a request_fn driver: noop, deadline, cfq (up to 4.20)
};

/// The schedulers that can be built, by their sysfs names ("none" too).
std::span<const char* const> buildable_schedulers();

/// The files of block/ that make up a scheduler, its headers included. Empty for an unknown name.
std::vector<std::string> scheduler_files(const std::string& scheduler);

/// @param core       the tree of the block core
/// @param scheduler  its sysfs name
/// @param source     the tree of the scheduler's files: the same, or a patched copy
KernelBuild build_scheduler(const KernelTree& core, const std::string& scheduler, const KernelTree& source, const BuildOptions& options);

/// Where shim/, glue/ and runtime/ are: beside the installed program (share/elvcheck/kernel) or in the source tree above it.
/// Throws InputError if neither is there.
std::filesystem::path harness_sources();

}  // namespace elvcheck::kernel
