// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck run [GLOB]`, the main job: the shipped cases, random streams on every scheduler and device, the shipped
// recordings, and the theorems. Each phase prints its lines when it is done; a signal ends the run with what was found so
// far.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "checker/cli/data_files.hpp"
#include "checker/cli/interrupt.hpp"
#include "checker/cli/job.hpp"
#include "checker/cli/judge_case.hpp"
#include "checker/cli/options.hpp"
#include "checker/cli/progress.hpp"
#include "checker/cli/recordings.hpp"
#include "checker/cli/saved_cases.hpp"
#include "checker/cli/streams.hpp"
#include "checker/cli/theorems.hpp"
#include "checker/report/failure.hpp"
#include "checker/report/output_file.hpp"
#include "properties/minimize.hpp"

namespace elvcheck {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct RunOptions {
  OutputOptions output;
  std::string glob;
  std::string scheduler;
  std::string device;
  std::string job;
  std::string out;
  std::string database = FailureDatabase::usual_folder;
  std::uint64_t seed = 1;
  std::uint64_t cases = 40;
  unsigned seconds = 60;
  unsigned jobs = 0;
};

class Run {
 public:
  explicit Run(const RunOptions& options)
      : options_(options), reporter_(options.output), out_folder_(options.out), glob_(options.glob) {
    if (options_.out.empty()) options_.out = "elvcheck-out";  // made when there is something to keep
    report_.command = "run";
    report_.seed = options.seed;
    jobs_ = resolve_jobs(options.jobs);
    if (!options.scheduler.empty()) {
      schedulers_ = {&scheduler_by_name(options.scheduler)};
    } else {
      for (const SchedulerInfo& scheduler : schedulers()) schedulers_.push_back(&scheduler);
    }
    if (!options.device.empty()) {
      devices_ = {parse_device_spec(options.device)};
    } else {
      for (const DevicePreset& preset : device_presets()) devices_.push_back({preset.name, {}});
    }
  }

  int execute() {
    if (!options_.job.empty()) {
      job();
    } else {
      require_match();
      // A filter on scheduler or device asks for streams on these, not for what is shipped for others.
      const bool everything = options_.scheduler.empty() && options_.device.empty();
      saved();
      if (everything) cases();
      streams();
      if (everything) recordings();
      if (everything) theorems_phase();
    }
    return finish();
  }

 private:
  void job() {
    JobPlan plan{options_.job, schedulers_, options_.device.empty() ? DeviceSpec{"sata-7200-2014", {}} : devices_.front(),
                 options_.glob};
    const JobOutcome outcome = run_job(plan);
    for (const Result& result : outcome.results) add(result);
    reporter_.print(outcome.table);
  }

  void require_match() const {
    for (const Property& property : properties()) {
      if (glob_match(glob_, property.name)) return;
    }
    for (const Theorem& theorem : theorems()) {
      if (glob_match(glob_, theorem.name)) return;
    }
    throw InputError(fmt::format("no property or theorem matches '{}'; see elvcheck list properties", glob_));
  }

  WorkLimits limits() const { return {jobs_, std::chrono::seconds(0)}; }

  /// What was violated once is tried first.
  void saved() {
    for (const Result& result : judge_saved_cases(FailureDatabase(options_.database), glob_, schedulers_, "")) add(result);
  }

  void cases() {
    std::vector<std::string> files;
    std::vector<CaseFile> values;
    for (const std::string& file : shipped_files("cases")) {
      CaseFile value = read_case(file);
      if (!glob_match(glob_, value.property)) continue;
      files.push_back(file);
      values.push_back(std::move(value));
    }
    std::vector<Result> results(values.size());
    Progress progress("case files", values.size(), std::chrono::seconds(0), reporter_.progress_wanted());
    const std::uint64_t done = run_pieces(
        values.size(), limits(),
        [&](std::uint64_t i) { results[i] = judge_case(values[i], fs::path(files[i]).stem().string(), files[i]); },
        [&](std::uint64_t n) { progress.update(n); });
    results.resize(done);
    for (const Result& result : results) add(result);
  }

