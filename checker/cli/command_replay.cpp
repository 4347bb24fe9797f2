// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck replay FILE...`: do case files keep their verdicts? One thread, one process: made for a debugger.
#include <fmt/format.h>

#include <optional>

#include "checker/cli/interrupt.hpp"
#include "checker/cli/judge_case.hpp"
#include "checker/cli/kernel_options.hpp"
#include "checker/cli/kernel_replay.hpp"
#include "checker/cli/options.hpp"
#include "checker/report/failure.hpp"
#include "model/core/stop.hpp"

namespace elvcheck {
namespace {

struct ReplayOptions {
  OutputOptions output;
  KernelOptions kernel;
  std::vector<std::string> files;
  bool trace = false;
};

/// What the cases run on: the models, or a tree's own schedulers.
class Runner {
 public:
  Runner(const ReplayOptions& options, Reporter& reporter) {
    const KernelOptions& given = options.kernel;
    if (!given.tree.empty()) {
      kernels_.emplace(given, [&reporter](const std::string& text) {
        if (!reporter.quiet()) reporter.console().note(text);
      });
    } else if (!given.patches.empty() || given.sanitize) {
      throw InputError("replay: --patch and --sanitize need --tree: which kernel is meant?");
    }
  }

  Result judge(const CaseFile& value, const std::string& file) {
    return kernels_ ? kernels_->judge(value, file) : judge_case(value, file, file);
  }

  std::string trace(const CaseFile& value, const std::string& file) {
    if (kernels_) return kernels_->trace(value, file);
    std::string text;
    try {
      for (const TraceEvent& event : record_trace(value.scenario)) text += to_line(event) + "\n";
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("{}: {}", file, error.what()));
    }
    return text;
  }

 private:
  std::optional<KernelReplay> kernels_;
};

int replay(const ReplayOptions& options) {
  Reporter reporter(options.output);
  // Read all of them first: a mistake in the last file shows at once.
  std::vector<CaseFile> cases;
  for (const std::string& file : options.files) cases.push_back(read_case(file));
  Runner runner(options, reporter);
  Report report;
  report.command = "replay";
  const auto start = std::chrono::steady_clock::now();
  const StopWhen stop(interrupted);
  try {
    for (std::size_t i = 0; i < cases.size() && !interrupted(); ++i) {
      if (options.trace) reporter.print(runner.trace(cases[i], options.files[i]));
      Result result = runner.judge(cases[i], options.files[i]);
      reporter.print_result(result);
      if (!reporter.quiet() && !result.detail.empty() && result.outcome != Outcome::violated) {
        reporter.print("  " + result.detail + "\n");
      }
      report.results.push_back(std::move(result));
    }
  } catch (const RunStopped&) {
    // The results so far are reported.
  }
  report.interrupted = report.results.size() < cases.size();
  report.summary = {{"held", report.count(Outcome::held)},
                    {"violated", report.count(Outcome::violated)},
                    {"inconclusive", report.count(Outcome::inconclusive)},
                    {"skipped", report.count(Outcome::skipped)},
                    {"seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()}};
  reporter.print(fmt::format("{} of {} cases keep their verdict{}\n", report.count(Outcome::held), cases.size(),
                             report.interrupted ? ", interrupted" : ""));
  return reporter.finish(report);
}

}  // namespace

Command make_replay_command(CLI::App& program) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* app = program.add_subcommand("replay", "Run case files: does each keep its verdict?");
  app->add_option("FILE", options->files, "Case files")->required()->type_name("");
  app->add_flag("--trace", options->trace, "Print every event of each run");
  add_kernel_options(*app, options->kernel, false);
  add_patch_option(*app, options->kernel);
  add_output_options(*app, options->output, true);
  app->footer(
      "With --tree on that kernel's own code. Exit codes: 0 each keeps its verdict, 1 one does not, 2 a file that cannot "
      "be\n"
      "read, 4 nothing to judge, 125 the tree does not build.");
  return {app, [options] { return with_untestable([&] { return replay(*options); }); }};
}

}  // namespace elvcheck
