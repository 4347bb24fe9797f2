// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck validate-device`: the device models against measured drives and other simulators.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "checker/cli/options.hpp"
#include "properties/case_file.hpp"
#include "reference/device/validate.hpp"

namespace elvcheck {
namespace {

struct ValidateOptions {
  OutputOptions output;
  std::string data;
  std::string device;
};

std::string figure(double value) {
  if (value == std::round(value) && std::fabs(value) < 1e9) return fmt::format("{:.0f}", value);
  return std::fabs(value) < 100 ? fmt::format("{:.3f}", value) : fmt::format("{:.1f}", value);
}

Result result_of(const Measure& measure) {
  Result result;
  result.kind = "Measure";
  result.name = measure.name;
  result.device = measure.device;
  result.outcome = measure.held() ? Outcome::held : Outcome::violated;
  result.violations = measure.held() ? 0 : 1;
  result.judged = measure.bound == Measure::Bound::none ? 0 : 1;
  result.extra["ours"] = measure.ours;
  if (measure.bound != Measure::Bound::none) {
    result.extra[measure.bound == Measure::Bound::at_most ? "at_most" : "at_least"] = measure.target;
  }
  if (measure.theirs) result.extra["theirs"] = *measure.theirs;
  if (!measure.unit.empty()) result.extra["unit"] = measure.unit;
  return result;
}

std::vector<std::string> row_of(const Measure& measure, const Console& console) {
  std::string target;
  std::string verdict;
  if (measure.bound != Measure::Bound::none) {
    target = fmt::format("{} {}", measure.bound == Measure::Bound::at_most ? "<=" : ">=", figure(measure.target));
    const Outcome outcome = measure.held() ? Outcome::held : Outcome::violated;
    verdict = console.paint(outcome, measure.held() ? "Held" : "Missed");
  }
  return {measure.device, measure.name, figure(measure.ours), target, measure.theirs ? figure(*measure.theirs) : "",
          measure.unit,   verdict};
}

int execute(const ValidateOptions& options) {
  Reporter reporter(options.output);
  std::error_code error;
  if (!std::filesystem::is_directory(options.data, error)) {
    throw InputError(
        fmt::format("--data: '{}' is no folder; README.md says where the measured data come from", options.data));
  }
  std::vector<Measure> measures;
  const auto take = [&](const Measures& more) { measures.insert(measures.end(), more.all().begin(), more.all().end()); };
  for (const MeasuredDrive& drive : measured_drives()) {
    if (!options.device.empty() && options.device != drive.preset) continue;
    Measures of_drive(drive.preset);
    validate_placement(options.data, drive, of_drive);
    validate_streams(options.data, drive, of_drive);
    validate_hardware(options.data, drive, of_drive);
    take(of_drive);
  }
  if (options.device.empty() || options.device == mqsim_preset) {
    Measures of_ssd(mqsim_preset);
    validate_mqsim(options.data, of_ssd);
    take(of_ssd);
  }
  Report report;
  report.command = "validate-device";
  std::vector<std::vector<std::string>> rows = {{"device", "measure", "ours", "target", "theirs", "unit", ""}};
  std::uint64_t missed = 0;
  for (const Measure& measure : measures) {
    report.results.push_back(result_of(measure));
    missed += measure.held() ? 0 : 1;
    if (!reporter.quiet() || !measure.held()) rows.push_back(row_of(measure, reporter.console()));
  }
  if (rows.size() > 1) reporter.print(format_table(rows));
  reporter.print(fmt::format("{} figures, {} missed\n", measures.size(), missed));
  report.summary = {{"measures", measures.size()}, {"missed", missed}};
  return reporter.finish(report);
}

}  // namespace

Command make_validate_device_command(CLI::App& program) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* app = program.add_subcommand("validate-device", "Device models against measured drives, DiskSim and MQSim");
  app->add_option("--data", options->data, "Folder of the measured data (README.md says where they come from)")
      ->type_name("DIR")
      ->required();
  std::vector<std::string> names;
  for (const MeasuredDrive& drive : measured_drives()) names.emplace_back(drive.preset);
  names.emplace_back(mqsim_preset);
  app->add_option("--device", options->device, "Only this one")->type_name("NAME")->check(one_of(names));
  add_output_options(*app, options->output, true);
  return {app, [options] { return execute(*options); }};
}

}  // namespace elvcheck