  void streams() {
    const bool any = std::any_of(properties().begin(), properties().end(), [&](const Property& property) {
      return !property.refuted && glob_match(glob_, property.name);
    });
    if (!any || interrupted()) return;
    StreamPlan plan{options_.seed, options_.cases, glob_, schedulers_, devices_, limits()};
    plan.limits.time = std::chrono::seconds(options_.seconds);
    StreamOutcome outcome;
    {
      Progress progress("random streams", plan.pieces(), plan.limits.time, reporter_.progress_wanted());
      outcome = run_streams(plan, [&](std::uint64_t n) { progress.update(n); });
    }
    for (const PropertyTally& tally : outcome.tallies) add(to_result(tally));
    streams_done_ = outcome.done;
    streams_planned_ = plan.pieces();
  }

  Result to_result(const PropertyTally& tally) {
    Result result;
    result.name = tally.property->name;
    result.judged = tally.judged;
    result.violations = tally.violations;
    result.time = tally.time;
    if (!tally.found) {
      if (tally.judged == 0) result.outcome = Outcome::skipped;
      if (tally.judged == 0) result.detail = "no run gave it anything to judge";
      return result;
    }
    const auto& [violation, scenario] = *tally.found;
    result.outcome = Outcome::violated;
    result.workload = "random";
    CaseFile value;
    value.property = tally.property->name;
    value.expect_violated = true;
    value.rule = violation.rule;
    value.note = fmt::format("found by elvcheck {} run --seed {}", version(), options_.seed);
    value.scenario = scenario;
    MinimizeLimits limits;
    limits.cancelled = interrupted;
    value = minimize_case(value, limits).value;
    result.case_path = keep(value);
    if (!result.case_path.empty()) result.replay = "elvcheck replay " + shell_word(result.case_path);
    const auto small = judge_property(value.scenario, *tally.property);
    result.scheduler = value.scenario.scheduler;
    result.device = value.scenario.device.preset;
    result.detail = small->violation->message;
    result.report = failure_report(*tally.property, *small->violation, value.scenario, result.replay, format_case(value));
    return result;
  }

  /// Writes the case into the output folder; empty if that cannot be done, which is said and does not hide the violation.
  std::string keep(const CaseFile& value) {
    try {
      fs::create_directories(options_.out);
      const std::string path = (fs::path(options_.out) / (value.property + ".toml")).string();
      write_case(value, path);
      FailureDatabase(options_.database).add(value);
      return path;
    } catch (const std::exception& error) {
      reporter_.console().note(fmt::format("elvcheck: the case is not kept: {}", error.what()));
      return {};
    }
  }

  void recordings() {
    const auto files = shipped_recordings();
    std::vector<std::vector<Result>> results(files.size());
    Progress progress("recordings", files.size(), std::chrono::seconds(0), reporter_.progress_wanted());
    const std::uint64_t done = run_pieces(
        files.size(), limits(), [&](std::uint64_t i) { results[i] = judge_shipped_recording(files[i], glob_); },
        [&](std::uint64_t n) { progress.update(n); });
    for (std::uint64_t i = 0; i < done; ++i) {
      for (const Result& result : results[i]) add(result);
    }
  }

  void theorems_phase() {
    if (interrupted()) return;
    ProveOptions options;
    options.jobs = jobs_;
    options.planted_bugs = false;  // the tests and `prove` try them
    for (const TheoremReport& theorem : prove_with_progress(glob_, options, reporter_.progress_wanted())) {
      add(elvcheck::to_result(theorem));
    }
  }

  void add(const Result& result) {
    reporter_.print_result(result);
    report_.results.push_back(result);
  }

