// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck kernel`: the properties on a kernel tree's own scheduler, before against after a patch.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "checker/cli/data_files.hpp"
#include "checker/cli/interrupt.hpp"
#include "checker/cli/kernel_options.hpp"
#include "checker/cli/progress.hpp"
#include "properties/case_file.hpp"
#include "reference/kernel/campaign.hpp"

namespace elvcheck {
namespace {

struct KernelCommandOptions {
  OutputOptions output;
  KernelOptions kernel;
  WorkOptions work{.cases = 400, .seed = 1};
  std::string against;
  std::vector<std::string> files;
  std::vector<std::string> devices;
  std::string property;
  std::string out = "elvcheck-out";
};

std::string column(const kernel::KernelTally& tally) {
  if (tally.violated > 0) return fmt::format("violated {}/{}", tally.violated, tally.judged);
  return tally.judged > 0 ? fmt::format("held {}", tally.judged) : "-";
}

class KernelCommand {
 public:
  explicit KernelCommand(const KernelCommandOptions& options) : options_(options), reporter_(options.output) {
    report_.command = "kernel";
    report_.seed = options.work.seed;
  }

  int execute() {
    const KernelOptions& given = options_.kernel;
    if (given.tree.empty() || given.scheduler.empty())
      throw InputError("kernel: --tree and --scheduler are needed, for example --tree debian --scheduler bfq");
    if (!given.patches.empty() && !options_.against.empty()) throw InputError("kernel: give --patch or --against, not both");
    const kernel::BuildOptions build = build_options(given);
    const kernel::KernelTree tree = kernel::open_tree(given.tree, build.cache);
    kernel::CampaignPlan plan;
    plan.model = &model_of_tree(given, tree);
    plan.cases = saved_cases(*plan.model);  // a mistake in a file shows before anything is built
    plan.glob = options_.property;
    require_match();
    kernel::KernelSet base(tree, tree, given.scheduler, build);
    compile(base, "base");
    std::optional<kernel::KernelSet> changed;
    if (!given.patches.empty())
      changed.emplace(patched_kernel(given, given.scheduler, tree, build, [&](const std::string& text) { note(text); }));
    if (!options_.against.empty()) {
      const kernel::KernelTree other = kernel::open_tree(options_.against, build.cache);
      changed.emplace(other, other, given.scheduler, build);
    }
    if (changed) compile(*changed, given.patches.empty() ? options_.against : "patched");

    plan.base = &base;
    plan.changed = changed ? &*changed : nullptr;
    plan.devices = devices_or_default(options_.devices);
    plan.seed = options_.work.seed;
    plan.streams = options_.files.empty() ? options_.work.cases : 0;
    plan.limits.jobs = resolve_jobs(options_.work.jobs);
    const std::uint64_t runs = (plan.cases.size() + plan.streams) * (changed ? 2 : 1);
    if (runs == 0) throw InputError("kernel: --cases 0, and no case file is for " + given.scheduler + ": nothing to judge");
    kernel::CampaignOutcome outcome;
    {
      Progress progress("runs", runs, std::chrono::seconds(options_.work.seconds), reporter_.progress_wanted());
      outcome = kernel::run_campaign(
          plan, [&](std::uint64_t done) { progress.update(done); }, stop_after(options_.work.seconds));
    }
    show(outcome, changed.has_value());
    return reporter_.finish(report_);
  }

 private:
  void note(const std::string& text) {
    if (!reporter_.quiet()) reporter_.console().note(text);
  }

  void compile(kernel::KernelSet& kernel, const std::string& name) {
    for (const unsigned hz : {250U, 1000U}) {
      const kernel::KernelBuild& build = kernel.build(hz);
      if (!build.cached) note(fmt::format("built {} ({}, {} Hz) in {:.1f} s", kernel.scheduler(), name, hz, build.seconds));
    }
  }

  void require_match() const {
    const auto fits = [&](std::string_view name) { return glob_match(options_.property, name); };
    const auto& own = kernel::kernel_properties();
    if (std::any_of(own.begin(), own.end(), [&](const auto& entry) { return fits(entry.name); })) return;
    for (const Property& property : properties()) {
      if (!property.refuted && fits(property.name)) return;
    }
    throw InputError(fmt::format("no property matches '{}'; see elvcheck list properties", options_.property));
  }

