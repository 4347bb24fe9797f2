// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck kernel`: the properties on a kernel tree's own scheduler, before against after a patch.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "checker/cli/data_files.hpp"
#include "checker/cli/interrupt.hpp"
#include "checker/cli/kernel_options.hpp"
#include "checker/cli/progress.hpp"
#include "properties/case_file.hpp"
#include "reference/kernel/campaign.hpp"
#include "reference/kernel/patch.hpp"

namespace elvcheck {
namespace {

struct KernelCommandOptions {
  OutputOptions output;
  KernelOptions kernel;
  std::vector<std::string> patches;
  std::string against;
  std::vector<std::string> files;
  std::vector<std::string> devices;
  std::string property;
  std::string out = "elvcheck-out";
  std::uint64_t cases = 200;
  std::uint64_t seed = 1;
};

std::string column(const kernel::KernelTally& tally) {
  if (tally.violated > 0) return fmt::format("violated {}/{}", tally.violated, tally.judged);
  return tally.judged > 0 ? fmt::format("held {}", tally.judged) : "-";
}

class KernelCommand {
 public:
  explicit KernelCommand(const KernelCommandOptions& options) : options_(options), reporter_(options.output) {
    report_.command = "kernel";
    report_.seed = options.seed;
  }

  int execute() {
    if (options_.kernel.tree.empty() || options_.kernel.scheduler.empty())
      throw InputError("kernel: --tree and --scheduler are needed, for example --tree debian --scheduler bfq");
    if (!options_.patches.empty() && !options_.against.empty()) throw InputError("kernel: give --patch or --against, not both");
    const kernel::BuildOptions build = build_options(options_.kernel);
    const kernel::KernelTree tree = kernel::open_tree(options_.kernel.tree, build.cache);
    kernel::KernelSet base(tree, tree, options_.kernel.scheduler, build);
    compile(base, "base");
    std::optional<kernel::KernelSet> changed;
    if (!options_.patches.empty()) changed.emplace(patched(tree, build));
    if (!options_.against.empty()) {
      const kernel::KernelTree other = kernel::open_tree(options_.against, build.cache);
      changed.emplace(other, other, options_.kernel.scheduler, build);
    }
    if (changed) compile(*changed, options_.patches.empty() ? options_.against : "patched");

    kernel::CampaignPlan plan;
    plan.base = &base;
    plan.changed = changed ? &*changed : nullptr;
    plan.model = &model_of_tree(options_.kernel, tree);
    plan.devices = devices_or_default(options_.devices);
    plan.seed = options_.seed;
    plan.streams = options_.files.empty() ? options_.cases : 0;
    plan.glob = options_.property;
    plan.cases = saved_cases(*plan.model);
    const std::uint64_t runs = (plan.cases.size() + plan.streams) * (changed ? 2 : 1);
    kernel::CampaignOutcome outcome;
    {
      Progress progress("runs", runs, std::chrono::seconds(0), reporter_.progress_wanted());
      outcome = kernel::run_campaign(plan, [&](std::uint64_t done) { progress.update(done); }, [] { return interrupted(); });
    }
    show(outcome, changed.has_value());
    return reporter_.finish(report_);
  }

 private:
  void compile(kernel::KernelSet& kernel, const std::string& name) {
    for (const unsigned hz : {250U, 1000U}) {
      const kernel::KernelBuild& build = kernel.build(hz);
      if (!build.cached && !reporter_.quiet())
        reporter_.console().note(fmt::format("built {} ({}, {} Hz) in {:.1f} s", kernel.scheduler(), name, hz, build.seconds));
    }
  }

  kernel::KernelSet patched(const kernel::KernelTree& tree, const kernel::BuildOptions& build) {
    const kernel::PatchedTree patch = kernel::apply_patches(tree, options_.patches, build.cache);
    if (!patch.left_out.empty() && !reporter_.quiet())
      reporter_.console().note(fmt::format("left out, since no build here reads it: {}{}", patch.left_out.front(),
                                           patch.left_out.size() > 1 ? fmt::format(" and {} more", patch.left_out.size() - 1) : ""));
    // A patch to the scheduler's own files needs no new block core.
    const std::vector<std::string> own = kernel::scheduler_files(options_.kernel.scheduler);
    const bool scheduler_only = std::all_of(patch.changed.begin(), patch.changed.end(), [&](const std::string& file) {
      return std::find(own.begin(), own.end(), file) != own.end();
    });
    return kernel::KernelSet(scheduler_only ? tree : patch.tree, patch.tree, options_.kernel.scheduler, build);
  }

  std::vector<Scenario> saved_cases(const SchedulerInfo& model) const {
    std::vector<Scenario> scenarios;
    for (const std::string& file : options_.files.empty() ? shipped_files("cases") : options_.files) {
      CaseFile value = read_case(file);
      const SchedulerInfo* scheduler = find_scheduler(value.scenario.scheduler);
      const bool fits = scheduler != nullptr && std::string_view(scheduler->sysfs_name) == model.sysfs_name && value.scenario.mutant.empty();
      if (!fits && options_.files.empty()) continue;
      value.scenario.scheduler = model.name;
      scenarios.push_back(std::move(value.scenario));
    }
    return scenarios;
  }

