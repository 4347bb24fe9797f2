// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck reproduce [find|all]`: published experiments, measured beside simulated.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "checker/cli/interrupt.hpp"
#include "checker/cli/options.hpp"
#include "checker/cli/reproduction.hpp"
#include "checker/reproduce/plot.hpp"
#include "checker/reproduce/table.hpp"
#include "properties/case_file.hpp"

namespace elvcheck {
namespace {

struct ReproduceOptions {
  OutputOptions output;
  std::string experiment = "all";
  std::string plots;
  std::string tree;
  std::uint64_t seed = 1;
  unsigned seeds = 11;
  unsigned jobs = 0;
};

int reproduce(const ReproduceOptions& options) {
  Reporter reporter(options.output);
  const OutputFolder plots(options.plots);
  if (!options.plots.empty()) require_gnuplot();
  std::error_code error;
  if (!options.tree.empty() && !std::filesystem::is_directory(options.tree, error))
    throw InputError(fmt::format("--tree: '{}' is no folder", options.tree));
  Report report;
  report.command = "reproduce";
  report.seed = options.seed;
  ReproduceContext context;
  context.seed = options.seed;
  context.seeds = options.seeds;
  context.tree = options.tree;
  std::uint64_t rows = 0;
  std::uint64_t differing = 0;
  for (const Experiment& experiment : experiments()) {
    if (options.experiment != "all" && options.experiment != experiment.name) continue;
    const auto outcome = run_experiment(experiment, context, resolve_jobs(options.jobs), reporter.progress_wanted());
    if (!outcome) break;
    if (!reporter.quiet()) reporter.print(experiment_text(experiment, *outcome) + "\n");
    for (const Row& row : outcome->rows) {
      ++rows;
      differing += !row.agrees();
    }
    for (const Result& result : experiment_results(experiment, *outcome)) {
      if (result.kind == "Claim") reporter.print_result(result);
      report.results.push_back(result);
    }
    reporter.print("\n");
    if (!options.plots.empty())
      reporter.print(fmt::format("drawn: {}\n\n", plot_experiment(experiment, *outcome, options.plots)));
  }
  report.interrupted = interrupted();
  report.summary = {{"rows", rows},
                    {"differing", differing},
                    {"claims_held", report.count(Outcome::held) - rows},
                    {"claims_violated", report.count(Outcome::violated)}};
  reporter.print(fmt::format("{} rows, {} of them differ by more than they may; {} of {} claims held\n", rows, differing,
                             report.count(Outcome::held) - rows, report.results.size() - rows));
  return reporter.finish(report);
}

}  // namespace

Command make_reproduce_command(CLI::App& program) {
  auto options = std::make_shared<ReproduceOptions>();
  CLI::App* app = program.add_subcommand("reproduce", "Published experiments, measured beside simulated");
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) names.emplace_back(experiment.name);
  names.emplace_back("all");
  app->add_option("EXPERIMENT", options->experiment, fmt::format("One of {} [all]", fmt::join(names, ", ")))
      ->type_name("")
      ->check(one_of(names));
  app->add_option("--plots", options->plots, "Draw every experiment into this folder, with gnuplot")->type_name("DIR");
  app->add_option("--tree", options->tree, "A real tree to take names and sizes from")
      ->type_name("DIR");
  app->add_option("--seed", options->seed, "Of the first simulation of each row; the others follow")
      ->type_name("N")
      ->check(whole_number())
      ->capture_default_str();
  app->add_option("--seeds", options->seeds, "Simulations of each row")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app->add_option("-j,--jobs", options->jobs, "Threads; 0: one for each core. The results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 256));
  add_output_options(*app, options->output, true);
  app->footer("Exit codes: 0 every claim held, 1 one did not, 2 wrong usage or input, 130 interrupted.");
  return {app, [options] { return reproduce(*options); }};
}

}  // namespace elvcheck
