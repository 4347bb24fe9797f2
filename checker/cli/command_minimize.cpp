// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck minimize FILE`: the smallest case with the same verdict.
#include <fmt/format.h>

#include <optional>

#include "checker/cli/interrupt.hpp"
#include "checker/cli/options.hpp"
#include "properties/minimize.hpp"

namespace elvcheck {
namespace {

struct MinimizeOptions {
  OutputOptions output;
  std::string file;
  std::string out;
  std::uint64_t budget = MinimizeLimits{}.runs;
};

Minimized minimize_file(const MinimizeOptions& options) {
  const CaseFile value = read_case(options.file);
  try {
    return minimize_case(value, {options.budget, interrupted});
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", options.file, error.what()));
  }
}

int minimize(const MinimizeOptions& options) {
  Reporter reporter(options.output);
  std::optional<OutputFile> out;
  if (!options.out.empty()) out.emplace(options.out);
  const auto start = std::chrono::steady_clock::now();
  const Minimized minimized = minimize_file(options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  Report report;
  report.command = "minimize";
  report.interrupted = interrupted();
  report.summary = {{"ops_before", minimized.before.ops},
                    {"ops_after", minimized.after.ops},
                    {"requests_before", minimized.before.requests},
                    {"requests_after", minimized.after.requests},
                    {"runs", minimized.runs},
                    {"one_minimal", minimized.one_minimal},
                    {"seconds", seconds}};
  Result result;
  result.kind = "Minimized";
  result.name = options.file;
  if (!minimized.one_minimal) result.outcome = Outcome::inconclusive;
  result.scheduler = minimized.value.scenario.scheduler;
  result.device = minimized.value.scenario.device.preset;
  result.case_path = options.out;
  if (!options.out.empty()) result.replay = "elvcheck replay " + shell_word(options.out);
  const char* const end = minimized.one_minimal ? "1-minimal"
                          : report.interrupted  ? "not 1-minimal: interrupted"
                                                : "not 1-minimal: the budget ended first";
  result.detail =
      fmt::format("{} -> {} steps, {} -> {} requests, {} runs in {:.2f} s, {}", minimized.before.ops, minimized.after.ops,
                  minimized.before.requests, minimized.after.requests, minimized.runs, seconds, end);
  report.results.push_back(result);

  const std::string line = fmt::format("{}: {}", options.file, result.detail);
  const std::string text = format_case(minimized.value);
  if (out) {
    out->commit(text);
    reporter.print(line + "\n");
  } else {
    reporter.print(text);
    if (!reporter.quiet()) reporter.console().note(line);
  }
  return reporter.finish(report);
}

}  // namespace

Command make_minimize_command(CLI::App& program) {
  auto options = std::make_shared<MinimizeOptions>();
  CLI::App* app = program.add_subcommand("minimize", "The smallest case with the same verdict for the same reason");
  app->add_option("FILE", options->file, "Case file")->required()->type_name("");
  app->add_option("-o,--out", options->out, "Where the case goes; without it, to standard output")->type_name("FILE");
  app->add_option("--budget", options->budget, "Runs at most")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  add_output_options(*app, options->output, false);
  app->footer(
      "Exit codes: 0 1-minimal, 2 wrong usage or a case without its verdict, 3 the budget ended first, 130 interrupted.");
  return {app, [options] { return minimize(*options); }};
}

}  // namespace elvcheck
