// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/workload/workloads.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/workload/dump.hpp"
#include "model/workload/file_readers.hpp"
#include "model/workload/tree_readers.hpp"

namespace elvcheck {

std::int64_t WorkloadValues::operator[](std::string_view name) const {
  for (const NamedValue& each : values_)
    if (each.name == name) return each.value;
  throw std::logic_error("a workload asks for its parameter '" + std::string(name) + "', which it does not have");
}

std::span<const WorkloadInfo> workloads() {
  static const std::vector<WorkloadInfo> table = {
      dump_workload(),      file_readers_workload(), find_tree_workload(),
      grep_tree_workload(), copy_file_workload(),    find_grep_copy_workload(),
  };
  return table;
}

const WorkloadInfo* find_workload(std::string_view name) {
  const auto all = workloads();
  const auto found = std::find_if(all.begin(), all.end(), [&](const WorkloadInfo& each) { return name == each.name; });
  return found == all.end() ? nullptr : &*found;
}

std::unique_ptr<Workload> make_workload(const WorkloadSpec& spec, const BlockSettings& block) {
  if (spec.name.empty()) return nullptr;
  const WorkloadInfo* const info = find_workload(spec.name);
  if (info == nullptr) {
    std::string known;
    for (const WorkloadInfo& each : workloads()) known += std::string(known.empty() ? "" : ", ") + each.name;
    throw std::invalid_argument("unknown workload '" + spec.name + "'; known are " + known);
  }
  std::vector<NamedValue> values;
  for (const WorkloadParameter& each : info->parameters) values.push_back({each.name, each.usual});
  for (const NamedValue& given : spec.parameters) {
    const auto at =
        std::find_if(values.begin(), values.end(), [&](const NamedValue& each) { return each.name == given.name; });
    if (at == values.end())
      throw std::invalid_argument("unknown parameter '" + given.name + "' of the workload " + info->name +
                                  "; `elvcheck list workloads` shows them");
    const WorkloadParameter& known = info->parameters[static_cast<std::size_t>(at - values.begin())];
    if (given.value < known.min || given.value > known.max)
      throw std::invalid_argument(given.name + " of the workload " + info->name + " is " + std::to_string(given.value) +
                                  "; it must be from " + std::to_string(known.min) + " to " + std::to_string(known.max) +
                                  (*known.unit == '\0' ? "" : " ") + known.unit);
    at->value = given.value;
  }
  return info->make(WorkloadValues(std::move(values)), block);
}

}  // namespace elvcheck
