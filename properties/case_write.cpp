// SPDX-License-Identifier: GPL-2.0-or-later
// Writing of case files. What has its default is left out, so that a case says only what matters.
#include <fmt/format.h>

#include <algorithm>

#include "model/scheduler/registry.hpp"
#include "model/workload/workloads.hpp"
#include "properties/atomic_file.hpp"
#include "properties/case_file.hpp"
#include "properties/case_time.hpp"

namespace elvcheck {

namespace {

constexpr std::size_t widest_line = 100;

// A TOML basic string; TOML wants valid UTF-8, so bytes that are none are shown as '?'.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      switch (byte) {
        case '"':
          result += "\\\"";
          break;
        case '\\':
          result += "\\\\";
          break;
        case '\n':
          result += "\\n";
          break;
        case '\t':
          result += "\\t";
          break;
        default:
          if (byte < 0x20 || byte == 0x7F)
            result += fmt::format("\\u{:04X}", byte);
          else
            result += text[i];
      }
      ++i;
      continue;
    }
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    const auto tail = text.substr(i + 1, length - 1);
    const bool valid =
        byte >= 0xC2 && byte <= 0xF4 && tail.size() == length - 1 &&
        std::all_of(tail.begin(), tail.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
    if (!valid) {
      result += '?';
      ++i;
      continue;
    }
    result += text.substr(i, length);
    i += length;
  }
  return result + "\"";
}

std::string format_values(const std::vector<NamedValue>& values) {
  std::string text;
  for (const NamedValue& value : values) text += fmt::format("{} = {}\n", value.name, value.value);
  return text;
}

/// [tunables] and [features]; the scenario keeps both in one list.
std::string format_tunables(const Scenario& scenario) {
  const SchedulerInfo* const scheduler = find_scheduler(scenario.scheduler);
  std::vector<NamedValue> tunables;
  std::vector<NamedValue> features;
  for (const NamedValue& value : scenario.tunables) {
    const bool feature = scheduler != nullptr &&
                         std::any_of(scheduler->tunables.begin(), scheduler->tunables.end(),
                                     [&](const TunableInfo& info) { return info.feature && value.name == info.name; });
    (feature ? features : tunables).push_back(value);
  }
  std::string text;
  if (!tunables.empty()) text += "\n[tunables]\n" + format_values(tunables);
  if (!features.empty()) text += "\n[features]\n" + format_values(features);
  return text;
}

std::string group_name(const BlockSettings& block, std::uint32_t group) {
  const std::string& name = block.groups.at(group - 1).name;
  return name.empty() ? fmt::format("group-{}", group) : name;
}

std::string format_groups(const BlockSettings& block) {
  std::string text;
  for (std::uint32_t i = 1; i <= block.groups.size(); ++i) {
    const IoGroup& group = block.groups[i - 1];
    text += fmt::format("\n[[group]]\nname = {}\nweight = {}\n", quoted(group_name(block, i)), group.weight);
    if (group.parent != 0) text += fmt::format("parent = {}\n", quoted(group_name(block, group.parent)));
  }
  return text;
}

std::string format_block(const BlockSettings& block) {
  const BlockSettings usual;
  std::string text;
  if (block.hz != usual.hz) text += fmt::format("hz = {}\n", block.hz);
  if (block.nr_requests != usual.nr_requests) text += fmt::format("nr_requests = {}\n", block.nr_requests);
  if (block.nomerges != usual.nomerges) text += fmt::format("nomerges = {}\n", block.nomerges);
  if (block.max_sectors != usual.max_sectors) text += fmt::format("max_sectors = {}\n", block.max_sectors);
  if (block.max_segments != usual.max_segments) text += fmt::format("max_segments = {}\n", block.max_segments);
  if (block.plug_each_bio != usual.plug_each_bio) text += fmt::format("plug_each_bio = {}\n", block.plug_each_bio);
  if (block.blk_cgroup != usual.blk_cgroup) text += fmt::format("blk_cgroup = {}\n", block.blk_cgroup);
  if (block.refuse_every != usual.refuse_every) text += fmt::format("refuse_every = {}\n", block.refuse_every);
  return text;
}

std::string format_ops(const ProcessSpec& process, const std::vector<ProcessSpec>& processes) {
  std::string line = "ops = [";
  std::string lines = "ops = [\n";
  for (std::size_t i = 0; i < process.ops.size(); ++i) {
    const std::string op = quoted(format_op(process.ops[i], processes));
    line += (i == 0 ? "" : ", ") + op;
    lines += "  " + op + ",\n";
  }
  return (line.size() < widest_line ? line : lines) + "]\n";
}

std::string format_workload(const WorkloadSpec& workload) {
  std::string text = fmt::format("\n[workload]\nname = {}\n", quoted(workload.name));
  const WorkloadInfo* const info = find_workload(workload.name);
  for (const NamedValue& each : workload.parameters) {
    const WorkloadParameter* known = nullptr;
    if (info != nullptr) {
      const auto at = std::find_if(info->parameters.begin(), info->parameters.end(),
                                   [&](const WorkloadParameter& parameter) { return each.name == parameter.name; });
      if (at != info->parameters.end()) known = &*at;
    }
    if (known != nullptr && static_cast<std::uint64_t>(each.value) < known->choices.size())
      text += fmt::format("{} = {}\n", each.name, quoted(known->choices[static_cast<std::size_t>(each.value)]));
    else
      text += fmt::format("{} = {}\n", each.name, each.value);
  }
  return text;
}

}  // namespace

std::string format_case(const CaseFile& value) {
  const Scenario& scenario = value.scenario;
  std::string text = "elvcheck_case = 1\n";
  if (!value.note.empty()) text += fmt::format("note = {}\n", quoted(value.note));
  if (!value.property.empty()) text += fmt::format("property = {}\n", quoted(value.property));
  text += fmt::format("expect = \"{}\"\n", value.expect_violated ? "violated" : "held");
  if (!value.rule.empty()) text += fmt::format("rule = {}\n", quoted(value.rule));
  text += fmt::format("scheduler = {}\n", quoted(scenario.scheduler));
  if (!scenario.mutant.empty()) text += fmt::format("mutant = {}\n", quoted(scenario.mutant));
  if (scenario.limit != Scenario{}.limit) text += fmt::format("limit = \"{}\"\n", format_time(scenario.limit));
  text += format_tunables(scenario);
  text +=
      fmt::format("\n[device]\npreset = {}\n", quoted(scenario.device.preset)) + format_values(scenario.device.parameters);
  if (const std::string block = format_block(scenario.block); !block.empty()) text += "\n[block]\n" + block;
  text += format_groups(scenario.block);
  for (const ProcessSpec& process : scenario.processes) {
    text += fmt::format("\n[[process]]\nname = {}\n", quoted(process.name));
    if (process.group != 0) text += fmt::format("group = {}\n", quoted(group_name(scenario.block, process.group)));
    if (process.ioprio != IoPrio{}) text += fmt::format("ioprio = \"{}\"\n", to_string(process.ioprio));
    if (!process.ops.empty()) text += format_ops(process, scenario.processes);
  }
  if (!scenario.workload.name.empty()) text += format_workload(scenario.workload);
  return text;
}

void write_case(const CaseFile& value, const std::string& path) { write_file_atomically(path, format_case(value)); }

}  // namespace elvcheck
