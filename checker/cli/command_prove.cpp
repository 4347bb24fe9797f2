// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck prove [GLOB]`: closes the theorems of the catalogue, and says for each what exactly was proved.
#include <fmt/format.h>

#include "checker/cli/interrupt.hpp"
#include "checker/cli/theorems.hpp"
#include "checker/report/output_file.hpp"
#include "properties/case_file.hpp"
#include "properties/nearest_name.hpp"
#include "properties/property.hpp"

namespace elvcheck {
namespace {

struct ProveCommandOptions {
  OutputOptions output;
  std::string glob;
  std::string smt2;
  std::string out = "elvcheck-out";
  unsigned jobs = 0;
};

void require_match(const std::string& glob) {
  std::vector<std::string_view> names;
  for (const Theorem& theorem : theorems()) {
    if (glob.empty() || glob_match(glob, theorem.name)) return;
    names.emplace_back(theorem.name);
  }
  throw InputError(fmt::format("no theorem matches '{}'{}", glob, suggest_name(glob, names)));
}

int prove(const ProveCommandOptions& options) {
  Reporter reporter(options.output);
  require_match(options.glob);
  ProveOptions prove_options;
  prove_options.jobs = resolve_jobs(options.jobs);
  prove_options.smt2_dir = options.smt2;
  prove_options.case_dir = options.out;
  const OutputFolder smt2(options.smt2);
  const OutputFolder out(options.out);
  const auto start = std::chrono::steady_clock::now();
  const auto reports = prove_with_progress(options.glob, prove_options, reporter.progress_wanted());

  Report report;
  report.command = "prove";
  std::uint64_t verdicts[4] = {};
  for (const TheoremReport& theorem : reports) {
    report.results.push_back(to_result(theorem));
    const Result& result = report.results.back();
    ++verdicts[static_cast<std::size_t>(theorem.verdict)];
    reporter.print_result(result);
    if (!reporter.quiet() && result.outcome != Outcome::violated) reporter.print(scope(theorem));
  }
  report.interrupted = interrupted();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.summary = {{"proved", verdicts[static_cast<std::size_t>(TheoremVerdict::proved)]},
                    {"refuted_as_expected", verdicts[static_cast<std::size_t>(TheoremVerdict::refuted_as_expected)]},
                    {"open", verdicts[static_cast<std::size_t>(TheoremVerdict::open)]},
                    {"failed", verdicts[static_cast<std::size_t>(TheoremVerdict::failed)]},
                    {"seconds", seconds}};
  reporter.print(fmt::format("{} theorems: {} proved, {} refuted as expected, {} open, {} failed in {:.1f} s{}\n",
                             report.results.size(), verdicts[static_cast<std::size_t>(TheoremVerdict::proved)],
                             verdicts[static_cast<std::size_t>(TheoremVerdict::refuted_as_expected)],
                             verdicts[static_cast<std::size_t>(TheoremVerdict::open)],
                             verdicts[static_cast<std::size_t>(TheoremVerdict::failed)], seconds,
                             report.interrupted ? ", interrupted" : ""));
  return reporter.finish(report);
}

}  // namespace

Command make_prove_command(CLI::App& program) {
  auto options = std::make_shared<ProveCommandOptions>();
  CLI::App* app =
      program.add_subcommand("prove", "Prove the theorems with Z3; refuted claims give a case file that replays");
  app->add_option("GLOB", options->glob, "Theorems, for example 'deadline.*'")->type_name("");
  app->add_option("--smt2", options->smt2, "Write every query as SMT-LIB 2 into DIR")->type_name("DIR");
  app->add_option("--out", options->out, "Where counterexamples go as case files")->type_name("DIR")->capture_default_str();
  app->add_option("-j,--jobs", options->jobs, "Solver processes at once; 0: one for each core")
      ->type_name("N")
      ->check(CLI::Range(0, 256));
  add_output_options(*app, options->output, false);
  app->footer("Exit codes: 0 all as the catalogue expects, 1 one is not, 3 one is open.");
  return {app, [options] { return prove(*options); }};
}

}  // namespace elvcheck
