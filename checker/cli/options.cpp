// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <charconv>

#include "model/device/preset.hpp"
#include "model/scheduler/registry.hpp"
#include "properties/case_file.hpp"
#include "properties/nearest_name.hpp"

namespace elvcheck {
namespace {

template <class Table>
std::vector<std::string_view> names_of(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

}  // namespace

ColorMode OutputOptions::color_mode() const {
  return color == "always" ? ColorMode::always : color == "never" ? ColorMode::never : ColorMode::automatic;
}

void add_output_options(CLI::App& command, OutputOptions& options, bool verdicts) {
  command.add_option("--json", options.json, "Write the results as JSON to FILE; '-' is standard output")->type_name("FILE");
  if (verdicts) {
    command.add_flag("--ktap", options.ktap, "Print the results as KTAP version 1 instead of text");
    command.add_option("--junit", options.junit, "Write the results as JUnit XML to FILE; '-' is standard output")
        ->type_name("FILE");
  }
  command.add_flag("-q,--quiet", options.quiet, "Print only what does not hold, and the summary; no progress");
  command.add_option("--color", options.color, "Colour: auto, always or never (NO_COLOR is respected by auto)")
      ->type_name("WHEN")
      ->check(one_of({"auto", "always", "never"}));
}

Reporter::Reporter(const OutputOptions& options)
    : options_(options),
      console_(options.color_mode()),
      for_person_(options.json != "-" && options.junit != "-" && !options.ktap),
      quiet_(options.quiet) {
  if ((options.json == "-") + (options.junit == "-") + options.ktap > 1) {
    throw InputError("only one of '--json -', '--junit -' and --ktap can have standard output; give the others a file");
  }
  if (!options.json.empty() && options.json != "-") json_.emplace(options.json);
  if (!options.junit.empty() && options.junit != "-") junit_.emplace(options.junit);
}

void Reporter::print_result(const Result& result) {
  if (!for_person_ || (quiet_ && (result.outcome == Outcome::held || result.outcome == Outcome::skipped))) return;
  const std::string line = summary_line(result);
  const std::string title = verdict_word(result);
  const std::size_t at = result.kind.size() + result.name.size() + 2;
  std::string text = line.substr(0, at) + console_.paint(result.outcome, title) + line.substr(at + title.size()) + result.remark + "\n";
  if (result.outcome == Outcome::inconclusive && !result.detail.empty()) text += "  " + result.detail + "\n";
  if (result.outcome == Outcome::violated) text += result.report.empty() ? "  " + result.detail + "\n" : result.report;
  console_.print(text);
}

int Reporter::finish(const Report& report) {
  if (json_) json_->commit(to_json(report));
  if (junit_) junit_->commit(to_junit(report));
  if (options_.json == "-") console_.print(to_json(report));
  if (options_.junit == "-") console_.print(to_junit(report));
  if (options_.ktap) console_.print(to_ktap(report));
  return report.exit_code();
}

CLI::Validator one_of(std::vector<std::string> words) {
  return CLI::Validator(
      [words](std::string& text) {
        if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
        return fmt::format("'{}' is not one of {}", text, fmt::join(words, ", "));
      },
      "", "");
}

CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& text) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size()) return std::string();
        return fmt::format("'{}' is not a whole number from 0 to 18446744073709551615", text);
      },
      "", "");
}

const SchedulerInfo& scheduler_by_name(std::string_view name) {
  if (const SchedulerInfo* info = find_scheduler(name)) return *info;
  auto names = names_of(schedulers());
  const std::string known = suggest_name({}, names);  // the versioned names
  for (const SchedulerInfo& info : schedulers()) names.emplace_back(info.sysfs_name);
  const std::string_view near = nearest_name(name, names);
  throw InputError(
      fmt::format("no scheduler '{}'{}", name, near.empty() ? known : fmt::format("; did you mean '{}'?", near)));
}

DeviceSpec parse_device_spec(std::string_view text) {
  DeviceSpec spec;
  const std::size_t colon = text.find(':');
  spec.preset = text.substr(0, colon);
  const DevicePreset* preset = find_device_preset(spec.preset);
  if (preset == nullptr) {
    throw InputError(fmt::format("no device '{}'{}", spec.preset, suggest_name(spec.preset, names_of(device_presets()))));
  }
  if (colon == std::string_view::npos) return spec;
  const auto names = names_of(preset->parameters);
  std::string_view rest = text.substr(colon + 1);
  while (true) {
    const std::string_view item = rest.substr(0, rest.find(','));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      throw InputError(fmt::format("device '{}': '{}' must be PARAMETER=VALUE", text, item));
    }
    NamedValue value{std::string(item.substr(0, equals)), 0};
    const std::string_view number = item.substr(equals + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value.value);
    if (error != std::errc() || end != number.data() + number.size()) {
      throw InputError(fmt::format("device '{}': '{}' is not an integer of 64 bits", text, number));
    }
    if (std::find(names.begin(), names.end(), value.name) == names.end()) {
      throw InputError(
          fmt::format("device '{}' has no parameter '{}'{}", spec.preset, value.name, suggest_name(value.name, names)));
    }
    spec.parameters.push_back(std::move(value));
    if (item.size() == rest.size()) break;
    rest.remove_prefix(item.size() + 1);
  }
  make_device(spec);  // checks the ranges
  return spec;
}

std::string format_device(const DeviceSpec& spec) {
  std::string text = spec.preset;
  for (const NamedValue& value : spec.parameters) {
    text += fmt::format("{}{}={}", &value == &spec.parameters.front() ? ":" : ",", value.name, value.value);
  }
  return text;
}

unsigned resolve_jobs(unsigned jobs) {
  if (jobs > 0) return jobs;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return static_cast<unsigned>(std::max(CPU_COUNT(&allowed), 1));
}

}  // namespace elvcheck
