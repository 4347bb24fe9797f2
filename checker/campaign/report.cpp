// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/campaign/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "checker/cli/console.hpp"
#include "checker/report/failure.hpp"
#include "properties/case_file.hpp"

namespace elvcheck {

namespace {

std::string share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

/// Cases that reached the corner, over all schedulers.
std::uint64_t reached(const CampaignTotals& totals, std::size_t corner) {
  std::uint64_t count = 0;
  for (const auto& [name, each] : totals.schedulers) count += each.counts.reached[each.rule_hits.size() + corner];
  return count;
}

std::uint64_t with(const CampaignTotals& totals, std::size_t recipe) {
  std::uint64_t count = 0;
  for (const auto& [name, each] : totals.schedulers) count += each.counts.with.at(recipe);
  return count;
}

/// The report of a violated property: its failure with the fewest steps.
void show_smallest(Result& result, const Property& property, const std::vector<CampaignFailure>& failures,
                   const std::vector<std::string>& paths) {
  std::size_t cases = 0;
  std::size_t smallest = failures.size();
  for (std::size_t i = 0; i < failures.size(); ++i) {
    if (failures[i].property != property.name) continue;
    ++cases;
    if (smallest == failures.size() || failures[i].ops_after < failures[smallest].ops_after) smallest = i;
  }
  if (cases == 0) return;
  const CampaignFailure& failure = failures[smallest];
  const CaseFile value = parse_case(failure.text, failure.id);
  result.scheduler = value.scenario.scheduler;
  result.device = value.scenario.device.preset;
  result.detail = failure.message;
  if (smallest < paths.size()) {
    result.case_path = paths[smallest];
    result.replay = "elvcheck replay " + shell_word(result.case_path);
  }
  if (const auto verdict = judge_property(value.scenario, property); verdict && verdict->violation) {
    result.detail = verdict->violation->message;
    result.report = failure_report(property, *verdict->violation, value.scenario, result.replay, failure.text);
  }
  result.report +=
      fmt::format("  minimised {} -> {} steps in {} runs{}; {} distinct case{}\n", failure.ops_before, failure.ops_after,
                  failure.runs, failure.one_minimal ? "" : ", the budget ended first", cases, cases == 1 ? "" : "s");
  result.extra = {{"distinct_cases", cases},
                  {"ops_before", failure.ops_before},
                  {"ops_after", failure.ops_after},
                  {"runs", failure.runs},
                  {"one_minimal", failure.one_minimal}};
}

}  // namespace

std::vector<CampaignFailure> distinct(const std::vector<CampaignFailure>& failures) {
  std::map<std::pair<std::string, std::string>, CampaignFailure> found;
  for (const CampaignFailure& failure : failures) found.emplace(std::pair(failure.property, failure.id), failure);
  std::vector<CampaignFailure> result;
  for (auto& [key, failure] : found) result.push_back(std::move(failure));
  return result;
}

std::vector<std::string> write_failures(const std::vector<CampaignFailure>& failures, const std::string& folder) {
  std::vector<std::string> paths;
  for (const CampaignFailure& failure : failures) {
    paths.push_back((std::filesystem::path(folder) / (failure.property + "-" + failure.id + ".toml")).string());
    CaseFile value = parse_case(failure.text, failure.id);
    value.note = fmt::format("found by elvcheck {} fuzz", version());
    write_case(value, paths.back());
  }
  return paths;
}

std::vector<Result> campaign_results(const CampaignTotals& totals, std::string_view glob,
                                     const std::vector<CampaignFailure>& failures, const std::vector<std::string>& paths) {
  std::vector<Result> results;
  for (const Property& property : properties()) {
    if (property.refuted || !glob_match(glob, property.name)) continue;
    const auto found = totals.properties.find(property.name);
    const CampaignTotals::OfProperty tally = found == totals.properties.end() ? CampaignTotals::OfProperty{} : found->second;
    Result result;
    result.name = property.name;
    result.judged = tally.judged;
    result.violations = tally.violations;
    result.workload = "random";
    if (tally.judged == 0) {
      result.outcome = Outcome::skipped;
      result.detail = "no run gave it anything to judge";
    }
    if (tally.violations > 0) {
      result.outcome = Outcome::violated;
      show_smallest(result, property, failures, paths);
    }
    results.push_back(std::move(result));
  }
  return results;
}

std::string coverage_table(const CampaignTotals& totals) {
  std::vector<std::vector<std::string>> rules = {{"scheduler", "decision rule", "fired", "in cases"}};
  std::string never;
  for (const SchedulerInfo& info : schedulers()) {
    const auto found = totals.schedulers.find(info.name);
    if (found == totals.schedulers.end()) continue;
    const auto table = rules_of(info);
    for (std::size_t i = 0; i < table.size(); ++i) {
      const auto& each = found->second;
      rules.push_back(
          {info.name, table[i]->name, std::to_string(each.rule_hits[i]), share(each.counts.reached[i], each.counts.cases)});
      if (each.rule_hits[i] == 0) never += fmt::format("{}{} of {}", never.empty() ? "" : ", ", table[i]->name, info.name);
    }
  }
  std::vector<std::vector<std::string>> rows = {{"corner", "cases", "share", "the run in which"}};
  for (std::size_t i = 0; i < corner_count; ++i) {
    const std::uint64_t count = reached(totals, i);
    rows.push_back({corners[i].name, std::to_string(count), share(count, totals.cases), corners[i].statement});
    if (count == 0) never += fmt::format("{}corner {}", never.empty() ? "" : ", ", corners[i].name);
  }
  return format_table(rules) + "\n" + format_table(rows) + "\nnever reached: " + (never.empty() ? "nothing" : never) + "\n";
}

std::string distribution_table(const CampaignTotals& totals) {
  std::vector<std::vector<std::string>> rows = {{"", "", "cases", "share"}};
  const auto add = [&](const char* what, const std::string& name, std::uint64_t count) {
    rows.push_back({what, name, std::to_string(count), share(count, totals.cases)});
  };
  for (const auto& [name, each] : totals.schedulers) add("scheduler", name, each.counts.cases);
  for (const auto& [name, count] : totals.devices) add("device", name, count);
  for (const auto& [processes, count] : totals.by_processes) add("processes", std::to_string(processes), count);
  for (const auto& [requests, count] : totals.by_requests) add("requests", fmt::format("up to {}", requests), count);
  for (std::size_t i = 0; i < recipe_count; ++i) add("recipe", recipes[i].name, with(totals, i));
  return format_table(rows);
}

nlohmann::ordered_json coverage_json(const CampaignTotals& totals) {
  using Json = nlohmann::ordered_json;
  Json rules = Json::object();
  for (const SchedulerInfo& info : schedulers()) {
    const auto found = totals.schedulers.find(info.name);
    if (found == totals.schedulers.end()) continue;
    const auto table = rules_of(info);
    Json& object = rules[info.name] = Json::object();
    for (std::size_t i = 0; i < table.size(); ++i) object[table[i]->name] = found->second.rule_hits[i];
  }
  Json of_corners = Json::object();
  for (std::size_t i = 0; i < corner_count; ++i) of_corners[corners[i].name] = reached(totals, i);
  Json of_recipes = Json::object();
  for (std::size_t i = 0; i < recipe_count; ++i) of_recipes[recipes[i].name] = with(totals, i);
  return {{"rules", std::move(rules)}, {"corners", std::move(of_corners)}, {"recipes", std::move(of_recipes)}};
}

}  // namespace elvcheck