  void show(const kernel::CampaignOutcome& outcome, bool two_columns) {
    std::vector<std::vector<std::string>> rows = {{"property", "base"}};
    if (two_columns) rows.front().insert(rows.front().end(), {options_.patches.empty() ? "against" : "patched", ""});
    std::uint64_t new_violations = 0;
    std::uint64_t fixed = 0;
    for (const kernel::CampaignRow& row : outcome.rows) {
      rows.push_back({row.property, column(row.base)});
      if (two_columns) {
        rows.back().push_back(column(row.changed));
        rows.back().push_back(row.new_violation ? "NEW" : row.fixed ? "fixed" : "");
      }
      new_violations += row.new_violation;
      fixed += row.fixed;
      report_.results.push_back(to_result(row, two_columns));
    }
    reporter_.print(format_table(rows));
    for (const kernel::Finding& finding : outcome.findings) report_finding(finding);
    report_.summary = {{"new_violations", new_violations}, {"fixed", fixed}, {"same", outcome.rows.size() - new_violations - fixed}};
    report_.interrupted = interrupted();
    reporter_.print(fmt::format("{} scenarios: {} violation{}, {} fixed\n", outcome.scenarios,
                                two_columns ? fmt::format("{} new", new_violations) : std::to_string(new_violations),
                                new_violations == 1 ? "" : "s", fixed));
  }

  Result to_result(const kernel::CampaignRow& row, bool two_columns) {
    const kernel::KernelTally& tally = two_columns ? row.changed : row.base;
    Result result;
    result.name = row.property;
    result.judged = tally.judged;
    result.violations = tally.violated;
    result.outcome = row.new_violation ? Outcome::violated : tally.judged > 0 ? Outcome::held : Outcome::skipped;
    result.scheduler = options_.kernel.scheduler;
    result.detail = tally.message;
    if (two_columns) result.extra["base"] = row.base.violated > 0 ? "violated" : row.base.judged > 0 ? "held" : "skipped";
    return result;
  }

  void report_finding(const kernel::Finding& finding) {
    const OutputFolder folder(options_.out);
    const std::string path = fmt::format("{}/kernel-{}-{}.toml", options_.out, options_.kernel.scheduler, finding.property);
    CaseFile value{finding.property.starts_with("kernel.") ? "" : finding.property, true, finding.rule, "", finding.scenario};
    if (value.property.empty()) value = CaseFile{"", false, "", finding.property + ": " + finding.message, finding.scenario};
    write_case(value, path);
    std::string replay = fmt::format("elvcheck kernel --tree {} --scheduler {}", shell_word(options_.kernel.tree), options_.kernel.scheduler);
    for (const std::string& patch : options_.patches) replay += " --patch " + shell_word(patch);
    if (!options_.against.empty()) replay += " --against " + shell_word(options_.against);
    if (options_.kernel.sanitize) replay += " --sanitize";
    replay += " " + shell_word(path);
    const char* statement = kernel::kernel_statement(finding.property);
    const Property* property = find_property(finding.property);
    reporter_.print(fmt::format("\n{} ({})\n  promise   {}\n  broken    {}\n  replay    {}\n{}", finding.property, finding.rule,
                                statement != nullptr ? statement : property != nullptr ? property->statement : "", finding.message, replay,
                                format_case(value)));
    for (Result& result : report_.results) {
      if (result.name != finding.property) continue;
      result.case_path = path;
      result.replay = replay;
    }
  }

  KernelCommandOptions options_;
  Reporter reporter_;
  Report report_;
};

}  // namespace

Command make_kernel_command(CLI::App& program) {
  auto options = std::make_shared<KernelCommandOptions>();
  CLI::App* app = program.add_subcommand("kernel", "The properties on a kernel tree's own scheduler, before and after a patch");
  app->add_option("CASE", options->files, "Case files to judge in place of the shipped ones and of random streams")->type_name("");
  add_kernel_options(*app, options->kernel);
  app->add_option("--patch", options->patches, "A patch or mbox, or several in order")->type_name("FILE...");
  app->add_option("--against", options->against, "Another tree in place of a patch")->type_name("TREE");
  app->add_option("--property", options->property, "Properties to judge, for example 'bfq.*'")->type_name("GLOB");
  app->add_option("--device", options->devices, "Devices of the random streams [flat and seek]")->type_name("DEVICE...");
  app->add_option("--cases", options->cases, "Random streams")->type_name("N")->check(CLI::Range(0, 100'000'000))->capture_default_str();
  app->add_option("--seed", options->seed, "Of the random streams")->type_name("N")->check(whole_number())->capture_default_str();
  app->add_option("--out", options->out, "Where the case of each new violation goes")->type_name("DIR")->capture_default_str();
  add_output_options(*app, options->output, true);
  app->footer("Exit codes: 0 no new violation, 1 a new violation (without --patch: any), 2 wrong usage or input, 125 not testable:\n"
              "it does not build or the patch does not apply (so `git bisect run` skips it).");
  return {app, [options] { return with_untestable([&] { return KernelCommand(*options).execute(); }); }};
}

}  // namespace elvcheck