  std::vector<Scenario> saved_cases(const SchedulerInfo& model) const {
    std::vector<Scenario> scenarios;
    for (const std::string& file : options_.files.empty() ? shipped_files("cases") : options_.files) {
      CaseFile value = read_case(file);
      const bool fits = kernel::fits_model(value.scenario, model);
      if (!fits && options_.files.empty()) continue;
      if (!fits) throw InputError(fmt::format("{}: is a case of {}, not of {}", file, value.scenario.scheduler, model.sysfs_name));
      value.scenario.scheduler = model.name;
      scenarios.push_back(std::move(value.scenario));
    }
    return scenarios;
  }

  void show(const kernel::CampaignOutcome& outcome, bool two_columns) {
    std::vector<std::vector<std::string>> rows = {{"property", "base"}};
    if (two_columns) rows.front().insert(rows.front().end(), {options_.against.empty() ? "patched" : "against", ""});
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
    report_.summary = {{"new_violations", new_violations},
                       {"fixed", fixed},
                       {"same", outcome.rows.size() - new_violations - fixed},
                       {"scenarios", outcome.scenarios},
                       {"reordered", outcome.reordered}};
    report_.interrupted = interrupted();
    const std::string what = fmt::format("{}violation{}", two_columns ? "new " : "", new_violations == 1 ? "" : "s");
    reporter_.print(fmt::format("{} scenarios: {} {}{}{}\n", outcome.scenarios, new_violations, what,
                                two_columns
                                    ? fmt::format(", {} fixed; in {} the device is handed other requests or at other times",
                                                  fixed, outcome.reordered)
                                    : "",
                                outcome.gave_up ? "; the rest was left out after three hangs" : ""));
  }

  Result to_result(const kernel::CampaignRow& row, bool two_columns) {
    const kernel::KernelTally& tally = two_columns ? row.changed : row.base;
    Result result;
    result.name = row.property;
    result.judged = tally.judged;
    result.violations = tally.violated;
    result.outcome = row.new_violation ? Outcome::violated : tally.judged > 0 ? Outcome::held : Outcome::skipped;
    result.scheduler = options_.kernel.scheduler;
    if (two_columns) result.extra["base"] = row.base.violated > 0 ? "violated" : row.base.judged > 0 ? "held" : "skipped";
    return result;
  }

  void report_finding(const kernel::Finding& finding) {
    const OutputFolder folder(options_.out);
    const std::string path = fmt::format("{}/kernel-{}-{}.toml", options_.out, options_.kernel.scheduler, finding.property);
    const CaseFile value{finding.property, true, finding.rule, "", finding.scenario};
    write_case(value, path);
    KernelOptions changed = options_.kernel;
    if (!options_.against.empty()) changed.tree = options_.against;
    const std::string replay = "elvcheck replay " + shell_word(path) + kernel_arguments(changed);
    reporter_.print(fmt::format("\n{} ({})\n  promise   {}\n  broken    {}\n  replay    {}\n  case      {}, {}\n\n{}\n",
                                finding.property, finding.rule, kernel::statement_of(finding.property), finding.message,
                                replay, path, finding.size, format_case(value)));
    for (Result& result : report_.results) {
      if (result.name != finding.property) continue;
      result.case_path = path;
      result.replay = replay;
      result.detail = finding.message;
    }
  }

  KernelCommandOptions options_;
  Reporter reporter_;
  Report report_;
};

}  // namespace

Command make_kernel_command(CLI::App& program) {
  auto options = std::make_shared<KernelCommandOptions>();
  CLI::App* app =
      program.add_subcommand("kernel", "The properties on a kernel tree's own scheduler, before and after a patch");
  app->add_option("CASE", options->files, "Case files to judge in place of the shipped ones and of random streams")
      ->type_name("");
  add_kernel_options(*app, options->kernel);
  add_patch_option(*app, options->kernel);
  app->add_option("--against", options->against, "Another tree in place of a patch")->type_name("TREE");
  app->add_option("--property", options->property, "Properties to judge, for example 'bfq.*'")->type_name("GLOB");
  app->add_option("--device", options->devices, "Devices of the random streams [flat and seek]")->type_name("DEVICE...");
  add_work_options(*app, options->work, "Random streams");
  app->add_option("--out", options->out, "Where the case of each new violation goes")
      ->type_name("DIR")
      ->capture_default_str();
  add_output_options(*app, options->output, true);
  app->footer(
      "Exit codes: 0 no new violation, 1 a new violation (without --patch: any), 2 wrong usage or input, 125 not testable:\n"
      "it does not build or the patch does not apply (so `git bisect run` skips it).");
  return {app, [options] { return with_untestable([&] { return KernelCommand(*options).execute(); }); }};
}

}  // namespace elvcheck
