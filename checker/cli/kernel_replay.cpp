// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/kernel_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "reference/kernel/judge.hpp"
#include "reference/kernel/trace_text.hpp"

namespace elvcheck {

namespace {

/// The verdict that decides: the named property's, or the first violated one. Null if there is none.
const kernel::KernelVerdict* deciding(const std::vector<kernel::KernelVerdict>& verdicts, const std::string& property) {
  const auto found = std::find_if(verdicts.begin(), verdicts.end(), [&](const kernel::KernelVerdict& verdict) {
    return property.empty() ? verdict.violated() : verdict.property == property;
  });
  return found == verdicts.end() ? nullptr : &*found;
}

/// Whether the verdict is the case's, and a sentence.
std::pair<bool, std::string> compare(const CaseFile& value, const std::vector<kernel::KernelVerdict>& verdicts) {
  // An accident ends the run before any property has its verdict.
  const kernel::KernelVerdict* verdict = deciding(verdicts, value.property);
  if (verdict == nullptr) verdict = deciding(verdicts, "");
  const std::string what = verdict == nullptr || !verdict->violated()
                               ? std::string()
                               : fmt::format("{}{}: {}", verdict->property == value.property ? "" : verdict->property + ", ",
                                             verdict->rule, verdict->message);
  if (verdict != nullptr && verdict->violated()) {
    const bool same =
        value.expect_violated && verdict->property == value.property && (value.rule.empty() || value.rule == verdict->rule);
    return {same, fmt::format("violated{} ({})",
                              same                    ? ", as expected"
                              : value.expect_violated ? " otherwise than expected"
                                                      : ", expected to hold",
                              what)};
  }
  const std::uint64_t judged = verdict == nullptr ? 0 : verdict->judged;
  if (value.expect_violated) return {false, fmt::format("held, expected to be violated (judged {} times)", judged)};
  if (!value.property.empty() && judged == 0) return {false, "held, but there was nothing to judge"};
  return {true, "held, as expected"};
}

}  // namespace

KernelReplay::KernelReplay(const KernelOptions& options, std::function<void(const std::string&)> note)
    : options_(options),
      note_(std::move(note)),
      build_(build_options(options)),
      tree_(kernel::open_tree(options.tree, build_.cache)) {}

kernel::KernelSet& KernelReplay::kernel_of(const CaseFile& value, const std::string& path) {
  const SchedulerInfo* scheduler = find_scheduler(value.scenario.scheduler);
  const std::string name = scheduler == nullptr ? value.scenario.scheduler : std::string(scheduler->sysfs_name);
  const auto found = kernels_.find(name);
  if (found != kernels_.end()) return found->second;
  if (kernel::scheduler_files(name).empty() && name != "none")
    throw InputError(fmt::format("{}: {} is no scheduler that can be built from a tree", path, value.scenario.scheduler));
  return kernels_.emplace(name, patched_kernel(options_, name, tree_, build_, note_)).first->second;
}

Result KernelReplay::judge(const CaseFile& value, const std::string& path) {
  if (is_kernel_property(value.property) && kernel::statement_of(value.property).empty())
    throw InputError(fmt::format("{}: no property '{}'; see elvcheck list properties", path, value.property));
  kernel::KernelSet& kernel = kernel_of(value, path);
  kernel.build(value.scenario.block.hz);
  Result result;
  result.kind = "Case";
  result.name = path;
  result.scheduler = value.scenario.scheduler;
  result.device = value.scenario.device.preset;
  result.case_path = path;
  result.replay = "elvcheck replay " + shell_word(path) + kernel_arguments(options_);
  const auto start = std::chrono::steady_clock::now();
  std::vector<kernel::KernelVerdict> verdicts;
  try {
    verdicts = kernel::judge_on_kernel(kernel, value.scenario, value.property);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  result.time = std::chrono::steady_clock::now() - start;
  result.judged = static_cast<std::uint64_t>(std::count_if(
      verdicts.begin(), verdicts.end(), [](const auto& verdict) { return verdict.judged > 0 || verdict.violated(); }));
  const auto [kept, explanation] = compare(value, verdicts);
  result.detail = explanation;
  if (kept) return result;
  result.outcome = Outcome::violated;
  result.violations = 1;
  result.report = fmt::format("  {}\n  promise   {}\n  replay    {} --trace\n", explanation,
                              kernel::statement_of(value.property), result.replay);
  return result;
}

std::string KernelReplay::trace(const CaseFile& value, const std::string& path) {
  kernel::KernelSet& kernel = kernel_of(value, path);
  kernel.build(value.scenario.block.hz);
  try {
    return kernel::trace_text(kernel, value.scenario);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace elvcheck
