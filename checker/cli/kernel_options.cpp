// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/kernel_options.hpp"

#include <fmt/format.h>

#include "model/core/scenario.hpp"
#include "properties/case_file.hpp"
#include "reference/kernel/sanitizer.hpp"

namespace elvcheck {

void add_kernel_options(CLI::App& app, KernelOptions& options) {
  app.add_option("--tree", options.tree,
                 "Kernel source: a folder, an archive, or \"debian\" (the installed linux-source package; debian-6.1 for one of several)")
      ->type_name("TREE");
  app.add_option("--scheduler", options.scheduler, "mq-deadline, kyber, bfq or none")->type_name("NAME");
  app.add_option("--cache", options.cache, "Where trees and builds are kept [~/.cache/elvcheck]")->type_name("DIR");
  app.add_option("--compiler", options.compiler, "gcc or clang")->type_name("PROGRAM")->capture_default_str();
  app.add_flag("--sanitize", options.sanitize, "Build with AddressSanitizer");
}

kernel::BuildOptions build_options(const KernelOptions& options) {
  if (options.sanitize) kernel::require_sanitizer(options.compiler);
  kernel::BuildOptions build;
  build.cache = kernel::cache_directory(options.cache);
  build.compiler = options.compiler;
  build.sanitize = options.sanitize;
  return build;
}

const SchedulerInfo& model_of_tree(const KernelOptions& options, const kernel::KernelTree& tree) {
  const SchedulerInfo* model = kernel::model_for(options.scheduler, tree.version);
  if (model == nullptr) throw InputError(fmt::format("--scheduler {}: there is no model of it, so nothing to hold it against", options.scheduler));
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
