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
  std::uint32_t rlimit = ProofLimits{}.rlimit;
  unsigned watchdog = ProofLimits{}.watchdog_seconds;
  bool verbose = false;
  bool cross_check = false;
};

constexpr unsigned cross_check_seconds = 60;  // cvc5 1.0.3 leaves some tasks open at 15 s

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
  prove_options.limits.rlimit = options.rlimit;
  prove_options.limits.watchdog_seconds = options.watchdog;
  prove_options.name_hypotheses = true;
  if (options.cross_check) {
    const std::string version = cvc5_version();
    if (version.empty()) {
      reporter.console().note("elvcheck: no cross-check: there is no program cvc5 (apt-get install cvc5)");
    } else {
      prove_options.cross_check_seconds = cross_check_seconds;
      prove_options.limits.watchdog_seconds += cross_check_seconds;
    }
  }
  const OutputFolder smt2(options.smt2);
  const OutputFolder out(options.out);
  const auto start = std::chrono::steady_clock::now();
  const auto reports = prove_with_progress(options.glob, prove_options, reporter.progress_wanted());

  Report report;
  report.command = "prove";
  std::uint64_t verdicts[4] = {};
  std::size_t asked = 0;
  std::size_t answered = 0;
  std::size_t disagreed = 0;
  for (const TheoremReport& theorem : reports) {
    report.results.push_back(to_result(theorem));
    Result& result = report.results.back();
    result.remark = one_line(theorem);
    ++verdicts[static_cast<std::size_t>(theorem.verdict)];
    reporter.print_result(result);
    if (options.verbose && !reporter.quiet() && result.outcome != Outcome::violated) reporter.print(scope(theorem));
    asked += theorem.second_asked;
    answered += theorem.second_answered;
    disagreed += theorem.second_disagreed;
  }
  report.interrupted = interrupted();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.summary = {{"proved", verdicts[static_cast<std::size_t>(TheoremVerdict::proved)]},
                    {"refuted_as_expected", verdicts[static_cast<std::size_t>(TheoremVerdict::refuted_as_expected)]},
                    {"open", verdicts[static_cast<std::size_t>(TheoremVerdict::open)]},
                    {"failed", verdicts[static_cast<std::size_t>(TheoremVerdict::failed)]},
                    {"seconds", seconds}};
  if (asked > 0) {
    report.summary["cross_check"] = {
        {"solver", "cvc5 " + cvc5_version()}, {"asked", asked}, {"answered", answered}, {"disagreed", disagreed}};
    reporter.print(fmt::format("cvc5 {} answers {} of {} tasks ({:.0f} %) and disagrees with Z3 {} about {}\n",
                               cvc5_version(), answered, asked,
                               100.0 * static_cast<double>(answered) / static_cast<double>(asked), z3_version(), disagreed));
  }
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
  app->add_flag("-v,--verbose", options->verbose,
                "What is assumed of each, which assumptions its proof needs, which planted bugs refute it");
  app->add_flag("--cross-check", options->cross_check, "Ask cvc5 about every task too; a disagreement fails the theorem");
  app->add_option("--rlimit", options->rlimit, "Budget of each task in Z3's resource count, the same on every machine")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, std::uint32_t{4'000'000'000U}))
      ->capture_default_str();
  app->add_option("--watchdog", options->watchdog, "A task that takes longer is killed and open")
      ->type_name("SECONDS")
      ->check(CLI::Range(1U, 86'400U))
      ->capture_default_str();
  app->add_option("--out", options->out, "Where counterexamples go as case files")->type_name("DIR")->capture_default_str();
  app->add_option("-j,--jobs", options->jobs, "Solver processes at once; 0: one for each core")
      ->type_name("N")
      ->check(CLI::Range(0, 256));
  add_output_options(*app, options->output, false);
  app->footer("Exit codes: 0 all as the catalogue expects, 1 one is not, 3 one is open.");
  return {app, [options] { return prove(*options); }};
}

}  // namespace elvcheck
