// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/kernel_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "checker/cli/interrupt.hpp"
#include "model/core/scenario.hpp"
#include "properties/case_file.hpp"
#include "reference/kernel/patch.hpp"
#include "reference/kernel/sanitizer.hpp"

namespace elvcheck {

namespace {

/// A file of block/ that belongs to one scheduler.
bool is_other_scheduler(const std::string& file) {
  for (const char* scheduler : kernel::buildable_schedulers()) {
    const std::vector<std::string> own = kernel::scheduler_files(scheduler);
    if (std::find(own.begin(), own.end(), file) != own.end()) return true;
  }
  return false;
}

}  // namespace

void add_kernel_options(CLI::App& app, KernelOptions& options, bool scheduler) {
  app.add_option("--tree", options.tree,
                 "Kernel source: a folder, an archive, or \"debian\" (the installed linux-source package; debian-6.1 for "
                 "one of several)")
      ->type_name("TREE");
  if (scheduler) app.add_option("--scheduler", options.scheduler, "mq-deadline, kyber, bfq or none")->type_name("NAME");
  app.add_option("--cache", options.cache, "Where trees and builds are kept [~/.cache/elvcheck]")->type_name("DIR");
  app.add_option("--compiler", options.compiler, "gcc or clang")->type_name("PROGRAM")->capture_default_str();
  app.add_flag("--sanitize", options.sanitize, "Build with AddressSanitizer");
}

void add_patch_option(CLI::App& app, KernelOptions& options) {
  app.add_option("--patch", options.patches, "A diff, a file of git format-patch, or an mbox; several in order")
      ->type_name("FILE...");
}

kernel::BuildOptions build_options(const KernelOptions& options) {
  if (options.sanitize) kernel::require_sanitizer(options.compiler);
  kernel::BuildOptions build;
  build.cache = kernel::cache_directory(options.cache);
  build.compiler = options.compiler;
  build.sanitize = options.sanitize;
  return build;
}

std::string kernel_arguments(const KernelOptions& options) {
  std::string text = " --tree " + shell_word(options.tree);
  for (const std::string& patch : options.patches) text += " --patch " + shell_word(patch);
  if (options.compiler != KernelOptions().compiler) text += " --compiler " + shell_word(options.compiler);
  if (!options.cache.empty()) text += " --cache " + shell_word(options.cache);
  if (options.sanitize) text += " --sanitize";
  return text;
}

kernel::KernelSet patched_kernel(const KernelOptions& options, const std::string& scheduler, const kernel::KernelTree& tree,
                                 const kernel::BuildOptions& build, const std::function<void(const std::string&)>& note) {
  if (options.patches.empty()) return kernel::KernelSet(tree, tree, scheduler, build);
  const kernel::PatchedTree patch = kernel::apply_patches(tree, options.patches, build.cache);
  for (const std::string& name : patch.applied) note("applied " + name);
  for (const std::string& text : patch.notes) note(text);
  for (const std::string& file : patch.left_out) note("left out, since no build here reads it: " + file);
  // A patch to the scheduler's own files needs no new block core.
  const std::vector<std::string> own = kernel::scheduler_files(scheduler);
  const auto is_own = [&](const std::string& file) { return std::find(own.begin(), own.end(), file) != own.end(); };
  const bool touches_scheduler = std::any_of(patch.changed.begin(), patch.changed.end(), is_own);
  if (!touches_scheduler && std::all_of(patch.changed.begin(), patch.changed.end(), is_other_scheduler))
    note(fmt::format("the patch changes {}, not {}", fmt::join(patch.changed, ", "), scheduler));
  const bool only_scheduler = std::all_of(patch.changed.begin(), patch.changed.end(), is_own);
  return kernel::KernelSet(only_scheduler ? tree : patch.tree, patch.tree, scheduler, build);
}

void add_work_options(CLI::App& app, WorkOptions& options, const char* cases) {
  app.add_option("--cases", options.cases, cases)
      ->type_name("N")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of the random streams")
      ->type_name("N")
      ->check(whole_number())
      ->capture_default_str();
  app.add_option("--time", options.seconds, "Start no stream after so many seconds; 0: no limit")
      ->type_name("SECONDS")
      ->check(CLI::Range(0, 10'000'000));
  app.add_option("-j,--jobs", options.jobs, "Processes; 0: one for each core. The results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 256));
}

std::function<bool()> stop_after(unsigned seconds) {
  using Clock = std::chrono::steady_clock;
  if (seconds == 0) return [] { return interrupted(); };
  return [end = Clock::now() + std::chrono::seconds(seconds)] { return interrupted() || Clock::now() >= end; };
}

const SchedulerInfo& model_of_tree(const KernelOptions& options, const kernel::KernelTree& tree) {
  const SchedulerInfo* model = kernel::model_for(options.scheduler, tree.version);
  if (model == nullptr)
    throw InputError(
        fmt::format("--scheduler {}: there is no model of it, so nothing to hold it against", options.scheduler));
  return *model;
}

std::vector<DeviceSpec> devices_or_default(const std::vector<std::string>& names) {
  std::vector<DeviceSpec> devices;
  for (const std::string& name : names) devices.push_back(parse_device_spec(name));
  if (devices.empty()) devices = {{"flat", {}}, {"seek", {}}};
  return devices;
}

int with_untestable(const std::function<int()>& body) {
  try {
    return body();
  } catch (const kernel::BuildError& error) {
    Console(ColorMode::never).note(fmt::format("elvcheck: {}", error.what()));
    return untestable;
  }
}

}  // namespace elvcheck
