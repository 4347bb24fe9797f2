// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/kernel_set.hpp"

#include <cctype>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace elvcheck::kernel {

namespace {

/// "6.12" out of "mq-deadline-6.12" or "6.12.3": its numbers.
std::vector<long> version_numbers(std::string_view text) {
  std::vector<long> numbers;
  for (std::size_t at = 0; at < text.size();) {
    char* end = nullptr;
    const std::string rest(text.substr(at));
    numbers.push_back(std::strtol(rest.c_str(), &end, 10));
    const auto length = static_cast<std::size_t>(end - rest.c_str());
    if (length == 0) break;
    at += length + 1;
  }
  return numbers;
}

}  // namespace

KernelSet::KernelSet(KernelTree core, KernelTree source, std::string scheduler, BuildOptions options)
    : core_(std::move(core)), source_(std::move(source)), scheduler_(std::move(scheduler)), options_(std::move(options)) {}

const KernelBuild& KernelSet::build(unsigned hz) {
  const auto found = builds_.find(hz);
  if (found != builds_.end()) return found->second;
  BuildOptions options = options_;
  options.hz = hz;
  return builds_[hz] = build_scheduler(core_, scheduler_, source_, options);
}

KernelModule& KernelSet::module(unsigned hz) { return KernelModule::load(build(hz).object); }

SeamMaker KernelSet::seam(KernelLayer::LogSink log) {
  return [this, log = std::move(log)](const Scenario& scenario, const BlockSettings& block, EventQueue& events, Trace& trace,
                                      Device& device, BlockLayerHost& host) -> std::unique_ptr<BlockLayer> {
    return std::make_unique<KernelLayer>(module(block.hz), block, scenario.tunables, events, trace, device, host, log);
  };
}

const SchedulerInfo* model_for(const std::string& scheduler, const std::string& tree_version) {
  const SchedulerInfo* best = nullptr;
  for (const SchedulerInfo& info : schedulers()) {  // from old to new
    if (info.sysfs_name != scheduler) continue;
    const std::string_view version = std::string_view(info.name).substr(scheduler.size() + 1);
    if (std::isdigit(static_cast<unsigned char>(version.front())) == 0) continue;  // of patches that no tree has
    if (best == nullptr || version_numbers(version) <= version_numbers(tree_version)) best = &info;
  }
  return best;
}

}  // namespace elvcheck::kernel
