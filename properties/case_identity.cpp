// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/case_identity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/scheduler/registry.hpp"

namespace elvcheck {

CaseFile normalized(const CaseFile& value) {
  CaseFile result = value;
  result.note.clear();
  if (const SchedulerInfo* info = find_scheduler(value.scenario.scheduler)) {
    result.scenario.scheduler = info->name;
    std::erase_if(result.scenario.tunables, [&](const NamedValue& set) {
      return std::any_of(info->tunables.begin(), info->tunables.end(), [&](const TunableInfo& tunable) {
        return set.name == tunable.name && set.value == tunable.preset_value;
      });
    });
  }
  for (std::size_t i = 0; i < result.scenario.processes.size(); ++i) {
    result.scenario.processes[i].name = i < 26 ? std::string(1, static_cast<char>('a' + i)) : fmt::format("p{}", i + 1);
  }
  return result;
}

std::string case_id(const CaseFile& value) {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const char c : format_case(normalized(value))) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return fmt::format("{:016x}", hash);
}

}  // namespace elvcheck
