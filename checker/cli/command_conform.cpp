// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck conform`: model against kernel. With --tree on random streams, with --recording on what a kernel did before.
#include <fmt/format.h>

#include <chrono>

#include "checker/cli/interrupt.hpp"
#include "checker/cli/kernel_options.hpp"
#include "checker/cli/progress.hpp"
#include "properties/case_file.hpp"
#include "reference/kernel/conform.hpp"
#include "reference/stream/stream.hpp"

namespace elvcheck {
namespace {

struct ConformOptions {
  OutputOptions output;
  KernelOptions kernel;
  std::vector<std::string> recordings;
  std::vector<std::string> devices;
  std::string model;
  std::string out = "elvcheck-out";
  std::vector<std::string> files;
  WorkOptions work{.cases = 1000, .seed = 1};
};

/// The first issue that differs, of a recorded stream.
std::string first_difference(const StreamRecording& stream, const std::vector<StreamIssue>& model) {
  const auto at = static_cast<std::size_t>(
      std::mismatch(model.begin(), model.end(), stream.issues.begin(), stream.issues.end()).first - model.begin());
  const auto text = [](const std::vector<StreamIssue>& issues, std::size_t i) {
    if (i >= issues.size()) return std::string("nothing");
    const StreamIssue& issue = issues[i];
    return fmt::format("{} ns, process {}, {} {} + {}", issue.at.count(), issue.process, issue.write ? "write" : "read",
                       issue.sector, issue.sectors);
  };
  return fmt::format("stream {}, issue {}: model {}; recorded {}", stream.id, at + 1, text(model, at),
                     text(stream.issues, at));
}

class Conform {
 public:
  explicit Conform(const ConformOptions& options) : options_(options), reporter_(options.output) {
    report_.command = "conform";
    report_.seed = options.work.seed;
  }

  int execute() {
    if (options_.kernel.scheduler.empty())
      throw InputError("conform: --scheduler is missing: mq-deadline with --tree, mq-deadline-6.1 with --recording");
    if (options_.kernel.tree.empty() == options_.recordings.empty())
      throw InputError(
          "conform: give either --tree or --recording: a kernel tree to compile, or files that were recorded with one");
    if (options_.recordings.empty())
      streams();
    else
      for (const std::string& file : options_.recordings) recording(file);
    report_.summary = {{"streams", streams_}, {"exact", exact_}};
    reporter_.print(fmt::format("{} of {} streams exact\n", exact_, streams_));
    return reporter_.finish(report_);
  }

 private:
  void recording(const std::string& file) {
    const SchedulerInfo& model = scheduler_by_name(options_.kernel.scheduler);
    const auto start = std::chrono::steady_clock::now();
    Result result;
    result.kind = "Recording";
    result.name = file;
    result.scheduler = model.name;
    for (const StreamRecording& stream : read_streams(file)) {
      if (interrupted()) break;
      ++result.judged;
      const std::vector<StreamIssue> issues = run_stream(stream, model);
      if (issues == stream.issues) continue;
      if (result.violations++ == 0) result.detail = first_difference(stream, issues);
    }
    streams_ += result.judged;
    exact_ += result.judged - result.violations;
    result.outcome = result.violations > 0 ? Outcome::violated : Outcome::held;
    if (result.violations > 0) result.report = "  " + result.detail + "\n";
    result.replay = fmt::format("elvcheck conform --recording {} --scheduler {}", shell_word(file), model.name);
    result.time = std::chrono::steady_clock::now() - start;
    reporter_.print_result(result);
    report_.results.push_back(std::move(result));
  }

  static Scenario case_for(const std::string& file, const SchedulerInfo& model) {
    Scenario scenario = read_case(file).scenario;
    const SchedulerInfo* own = find_scheduler(scenario.scheduler);
    if (own == nullptr || std::string_view(own->sysfs_name) != model.sysfs_name)
      throw InputError(fmt::format("{}: is a case of {}, not of {}", file, scenario.scheduler, model.sysfs_name));
    scenario.scheduler = model.name;
    return scenario;
  }

