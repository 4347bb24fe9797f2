// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck db list|show|drop|export`: the failure database by hand.
#include <fmt/format.h>

#include <filesystem>

#include "checker/campaign/failure_database.hpp"
#include "checker/cli/options.hpp"
#include "properties/minimize.hpp"

namespace elvcheck {
namespace {

struct DbOptions {
  OutputOptions output;
  std::string action;
  std::vector<std::string> arguments;
  std::string folder = FailureDatabase::usual_folder;
};

Result entry_result(const FailureDatabase::Entry& entry) {
  Result result;
  result.kind = "Saved";
  result.name = entry.id;
  result.scheduler = entry.value.scenario.scheduler;
  result.device = entry.value.scenario.device.preset;
  result.case_path = entry.path;
  result.replay = "elvcheck replay " + shell_word(entry.path);
  result.detail = fmt::format("{}{}{}", entry.value.property, entry.value.rule.empty() ? "" : ": ", entry.value.rule);
  result.extra = {{"property", entry.value.property}, {"ops", size_of(entry.value.scenario).ops}};
  return result;
}

std::vector<FailureDatabase::Entry> chosen(const FailureDatabase& database, const std::vector<std::string>& ids) {
  std::vector<FailureDatabase::Entry> entries;
  for (const std::string& id : ids) entries.push_back(database.find(id));
  return entries;
}

void list(Reporter& reporter, const FailureDatabase& database, Report& report) {
  const auto entries = database.entries();
  std::vector<std::vector<std::string>> rows = {{"case", "property", "rule", "scheduler", "steps", "planted bug"}};
  for (const FailureDatabase::Entry& entry : entries) {
    rows.push_back({entry.id, entry.value.property, entry.value.rule, entry.value.scenario.scheduler,
                    std::to_string(size_of(entry.value.scenario).ops), entry.value.scenario.mutant});
    report.results.push_back(entry_result(entry));
  }
  reporter.print(entries.empty() ? fmt::format("{} holds no case\n", database.folder()) : format_table(rows));
}

int execute(const DbOptions& options) {
  Reporter reporter(options.output);
  const FailureDatabase database(options.folder);
  Report report;
  report.command = "db";
  const auto need = [&](bool condition, const char* what) {
    if (!condition) throw InputError(fmt::format("db {}: {}; see elvcheck db --help", options.action, what));
  };
  if (options.action == "list") {
    need(options.arguments.empty(), "takes no argument");
    list(reporter, database, report);
  } else if (options.action == "show") {
    need(!options.arguments.empty(), "give the cases to show");
    for (const auto& entry : chosen(database, options.arguments)) {
      reporter.print(format_case(entry.value));
      report.results.push_back(entry_result(entry));
    }
  } else if (options.action == "drop") {
    need(!options.arguments.empty(), "give the cases to drop");
    for (const auto& entry : chosen(database, options.arguments)) {
      database.drop(entry);
      reporter.print(fmt::format("dropped {} ({})\n", entry.id, entry.value.property));
      report.results.push_back(entry_result(entry));
    }
  } else {
    need(!options.arguments.empty(), "give a folder, then perhaps the cases to export");
    const std::string& folder = options.arguments.front();
    const std::vector<std::string> ids(options.arguments.begin() + 1, options.arguments.end());
    const auto entries = ids.empty() ? database.entries() : chosen(database, ids);
    const OutputFolder out(folder);
    for (const auto& entry : entries) {
      const std::string path =
          (std::filesystem::path(folder) / fmt::format("{}-{}.toml", entry.value.property, entry.id)).string();
      write_case(entry.value, path);
      reporter.print(path + "\n");
      report.results.push_back(entry_result(entry));
    }
  }
  report.summary = {{"cases", report.results.size()}};
  return reporter.finish(report);
}

}  // namespace

Command make_db_command(CLI::App& program) {
  auto options = std::make_shared<DbOptions>();
  CLI::App* app = program.add_subcommand("db", "The failure database: minimised cases that are tried first");
  app->add_option("ACTION", options->action,
                  "list; show CASE...; drop CASE...; export FOLDER [CASE...]. A case is named by its first digits")
      ->required()
      ->type_name("")
      ->check(one_of({"list", "show", "drop", "export"}));
  app->add_option("ARGUMENT", options->arguments, "")->type_name("");
  app->add_option("--database", options->folder, "The folder")->type_name("DIR")->capture_default_str();
  add_output_options(*app, options->output, false);
  return {app, [options] { return execute(*options); }};
}

}  // namespace elvcheck
