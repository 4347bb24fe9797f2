// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck merge DIR...`: one result of many shards. A shard that is there twice counts once; failures with the same
// normalised minimised case are one failure.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "checker/campaign/report.hpp"
#include "checker/campaign/shard_file.hpp"
#include "checker/cli/options.hpp"
#include "properties/case_file.hpp"

namespace elvcheck {
namespace {

namespace fs = std::filesystem;

struct MergeOptions {
  OutputOptions output;
  std::vector<std::string> folders;
  std::string out;
  bool stats = false;
};

struct Shard {
  std::string path;
  CampaignTotals totals;
};

std::vector<std::string> shard_files(const std::vector<std::string>& folders) {
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error) throw InputError(fmt::format("{}: cannot read the folder: {}", folder, error.message()));
    const std::size_t before = files.size();
    for (const fs::directory_entry& entry : entries) {
      if (entry.path().extension() == ".jsonl") files.push_back(entry.path().string());
    }
    if (files.size() == before) {
      throw InputError(
          fmt::format("{}: no record file (*.jsonl) in it; give folders that elvcheck fuzz --out has filled", folder));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

CampaignTotals sum_of(const ShardContent& content, const std::string& path) {
  CampaignTotals totals;
  for (std::size_t i = 0; i < content.records.size(); ++i) {
    try {
      if (content.records[i].at("first") != totals.cases) throw std::invalid_argument("it does not follow the one before");
      totals.add(CampaignTotals::from_record(content.records[i]));
    } catch (const std::exception& error) {
      throw InputError(fmt::format("{}:{}: a record that cannot be used: {}", path, i + 2, error.what()));
    }
  }
  return totals;
}

int merge(const MergeOptions& options) {
  Reporter reporter(options.output);
  const OutputFolder folder(options.out);
  std::map<std::string, Shard> shards;  // by header
  for (const std::string& path : shard_files(options.folders)) {
    const ShardContent content = read_shard(path);
    if (content.header.is_null()) continue;  // killed before its first line
    if (!content.header.contains("record") || content.header["record"] != "campaign") {
      throw InputError(fmt::format("{}:1: not the record file of a campaign", path));
    }
    Shard shard{path, sum_of(content, path)};
    const auto [place, fresh] = shards.emplace(content.header.dump(), shard);
    if (fresh) continue;
    reporter.console().note(fmt::format("{} is the shard of {}; the longer one counts", path, place->second.path));
    if (shard.totals.cases > place->second.totals.cases) place->second = std::move(shard);
  }
  CampaignTotals totals;
  for (const auto& [header, shard] : shards) totals.add(shard.totals);
  const auto failures = distinct(totals.failures);
  const auto paths = options.out.empty() ? std::vector<std::string>() : write_failures(failures, options.out);

  Report report;
  report.command = "merge";
  for (Result& result : campaign_results(totals, "", failures, paths)) {
    reporter.print_result(result);
    report.results.push_back(std::move(result));
  }
  reporter.print("\n" + coverage_table(totals));
  if (options.stats) reporter.print("\n" + distribution_table(totals));
  report.summary = {{"held", report.count(Outcome::held)},
                    {"violated", report.count(Outcome::violated)},
                    {"skipped", report.count(Outcome::skipped)},
                    {"shards", shards.size()},
                    {"cases", totals.cases},
                    {"requests", totals.requests},
                    {"failures_before", totals.failures.size()},
                    {"failures", failures.size()},
                    {"seconds", totals.seconds},
                    {"coverage", coverage_json(totals)}};
  reporter.print(fmt::format("\n{} shards, {} cases; {} failures, {} of them distinct\n", shards.size(), totals.cases,
                             totals.failures.size(), failures.size()));
  return reporter.finish(report);
}

}  // namespace

Command make_merge_command(CLI::App& program) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* app = program.add_subcommand("merge", "Join the shards of a campaign");
  app->add_option("DIR", options->folders, "Folders that elvcheck fuzz --out has filled")->required()->type_name("");
  app->add_option("--out", options->out, "Where the distinct cases go")->type_name("DIR");
  app->add_flag("--stats", options->stats, "Print the distribution of the cases");
  add_output_options(*app, options->output, true);
  app->footer("Exit codes: 0 all held, 1 a violation, 2 wrong usage or input, 4 nothing judged.");
  return {app, [options] { return merge(*options); }};
}

}  // namespace elvcheck