  void streams() {
    const kernel::BuildOptions build = build_options(options_.kernel);
    const kernel::KernelTree tree = kernel::open_tree(options_.kernel.tree, build.cache);
    kernel::KernelSet kernel =
        patched_kernel(options_.kernel, options_.kernel.scheduler, tree, build, [&](const std::string& text) {
          if (!reporter_.quiet()) reporter_.console().note(text);
        });
    for (const unsigned hz : {250U, 1000U}) {
      const kernel::KernelBuild& built = kernel.build(hz);
      if (!built.cached && !reporter_.quiet())
        reporter_.console().note(
            fmt::format("built {} of {} at {} Hz in {:.1f} s", kernel.scheduler(), tree.version, hz, built.seconds));
    }
    kernel::ConformPlan plan;
    plan.kernel = &kernel;
    plan.model = options_.model.empty() ? &model_of_tree(options_.kernel, tree) : &scheduler_by_name(options_.model);
    plan.devices = options_.devices.empty() ? kernel::conform_devices() : devices_or_default(options_.devices);
    plan.seed = options_.work.seed;
    plan.cases = options_.work.cases;
    plan.limits.jobs = resolve_jobs(options_.work.jobs);
    for (const std::string& file : options_.files) plan.scenarios.push_back(case_for(file, *plan.model));
    const auto start = std::chrono::steady_clock::now();
    kernel::ConformOutcome outcome;
    {
      Progress progress("streams", plan.scenarios.empty() ? plan.cases : plan.scenarios.size(),
                        std::chrono::seconds(options_.work.seconds), reporter_.progress_wanted());
      outcome = kernel::conform(
          plan, [&](std::uint64_t done) { progress.update(done); }, stop_after(options_.work.seconds));
    }
    streams_ = outcome.streams;
    exact_ = outcome.exact;
    Result result;
    result.kind = "Model";
    result.name = plan.model->name;
    result.scheduler = options_.kernel.scheduler;
    result.judged = outcome.streams;
    result.violations = outcome.streams - outcome.exact;
    result.outcome = outcome.streams == 0 ? Outcome::skipped : result.violations > 0 ? Outcome::violated : Outcome::held;
    result.time = std::chrono::steady_clock::now() - start;
    result.extra["tree"] = tree.version;
    result.extra["requests"] = outcome.requests;
    if (outcome.smallest) {
      const OutputFolder folder(options_.out);
      result.case_path =
          fmt::format("{}/conform-{}-{}-{}.toml", options_.out, plan.model->name, options_.work.seed, *outcome.first);
      write_case(CaseFile{"", false, "", "model and kernel differ", *outcome.smallest}, result.case_path);
      result.detail = fmt::format("stream {} differs", *outcome.first);
      result.replay = fmt::format("elvcheck conform {}{} --scheduler {}{}", shell_word(result.case_path),
                                  kernel_arguments(options_.kernel), options_.kernel.scheduler,
                                  options_.model.empty() ? "" : " --model " + options_.model);
      result.report = fmt::format("  case      {}\n  replay    {}\n\n{}\n{}", result.case_path, result.replay,
                                  format_case(CaseFile{"", false, "", "", *outcome.smallest}), outcome.difference);
    }
    reporter_.print_result(result);
    report_.interrupted = interrupted();
    report_.results.push_back(std::move(result));
  }

  ConformOptions options_;
  Reporter reporter_;
  Report report_;
  std::uint64_t streams_ = 0;
  std::uint64_t exact_ = 0;
};

}  // namespace

Command make_conform_command(CLI::App& program) {
  auto options = std::make_shared<ConformOptions>();
  CLI::App* app = program.add_subcommand("conform", "Does a model hand the device what the kernel's own scheduler does?");
  app->add_option("CASE", options->files, "Case files to compare in place of random streams")->type_name("");
  add_kernel_options(*app, options->kernel);
  add_patch_option(*app, options->kernel);
  app->add_option("--model", options->model,
                  "Hold this model against the tree's scheduler in place of its own, for a tree in which that is another one")
      ->type_name("NAME")
      ->needs("--tree");
  app->add_option("--recording", options->recordings, "Recorded streams instead of a tree; then --scheduler names the model")
      ->type_name("FILE...");
  app->add_option("--device", options->devices, "Devices of the random streams [five that differ in depth and cache]")
      ->type_name("DEVICE...");
  add_work_options(*app, options->work, "Random streams");
  app->add_option("--out", options->out, "Where the smallest stream that differs goes")
      ->type_name("DIR")
      ->capture_default_str();
  add_output_options(*app, options->output, true);
  app->footer("Exit codes: 0 all exact, 1 a stream differs, 2 wrong usage or input, 125 the tree does not build.");
  return {app, [options] { return with_untestable([&] { return Conform(*options).execute(); }); }};
}

}  // namespace elvcheck
