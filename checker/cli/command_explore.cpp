// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck explore`: everything that a few processes with a few requests can do to a scheduler, and who can starve.
#include <fmt/format.h>

#include <mutex>
#include <set>

#include "checker/cli/interrupt.hpp"
#include "checker/cli/options.hpp"
#include "checker/cli/progress.hpp"
#include "checker/cli/worker_pool.hpp"
#include "checker/explore/scenarios.hpp"
#include "checker/explore/systems.hpp"
#include "model/core/mutant.hpp"
#include "model/scheduler/registry.hpp"
#include "properties/case_file.hpp"
#include "properties/nearest_name.hpp"
#include "properties/property.hpp"

namespace elvcheck {
namespace {

struct ExploreOptions {
  OutputOptions output;
  std::string scheduler;
  std::string glob;
  std::string out = "elvcheck-out";
  std::string mutant;
  unsigned processes = 3;
  unsigned requests = 3;
  unsigned jobs = 0;
};

/// What the device is handed, in order and time: runs that agree in it are one behaviour.
class IssueHasher : public TraceListener {
 public:
  void on_event(const TraceEvent& event) override {
    if (event.kind != EventKind::issue && event.kind != EventKind::complete) return;
    TraceEvent seen;
    seen.at = event.at;
    seen.kind = event.kind;
    seen.op = event.op;
    seen.sector = event.sector;
    seen.sectors = event.sectors;
    hasher_.on_event(seen);
  }
  std::uint64_t hash() const { return hasher_.hash(); }

 private:
  TraceHasher hasher_;
};

/// What one property says of all scenarios.
struct Tally {
  const Property* property = nullptr;
  std::uint64_t judged = 0;
  std::uint64_t violations = 0;
  std::uint64_t first = 0;  ///< the scenario with the lowest number that violates it
  Violation violation;
};

/// Throws InputError for a planted bug or a property that does not exist.
void check_names(const ExploreOptions& options) {
  std::vector<std::string_view> names;
  if (!options.mutant.empty() && find_mutant(options.mutant) == nullptr) {
    for (const MutantInfo& mutant : mutants()) names.emplace_back(mutant.name);
    throw InputError(fmt::format("no planted bug '{}'{}", options.mutant, suggest_name(options.mutant, names)));
  }
  for (const Property& property : properties()) {
    if (options.glob.empty() || glob_match(options.glob, property.name)) return;
    names.emplace_back(property.name);
  }
  throw InputError(fmt::format("no property matches '{}'{}", options.glob, suggest_name(options.glob, names)));
}

class Explore {
 public:
  explicit Explore(const ExploreOptions& options)
      : options_(options), reporter_(options.output), scenarios_(options.scheduler, options.processes, options.requests) {
    report_.command = "explore";
  }

  int execute() {
    run_scenarios();
    if (!interrupted()) search_starvation();
    report_.interrupted = interrupted();
    return reporter_.finish(report_);
  }

 private:
  void run_scenarios() {
    const auto start = std::chrono::steady_clock::now();
    Progress progress("scenarios", scenarios_.size(), std::chrono::seconds(0), reporter_.progress_wanted());
    const WorkLimits limits{resolve_jobs(options_.jobs), std::chrono::seconds(0)};
    const std::uint64_t done = run_pieces(
        scenarios_.size(), limits, [&](std::uint64_t n) { judge(n); }, [&](std::uint64_t n) { progress.update(n); });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (auto& [name, tally] : tallies_) add(result_of(tally));
    report_.summary = {{"scenarios", done}, {"behaviours", behaviours_.size()}, {"seconds", seconds}};
    reporter_.print(
        fmt::format("{} scenarios of up to {} processes x {} requests, {} different behaviours at the device, in {:.1f} s\n",
                    done, options_.processes, options_.requests, behaviours_.size(), seconds));
  }

  void judge(std::uint64_t n) {
    Scenario scenario = scenarios_.at(n);
    scenario.mutant = options_.mutant;
    IssueHasher issues;
    JudgeOptions judge_options;
    judge_options.glob = options_.glob;
    judge_options.relations = false;
    judge_options.once = false;
    judge_options.watch = [&](const RunFacts&) -> TraceListener& { return issues; };
    const std::vector<Verdict> verdicts = judge_run(scenario, judge_options);
    const std::lock_guard lock(mutex_);
    behaviours_.insert(issues.hash());
    for (const Verdict& verdict : verdicts) {
      if (verdict.judged == 0 && !verdict.violation) continue;
      Tally& tally = tallies_[verdict.property->name];
      tally.property = verdict.property;
      ++tally.judged;
      if (!verdict.violation) continue;
      if (tally.violations == 0 || n < tally.first) {
        tally.first = n;
        tally.violation = *verdict.violation;
      }
      ++tally.violations;
    }
  }

