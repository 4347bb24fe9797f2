// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck fuzz [GLOB]`: a campaign, or one shard of it. Saved failures first, then random cases until their number or the
// time is reached; a campaign that was stopped in any way goes on where its record file ends.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "checker/campaign/campaign.hpp"
#include "checker/campaign/failure_database.hpp"
#include "checker/campaign/report.hpp"
#include "checker/cli/interrupt.hpp"
#include "checker/cli/options.hpp"
#include "checker/cli/progress.hpp"
#include "checker/cli/saved_cases.hpp"
#include "model/core/mutant.hpp"
#include "model/device/preset.hpp"
#include "properties/nearest_name.hpp"
#include "properties/property.hpp"

namespace elvcheck {
namespace {

struct FuzzOptions {
  OutputOptions output;
  std::string scheduler;
  std::string device;
  std::string shard = "1/1";
  std::string out = "elvcheck-fuzz";
  std::string database = FailureDatabase::usual_folder;
  std::uint64_t cases = 100'000;
  unsigned seconds = 0;
  unsigned jobs = 0;
  bool stats = false;
  CampaignPlan plan;
};

void read_shard_option(const std::string& text, CampaignPlan& plan) {
  const auto number = [&](std::string_view digits, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  const std::size_t slash = text.find('/');
  std::uint64_t place = 0;
  if (slash == std::string::npos || !number(std::string_view(text).substr(0, slash), place) ||
      !number(std::string_view(text).substr(slash + 1), plan.shards) || place == 0 || place > plan.shards ||
      plan.shards > 1'000'000) {
    throw InputError(fmt::format("fuzz: --shard is '{}'; write I/N with 1 <= I <= N <= 1000000, such as 3/8", text));
  }
  plan.shard = place - 1;
}

void check_mutant(const std::string& name) {
  if (name.empty() || find_mutant(name) != nullptr) return;
  std::vector<std::string_view> known;
  for (const MutantInfo& mutant : mutants()) known.emplace_back(mutant.name);
  throw InputError(fmt::format("no planted bug '{}'{}", name, suggest_name(name, known)));
}

void require_match(const std::string& glob) {
  for (const Property& property : properties()) {
    if (!property.refuted && glob_match(glob, property.name)) return;
  }
  throw InputError(fmt::format("no property matches '{}'; see elvcheck list properties", glob));
}

/// Checks the options and makes the plan of them.
CampaignPlan plan_of(const FuzzOptions& options) {
  CampaignPlan plan = options.plan;
  read_shard_option(options.shard, plan);
  require_match(plan.glob);
  check_mutant(plan.mutant);
  if (options.scheduler.empty()) {
    for (const SchedulerInfo& scheduler : schedulers()) plan.schedulers.push_back(&scheduler);
  } else {
    plan.schedulers = {&scheduler_by_name(options.scheduler)};
  }
  if (options.device.empty()) {
    for (const DevicePreset& preset : device_presets()) plan.devices.push_back({preset.name, {}});
  } else {
    plan.devices = {parse_device_spec(options.device)};
  }
  plan.cases = cases_of_shard(options.cases, plan.shard, plan.shards);
  plan.limits = {resolve_jobs(options.jobs), std::chrono::seconds(options.seconds)};
  return plan;
}

int fuzz(const FuzzOptions& options) {
  Reporter reporter(options.output);
  const CampaignPlan plan = plan_of(options);
  const OutputFolder folder(options.out);
  const std::string path =
      (std::filesystem::path(options.out) / fmt::format("shard-{}-of-{}.jsonl", plan.shard + 1, plan.shards)).string();
  ShardFile file(path, campaign_header(plan));
  Campaign campaign(plan);
  campaign.resume(file.records(), path);
  const std::uint64_t before = campaign.totals().cases;
  if (file.was_torn()) reporter.console().note(path + ": the last record was torn; its cases are done again");

  Report report;
  report.command = "fuzz";
  report.seed = plan.seed;
  const FailureDatabase database(options.database);
  for (Result& result : judge_saved_cases(database, plan.glob, plan.schedulers, plan.mutant)) {
    reporter.print_result(result);
    report.results.push_back(std::move(result));
  }

  const auto start = std::chrono::steady_clock::now();
  {
    Progress progress("cases", plan.cases, plan.limits.time, reporter.progress_wanted());
    campaign.run(
        [&](const CampaignTotals& stretch, std::uint64_t first) {
          // Cases first: a record that stands in the file promises that its failures are there.
          const auto failures = distinct(stretch.failures);
          write_failures(failures, options.out);
          for (const CampaignFailure& failure : failures) database.add(parse_case(failure.text, failure.id));
          file.append(stretch.to_record(first));
        },
        [&](std::uint64_t done) { progress.update(done); });
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const CampaignTotals& totals = campaign.totals();
  const auto failures = distinct(totals.failures);
  for (Result& result : campaign_results(totals, plan.glob, failures, write_failures(failures, options.out))) {
    reporter.print_result(result);
    report.results.push_back(std::move(result));
  }
  reporter.print("\n" + coverage_table(totals));
  if (options.stats) reporter.print("\n" + distribution_table(totals));
  const double rate = seconds > 0 ? static_cast<double>(totals.cases - before) / seconds : 0;
  report.interrupted = interrupted();
  report.summary = {{"held", report.count(Outcome::held)},
                    {"violated", report.count(Outcome::violated)},
                    {"skipped", report.count(Outcome::skipped)},
                    {"cases", totals.cases},
                    {"cases_before", before},
                    {"cases_per_second", rate},
                    {"requests", totals.requests},
                    {"failures", failures.size()},
                    {"seconds", seconds},
                    {"coverage", coverage_json(totals)}};
  reporter.print(
      fmt::format("\n{}{} cases of shard {}/{} (seed {}), {} of them now: {:.0f} a second; {} distinct failure{}\n",
                  report.interrupted ? "Interrupted: " : "", totals.cases, plan.shard + 1, plan.shards, plan.seed,
                  totals.cases - before, rate, failures.size(), failures.size() == 1 ? "" : "s"));
  if (totals.cases < plan.cases && !report.interrupted) {
    reporter.print(
        fmt::format("{} were planned, but --time {} was up; the same command goes on\n", plan.cases, options.seconds));
  }
  return reporter.finish(report);
}

}  // namespace

Command make_fuzz_command(CLI::App& program) {
  auto options = std::make_shared<FuzzOptions>();
  CLI::App* app = program.add_subcommand("fuzz", "A campaign of random cases made of corners");
  CampaignPlan& plan = options->plan;
  app->add_option("GLOB", plan.glob, "Properties, for example 'mq-deadline.*'")->type_name("");
  app->add_option("--cases", options->cases, "Of the whole campaign, all shards and earlier sessions together")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U))
      ->capture_default_str();
  app->add_option("--time", options->seconds, "Start no case after so many seconds; 0: no limit")
      ->type_name("SECONDS")
      ->check(CLI::Range(0, 10'000'000));
  app->add_option("-j,--jobs", options->jobs, "Threads; 0: one for each core. The results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 256));
  app->add_option("--seed", plan.seed, "Of the campaign")->type_name("N")->check(whole_number())->capture_default_str();
  app->add_option("--shard", options->shard, "Which part of the campaign: 1/N to N/N")
      ->type_name("I/N")
      ->capture_default_str();
  app->add_option("--out", options->out, "Where the record file and the case files go; a campaign found there goes on")
      ->type_name("DIR")
      ->capture_default_str();
  app->add_option("--scheduler", options->scheduler, "This one only")->type_name("NAME");
  app->add_option("--device", options->device, "This one only: NAME[:PARAMETER=VALUE,...]")->type_name("DEVICE");
  app->add_option("--requests", plan.ios, "Of a case, about")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app->add_option("--budget", plan.minimize_runs, "Runs at most to minimise a failure")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  app->add_option("--mutant", plan.mutant, "Plant this bug, to see it found")->type_name("NAME");
  app->add_option("--database", options->database, "The failure database")->type_name("DIR")->capture_default_str();
  app->add_flag("--stats", options->stats, "Print the distribution of the cases");
  add_output_options(*app, options->output, true);
  app->footer("Exit codes: 0 all held, 1 a violation, 2 wrong usage or input, 4 nothing judged, 130 interrupted.");
  return {app, [options] { return fuzz(*options); }};
}

}  // namespace elvcheck
