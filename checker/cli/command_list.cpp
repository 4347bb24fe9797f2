// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck list WHAT`: the tables of everything that the other commands know by name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "checker/cli/options.hpp"
#include "checker/theorem/theorem.hpp"
#include "model/core/mutant.hpp"
#include "model/device/preset.hpp"
#include "model/scheduler/registry.hpp"
#include "model/workload/workloads.hpp"
#include "properties/property.hpp"

namespace elvcheck {
namespace {

using Json = nlohmann::ordered_json;

struct ListOptions {
  OutputOptions output;
  std::string what;
};

/// A section: a line for each entry for a person, an object for a program.
struct Section {
  std::string text;
  std::vector<Result> entries;

  void add(std::string kind, std::string name, Json keys) {
    Result entry;
    entry.kind = std::move(kind);
    entry.name = std::move(name);
    entry.extra = std::move(keys);
    entries.push_back(std::move(entry));
  }
};

Json tunables_json(const SchedulerInfo& scheduler) {
  Json out = Json::array();
  for (const TunableInfo& tunable : scheduler.tunables) {
    out.push_back({{"name", tunable.name},
                   {"unit", tunable.unit},
                   {"default", tunable.preset_value},
                   {"min", tunable.min},
                   {"max", tunable.max},
                   {"feature", tunable.feature},
                   {"meaning", tunable.meaning}});
  }
  return out;
}

Section list_schedulers() {
  Section section;
  std::vector<std::vector<std::string>> rows = {{"scheduler", "in sysfs", "block layer", "mirrors"}};
  for (const SchedulerInfo& scheduler : schedulers()) {
    rows.push_back({scheduler.name, scheduler.sysfs_name, std::string(to_string(scheduler.flavour)), scheduler.summary});
    Json rules = Json::array();
    for (const DecisionRule* rule : scheduler.rules) rules.push_back({{"name", rule->name}, {"statement", rule->statement}});
    section.add("scheduler", scheduler.name,
                {{"sysfs_name", scheduler.sysfs_name},
                 {"block_layer", to_string(scheduler.flavour)},
                 {"summary", scheduler.summary},
                 {"tunables", tunables_json(scheduler)},
                 {"rules", std::move(rules)}});
  }
  section.text = format_table(rows);
  return section;
}

/// A limit of the C type that the kernel keeps the value in, in words that fit a table.
std::string bound(std::int64_t value) {
  return value == INT32_MAX ? "INT_MAX" : value == INT32_MIN ? "INT_MIN" : std::to_string(value);
}

Section list_tunables() {
  Section section;
  std::vector<std::vector<std::string>> rows = {{"scheduler", "tunable or feature", "default", "unit", "range", "meaning"}};
  for (const SchedulerInfo& scheduler : schedulers()) {
    for (const TunableInfo& tunable : scheduler.tunables) {
      rows.push_back({scheduler.name, tunable.name, std::to_string(tunable.preset_value),
                      tunable.feature ? "feature" : tunable.unit,
                      fmt::format("{}..{}", bound(tunable.min), bound(tunable.max)), tunable.meaning});
    }
    section.add("scheduler", scheduler.name, {{"tunables", tunables_json(scheduler)}});
  }
  section.text = format_table(rows);
  return section;
}

Section list_devices() {
  Section section;
  for (const DevicePreset& preset : device_presets()) {
    section.text += fmt::format("{} ({})\n  {}\n", preset.name, preset.model, preset.summary);
    std::vector<std::vector<std::string>> rows;
    Json parameters = Json::array();
    for (const DeviceParameter& parameter : preset.parameters) {
      rows.push_back({parameter.name, std::to_string(parameter.preset_value), parameter.unit,
                      fmt::format("{}..{}", parameter.min, parameter.max), parameter.meaning});
      parameters.push_back({{"name", parameter.name},
                            {"unit", parameter.unit},
                            {"default", parameter.preset_value},
                            {"min", parameter.min},
                            {"max", parameter.max},
                            {"meaning", parameter.meaning}});
    }
    section.text += format_table(rows, "    ");
    section.add("device", preset.name,
                {{"model", preset.model}, {"summary", preset.summary}, {"parameters", std::move(parameters)}});
  }
  return section;
}

Section list_properties() {
  Section section;
  for (const Property& property : properties()) {
    section.text += fmt::format("{}{}\n  {}\n  source: {}\n  bound:  {}\n", property.name,
                                property.refuted ? "  (refuted: kept with a case that shows it)" : "", property.statement,
                                property.source, property.bound);
    section.add("property", property.name,
                {{"statement", property.statement},
                 {"source", property.source},
                 {"bound", property.bound},
                 {"refuted", property.refuted},
                 {"judges", property.monitor != nullptr ? "one run" : "several runs"}});
  }
  return section;
}

Section list_theorems() {
  Section section;
  for (const Theorem& theorem : theorems()) {
    section.text +=
        fmt::format("{} ({}, by {})\n  {}\n  scope: {}; for all {}\n", theorem.name, to_string(theorem.expectation),
                    to_string(theorem.method), theorem.statement, theorem.flows, theorem.symbolic);
    section.add("theorem", theorem.name,
                {{"statement", theorem.statement},
                 {"core", theorem.core},
                 {"flows", theorem.flows},
                 {"symbolic", theorem.symbolic},
                 {"abstraction", theorem.abstraction},
                 {"method", to_string(theorem.method)},
                 {"expectation", to_string(theorem.expectation)}});
  }
  return section;
}

Section list_mutants() {
  Section section;
  std::vector<std::vector<std::string>> rows = {{"planted bug", "what the slip is"}};
  for (const MutantInfo& mutant : mutants()) {
    rows.push_back({mutant.name, mutant.statement});
    section.add("mutant", mutant.name, {{"statement", mutant.statement}});
  }
  section.text = format_table(rows);
  return section;
}

Section list_workloads() {
  Section section;
  const auto add = [&](const char* name, const char* how, const char* what) {
    section.text += fmt::format("{:<10}  {:<42}  {}\n", name, how, what);
    section.add("workload", name, {{"how", how}, {"summary", what}});
  };
  add("random", "elvcheck run --seed N --cases N", "1 to 6 processes with random habits, everywhere on the device");
  add("fio", "elvcheck run --job FILE.fio", "a fio job file");
  add("recording", "elvcheck trace FILE", "the submissions of a blktrace, blkparse, ftrace or fio iolog recording");
  add("case", "elvcheck replay FILE.toml", "a case file: any processes that you write down");
  for (const WorkloadInfo& workload : workloads()) {
    section.text += fmt::format("\n{}: {}; in a case file: [workload] name = \"{}\"\n", workload.name, workload.statement,
                                workload.name);
    std::vector<std::vector<std::string>> rows;
    Json parameters = Json::array();
    for (const WorkloadParameter& parameter : workload.parameters) {
      const bool named = !parameter.choices.empty();
      const std::string usual =
          named ? parameter.choices[static_cast<std::size_t>(parameter.usual)] : std::to_string(parameter.usual);
      const std::string range = named ? fmt::format("{}", fmt::join(parameter.choices, ", "))
                                      : fmt::format("{}..{}", parameter.min, parameter.max);
      rows.push_back({parameter.name, usual, parameter.unit, range, parameter.help});
      parameters.push_back({{"name", parameter.name},
                            {"unit", parameter.unit},
                            {"default", parameter.usual},
                            {"min", parameter.min},
                            {"max", parameter.max},
                            {"choices", parameter.choices},
                            {"meaning", parameter.help}});
    }
    section.text += format_table(rows, "    ");
    section.add("workload", workload.name, {{"summary", workload.statement}, {"parameters", std::move(parameters)}});
  }
  return section;
}

struct Entry {
  const char* name;
  Section (*make)();
};
constexpr Entry sections[] = {{"schedulers", list_schedulers}, {"devices", list_devices},   {"properties", list_properties},
                              {"theorems", list_theorems},     {"tunables", list_tunables}, {"workloads", list_workloads},
                              {"mutants", list_mutants}};

int list(const ListOptions& options) {
  Reporter reporter(options.output);
  Report report;
  report.command = "list";
  for (const auto& [name, make] : sections) {
    if (!options.what.empty() && options.what != name) continue;
    if (options.what.empty() && std::string_view(name) == "tunables") continue;  // the schedulers' own
    Section section = make();
    if (options.what.empty()) reporter.print(reporter.console().bold(name) + "\n\n");
    reporter.print(section.text);
    if (options.what.empty()) reporter.print("\n");
    report.summary[name] = section.entries.size();
    std::move(section.entries.begin(), section.entries.end(), std::back_inserter(report.results));
  }
  return reporter.finish(report);
}

}  // namespace

Command make_list_command(CLI::App& program) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* app =
      program.add_subcommand("list", "Schedulers, devices, properties, theorems, tunables, workloads, planted bugs");
  std::vector<std::string> names;
  for (const auto& section : sections) names.emplace_back(section.name);
  app->add_option("WHAT", options->what, fmt::format("One of {}; without it, all", fmt::join(names, ", ")))
      ->type_name("")
      ->check(one_of(names));
  add_output_options(*app, options->output, false);
  return {app, [options] { return list(*options); }};
}

}  // namespace elvcheck