  Result result_of(const Tally& tally) {
    Result result;
    result.name = tally.property->name;
    result.scheduler = options_.scheduler;
    result.device = "flat";
    result.judged = tally.judged;
    result.violations = tally.violations;
    result.detail = tally.property->statement;
    if (tally.violations == 0) return result;
    result.outcome = Outcome::violated;
    CaseFile value;
    value.property = tally.property->name;
    value.expect_violated = true;
    value.rule = tally.violation.rule;
    value.note = fmt::format("The shortest of all scenarios of up to {} processes x {} requests.", options_.processes,
                             options_.requests);
    value.scenario = scenarios_.at(tally.first);
    value.scenario.mutant = options_.mutant;
    result.case_path = fmt::format("{}/explore-{}-{}.toml", options_.out, options_.scheduler, result.name);
    const OutputFolder folder(options_.out);
    write_case(value, result.case_path);
    result.replay = "elvcheck replay " + shell_word(result.case_path);
    result.detail = tally.violation.message;
    result.report = fmt::format("  shortest  {} steps: {}\n  replay    {}\n{}", scenarios_.steps(tally.first),
                                tally.violation.message, result.replay, format_case(value));
    result.extra = {{"steps", scenarios_.steps(tally.first)}};
    return result;
  }

  void search_starvation() {
    const SystemSize size{options_.processes, options_.requests};
    for (const StarvationQuestion& question : starvation_questions(options_.scheduler, size)) {
      const auto start = std::chrono::steady_clock::now();
      const Exploration found = explore(*question.system);
      Result result;
      result.kind = "Starvation";
      result.name = question.name;
      result.scheduler = options_.scheduler;
      result.judged = found.states;
      result.violations = found.starvation ? 1 : 0;
      result.time = std::chrono::steady_clock::now() - start;
      result.detail = question.statement;
      result.extra = {{"states", found.states}, {"steps", found.steps}, {"complete", found.complete}};
      result.remark = fmt::format("; {} states, {} steps", found.states, found.steps);
      if (found.starvation) {
        result.title = "Possible";
        result.outcome = question.can_starve ? Outcome::held : Outcome::violated;
        result.report = lasso_text(*found.starvation);
        result.extra["prefix"] = found.starvation->prefix;
        result.extra["cycle"] = found.starvation->cycle;
      } else if (!found.complete) {
        result.outcome = Outcome::inconclusive;
        result.detail = "there are more states than were visited";
      } else {
        result.title = "None";
        result.remark += fmt::format(", waits for at most {} of them", found.longest_wait);
        result.extra["longest_wait"] = found.longest_wait;
        if (question.can_starve) {
          result.outcome = Outcome::violated;
          result.detail = "the starvation that is known was not found: a defect of this checker";
        }
      }
      add(result);
      if (result.outcome == Outcome::held && found.starvation) reporter_.print(result.report);
    }
  }

  static std::string lasso_text(const Lasso& lasso) {
    std::string text;
    for (const std::string& step : lasso.prefix) text += fmt::format("  first     {}\n", step);
    for (const std::string& step : lasso.cycle) text += fmt::format("  for ever  {}\n", step);
    return text;
  }

  void add(const Result& result) {
    reporter_.print_result(result);
    report_.results.push_back(result);
  }

  const ExploreOptions& options_;
  Reporter reporter_;
  SmallScenarios scenarios_;
  Report report_;
  std::mutex mutex_;
  std::map<std::string, Tally> tallies_;
  std::set<std::uint64_t> behaviours_;
};

}  // namespace

Command make_explore_command(CLI::App& program) {
  auto options = std::make_shared<ExploreOptions>();
  CLI::App* app = program.add_subcommand("explore", "All small scenarios on one scheduler, and who can starve in its core");
  app->add_option("GLOB", options->glob, "Properties, for example 'deadline.*'")->type_name("");
  app->add_option("--scheduler", options->scheduler, "Which one")->required()->type_name("NAME");
  app->add_option("--processes", options->processes, "At most so many processes")
      ->type_name("N")
      ->check(CLI::Range(1, 3))
      ->capture_default_str();
  app->add_option("--requests", options->requests, "At most so many requests of each")
      ->type_name("N")
      ->check(CLI::Range(1, 3))
      ->capture_default_str();
  app->add_option("--mutant", options->mutant, "With this planted bug (elvcheck list mutants)")->type_name("NAME");
  app->add_option("--out", options->out, "Where violations go as case files")->type_name("DIR")->capture_default_str();
  app->add_option("-j,--jobs", options->jobs, "Threads; 0: one for each core")->type_name("N")->check(CLI::Range(0, 256));
  add_output_options(*app, options->output, false);
  app->footer("Exit codes: 0 nothing was violated, 1 a violation or an unexpected starvation, 3 too many states.");
  return {app, [options] {
            options->scheduler = scheduler_by_name(options->scheduler).name;
            check_names(*options);
            return Explore(*options).execute();
          }};
}

}  // namespace elvcheck
