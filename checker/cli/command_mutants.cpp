// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck mutants [GLOB]`: tests the tests. Each planted bug must be noticed by a property.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "checker/cli/data_files.hpp"
#include "checker/cli/interrupt.hpp"
#include "checker/cli/options.hpp"
#include "checker/cli/progress.hpp"
#include "checker/cli/worker_pool.hpp"
#include "properties/case_identity.hpp"
#include "properties/mutation.hpp"

namespace elvcheck {
namespace {

struct MutantsOptions {
  OutputOptions output;
  std::string glob;
  std::string out;
  std::uint64_t cases = 20'000;
  std::uint64_t seed = 1;
  unsigned jobs = 0;
};

std::vector<const MutantInfo*> chosen_mutants(const std::string& glob) {
  std::vector<const MutantInfo*> chosen;
  for (const MutantInfo& mutant : mutants()) {
    if (glob_match(glob, mutant.name)) chosen.push_back(&mutant);
  }
  if (chosen.empty()) throw InputError(fmt::format("no planted bug matches '{}'; see elvcheck list mutants", glob));
  return chosen;
}

/// The scenarios of the shipped cases; they were written to touch what matters.
std::vector<Scenario> shipped_scenarios() {
  std::vector<Scenario> scenarios;
  for (const std::string& file : shipped_files("cases")) {
    scenarios.push_back(read_case(file).scenario);
    scenarios.back().mutant.clear();
  }
  return scenarios;
}

/// The smallest case, with what it shows.
CaseFile case_of(const MutantOutcome& outcome) {
  CaseFile value = normalized(outcome.kill->smallest.value);
  value.note = fmt::format("Planted bug: {}.", outcome.mutant->statement);
  return value;
}

Result to_result(const MutantOutcome& outcome, const std::string& folder) {
  Result result;
  result.kind = "Mutant";
  result.name = outcome.mutant->name;
  result.judged = outcome.cases;
  result.extra = {{"statement", outcome.mutant->statement}, {"killed", outcome.kill.has_value()}, {"cases", outcome.cases}};
  if (!outcome.kill) {
    result.outcome = Outcome::violated;
    result.title = "Alive";
    result.detail = fmt::format("{}: no property noticed it in {} cases, of which {} reached it", outcome.mutant->statement,
                                outcome.cases, outcome.reached);
    return result;
  }
  const auto& [property, violation, smallest] = *outcome.kill;
  result.title = "Killed";
  result.scheduler = smallest.value.scenario.scheduler;
  result.device = smallest.value.scenario.device.preset;
  result.detail = violation.message;
  result.extra["property"] = property->name;
  result.extra["rule"] = smallest.value.rule;
  result.extra["ops"] = smallest.after.ops;
  result.extra["requests"] = smallest.after.requests;
  result.extra["runs"] = smallest.runs;
  result.extra["one_minimal"] = smallest.one_minimal;
  if (!folder.empty()) {
    result.case_path = (std::filesystem::path(folder) / (result.name + ".toml")).string();
    write_case(case_of(outcome), result.case_path);
    result.replay = "elvcheck replay " + shell_word(result.case_path);
  }
  return result;
}

std::string table_of(const std::vector<MutantOutcome>& outcomes) {
  std::vector<std::vector<std::string>> rows = {{"planted bug", "", "by property", "rule", "cases", "ops", "requests"}};
  for (const MutantOutcome& outcome : outcomes) {
    if (outcome.kill) {
      const auto& [property, violation, smallest] = *outcome.kill;
      rows.push_back({outcome.mutant->name, "killed", property->name, smallest.value.rule, std::to_string(outcome.cases),
                      std::to_string(smallest.after.ops), std::to_string(smallest.after.requests)});
    } else {
      rows.push_back({outcome.mutant->name, "alive", "", "", std::to_string(outcome.cases), "", ""});
    }
  }
  return format_table(rows);
}

/// The lower median; 0 of nothing.
std::uint64_t median(std::vector<std::uint64_t> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

int hunt(const MutantsOptions& options) {
  Reporter reporter(options.output);
  const OutputFolder folder(options.out);
  const std::vector<const MutantInfo*> chosen = chosen_mutants(options.glob);
  const HuntPlan plan{options.seed, options.cases, shipped_scenarios(), interrupted};
  std::vector<MutantOutcome> outcomes(chosen.size());
  {
    Progress progress("planted bugs", chosen.size(), std::chrono::seconds(0), reporter.progress_wanted());
    const std::uint64_t done = run_pieces(
        chosen.size(), {resolve_jobs(options.jobs), std::chrono::seconds(0)},
        [&](std::uint64_t i) { outcomes[i] = hunt_mutant(*chosen[i], plan); }, [&](std::uint64_t n) { progress.update(n); });
    outcomes.resize(done);
  }
  Report report;
  report.command = "mutants";
  report.seed = options.seed;
  report.interrupted = interrupted();
  if (report.interrupted) std::erase_if(outcomes, [](const MutantOutcome& outcome) { return !outcome.kill; });  // cut short
  std::vector<std::uint64_t> ops;
  std::vector<std::uint64_t> requests;
  std::size_t not_minimal = 0;
  for (const MutantOutcome& outcome : outcomes) {
    report.results.push_back(to_result(outcome, options.out));
    if (!outcome.kill) continue;
    ops.push_back(outcome.kill->smallest.after.ops);
    requests.push_back(outcome.kill->smallest.after.requests);
    if (!outcome.kill->smallest.one_minimal) ++not_minimal;
  }
  report.summary = {{"mutants", report.results.size()},
                    {"killed", ops.size()},
                    {"median_ops", median(ops)},
                    {"median_requests", median(requests)},
                    {"not_minimal", not_minimal}};

  if (!reporter.quiet()) reporter.print(table_of(outcomes) + "\n");
  for (const Result& result : report.results) {
    if (result.outcome == Outcome::violated) reporter.print_result(result);
  }
  reporter.print(fmt::format(
      "{} of {} planted bugs are killed; median case of {} steps, {} requests{} (seed {})\n", ops.size(),
      report.results.size(), median(ops), median(requests),
      not_minimal == 0 ? ", all of them 1-minimal" : fmt::format("; of {} cases the budget ended first", not_minimal),
      options.seed));
  return reporter.finish(report);
}

}  // namespace

Command make_mutants_command(CLI::App& program) {
  auto options = std::make_shared<MutantsOptions>();
  CLI::App* app = program.add_subcommand("mutants", "Test the tests: is each planted bug noticed by a property?");
  app->add_option("GLOB", options->glob, "Planted bugs, for example 'deadline.*'; see elvcheck list mutants")->type_name("");
  app->add_option("--cases", options->cases, "Cases for each planted bug at most")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->capture_default_str();
  app->add_option("--seed", options->seed, "Of the random cases")->type_name("N")->check(whole_number())->capture_default_str();
  app->add_option("-j,--jobs", options->jobs, "Threads; 0: one for each core. The results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 256));
  app->add_option("--out", options->out, "Keep a case file for each planted bug that was noticed")->type_name("DIR");
  add_output_options(*app, options->output, true);
  app->footer("Exit codes: 0 every planted bug was noticed, 1 one was not, 2 wrong usage or input, 130 interrupted.");
  return {app, [options] { return hunt(*options); }};
}

}  // namespace elvcheck
