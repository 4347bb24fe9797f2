// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck replay FILE...`: do case files keep their verdicts? One thread, one process: made for a debugger.
#include <fmt/format.h>

#include "checker/cli/interrupt.hpp"
#include "checker/cli/judge_case.hpp"
#include "checker/cli/options.hpp"
#include "checker/report/failure.hpp"
#include "model/core/stop.hpp"

namespace elvcheck {
namespace {

struct ReplayOptions {
  OutputOptions output;
  std::vector<std::string> files;
  bool trace = false;
};

void print_trace(Reporter& reporter, const CaseFile& value, const std::string& file) {
  try {
    for (const TraceEvent& event : record_trace(value.scenario)) reporter.print(to_line(event) + "\n");
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

int replay(const ReplayOptions& options) {
  Reporter reporter(options.output);
  // Read all of them first: a mistake in the last file shows at once.
  std::vector<CaseFile> cases;
  for (const std::string& file : options.files) cases.push_back(read_case(file));
  Report report;
  report.command = "replay";
  const auto start = std::chrono::steady_clock::now();
  const StopWhen stop(interrupted);
  try {
    for (std::size_t i = 0; i < cases.size() && !interrupted(); ++i) {
      if (options.trace) print_trace(reporter, cases[i], options.files[i]);
      Result result = judge_case(cases[i], options.files[i], options.files[i]);
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
  add_output_options(*app, options->output, true);
  app->footer("Exit codes: 0 each keeps its verdict, 1 one does not, 2 a file that cannot be read, 4 nothing to judge.");
  return {app, [options] { return replay(*options); }};
}

}  // namespace elvcheck