  int finish() {
    report_.interrupted = interrupted();
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    report_.summary = {{"held", report_.count(Outcome::held)},
                       {"violated", report_.count(Outcome::violated)},
                       {"inconclusive", report_.count(Outcome::inconclusive)},
                       {"skipped", report_.count(Outcome::skipped)},
                       {"seconds", seconds}};
    if (options_.job.empty()) reporter_.print("\n" + table());
    if (streams_planned_ > 0) {
      reporter_.print(
          fmt::format("{} random streams (seed {}) on {} schedulers and {} devices{}\n", streams_done_, options_.seed,
                      schedulers_.size(), devices_.size(),
                      streams_done_ < streams_planned_ && !report_.interrupted
                          ? fmt::format("; {} were planned, but --time {} was up", streams_planned_, options_.seconds)
                          : ""));
    }
    reporter_.print(fmt::format("{}{} in {:.1f} s\n", report_.interrupted ? "Interrupted: results so far. " : "",
                                conclusion(), seconds));
    return reporter_.finish(report_);
  }

  std::string conclusion() {
    const Outcome outcome = report_.count(Outcome::violated) > 0       ? Outcome::violated
                            : report_.count(Outcome::inconclusive) > 0 ? Outcome::inconclusive
                            : report_.count(Outcome::held) > 0         ? Outcome::held
                                                                       : Outcome::skipped;
    const char* words = outcome == Outcome::violated       ? "Violations were found"
                        : outcome == Outcome::inconclusive ? "Nothing is violated, but something stayed open"
                        : outcome == Outcome::held         ? "Everything held"
                                                           : "Nothing was judged";
    return reporter_.console().paint(outcome, words);
  }

  /// One row for each kind of result.
  std::string table() const {
    std::vector<std::vector<std::string>> rows = {{"", "held", "violated", "inconclusive", "skipped"}};
    for (const char* kind : {"Saved", "Case", "Property", "Recording", "Theorem"}) {
      std::uint64_t counts[4] = {};
      for (const Result& result : report_.results) counts[static_cast<std::size_t>(result.outcome)] += result.kind == kind;
      if (counts[0] + counts[1] + counts[2] + counts[3] == 0) continue;
      rows.push_back({kind});
      for (const std::uint64_t count : counts) rows.back().push_back(std::to_string(count));
    }
    return format_table(rows);
  }

  RunOptions options_;
  Reporter reporter_;
  OutputFolder out_folder_;
  std::string glob_;
  Report report_;
  unsigned jobs_ = 1;
  std::vector<const SchedulerInfo*> schedulers_;
  std::vector<DeviceSpec> devices_;
  std::uint64_t streams_done_ = 0;
  std::uint64_t streams_planned_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

Command make_run_command(CLI::App& program) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* app = program.add_subcommand("run", "The main job: check every scheduler on every device");
  app->add_option("GLOB", options->glob, "Properties and theorems, for example 'mq-deadline.*'")->type_name("");
  app->add_option("--scheduler", options->scheduler, "Random streams on this scheduler only")->type_name("NAME");
  app->add_option("--device", options->device, "Random streams on this device only: NAME[:PARAMETER=VALUE,...]")
      ->type_name("DEVICE");
  app->add_option("--job", options->job, "Run a fio job file instead, on every scheduler or the chosen one")
      ->type_name("FILE");
  app->add_option("--seed", options->seed, "Of the random streams")->type_name("N")->check(whole_number())->capture_default_str();
  app->add_option("--cases", options->cases, "Random streams for each pair of scheduler and device")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app->add_option("--time", options->seconds, "Start no random stream after so many seconds; 0: no limit")
      ->type_name("SECONDS")
      ->check(CLI::Range(0, 10'000'000))
      ->capture_default_str();
  app->add_option("-j,--jobs", options->jobs, "Threads; 0: one for each core. The results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 256));
  app->add_option("--out", options->out, "Where violations go as case files [elvcheck-out]")->type_name("DIR");
  app->add_option("--database", options->database, "The failure database: what it holds is tried first")
      ->type_name("DIR")
      ->capture_default_str();
  for (const char* of_streams : {"--seed", "--cases", "--time", "--jobs", "--out", "--database"})
    app->get_option(of_streams)->excludes("--job");
  add_output_options(*app, options->output, true);
  app->footer(
      "Exit codes: 0 all held, 1 a violation, 2 wrong usage or input, 3 inconclusive, 4 all skipped, 130 interrupted.");
  return {app, [options] { return Run(*options).execute(); }};
}

}  // namespace elvcheck
