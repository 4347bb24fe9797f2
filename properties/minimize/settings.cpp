// SPDX-License-Identifier: GPL-2.0-or-later
// Usual settings and an ideal device.
#include <algorithm>

#include "model/device/preset.hpp"
#include "properties/minimize/passes.hpp"

namespace elvcheck::minimize {

namespace {

/// Removes each value of a list, or writes it with one digit.
void plain_values(MinimizeSearch& search, std::vector<NamedValue>& (*list)(Scenario&)) {
  Scenario scenario = search.best();
  if (list(scenario).size() > 1) {
    list(scenario).clear();
    search.attempt(std::move(scenario));
  }
  for (std::size_t i = 0; scenario = search.best(), i < list(scenario).size();) {
    Scenario candidate = search.best();
    auto& values = list(candidate);
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
    if (search.attempt(std::move(candidate))) continue;
    const std::int64_t value = list(scenario)[i].value;
    if (value > 0 && one_digit(value) != value) {
      list(scenario)[i].value = one_digit(value);
      search.attempt(std::move(scenario));
    }
    ++i;
  }
}

template <class Field>
void usual(MinimizeSearch& search, Field BlockSettings::*field) {
  Scenario candidate = search.best();
  candidate.block.*field = BlockSettings{}.*field;
  search.attempt(std::move(candidate));
}

}  // namespace

void default_settings(MinimizeSearch& search) {
  plain_values(search, [](Scenario& scenario) -> std::vector<NamedValue>& { return scenario.tunables; });
  usual(search, &BlockSettings::hz);
  usual(search, &BlockSettings::nr_requests);
  usual(search, &BlockSettings::nomerges);
  usual(search, &BlockSettings::max_sectors);
  usual(search, &BlockSettings::max_segments);
  usual(search, &BlockSettings::plug_each_bio);
  usual(search, &BlockSettings::blk_cgroup);
  usual(search, &BlockSettings::refuse_every);
  Scenario ungrouped = search.best();
  ungrouped.block.groups.clear();
  for (ProcessSpec& process : ungrouped.processes) process.group = 0;
  search.attempt(std::move(ungrouped));
  Scenario candidate = search.best();
  candidate.limit = Scenario{}.limit;
  search.attempt(std::move(candidate));
}

void flat_device(MinimizeSearch& search) {
  const std::string preset = search.best().device.preset;
  const DeviceInfo info = make_device(search.best().device)->info();
  std::vector<DeviceSpec> simpler;
  if (preset != "flat") {
    const auto depth = static_cast<std::int64_t>(info.queue_depth);
    const auto capacity = static_cast<std::int64_t>(info.capacity);
    simpler = {{"flat", {}},
               {"flat", {{"queue_depth", depth}}},
               {"flat", {{"capacity_sectors", capacity}}},
               {"flat", {{"queue_depth", depth}, {"capacity_sectors", capacity}}},
               {"flat", {{"rotational", info.rotational ? 1 : 0}, {"queue_depth", depth}, {"capacity_sectors", capacity}}}};
    if (info.volatile_cache) simpler.push_back({"flat", {{"volatile_cache", 1}, {"capacity_sectors", capacity}}});
    if (info.volatile_cache && info.fua) {
      simpler.push_back({"flat", {{"volatile_cache", 1}, {"fua", 1}, {"capacity_sectors", capacity}}});
    }
    if (preset != "flat-ssd") simpler.push_back({"flat-ssd", {{"capacity_sectors", capacity}}});
  }
  for (const DeviceSpec& device : simpler) {
    Scenario candidate = search.best();
    candidate.device = device;
    if (search.attempt(std::move(candidate))) break;
  }
  plain_values(search, [](Scenario& scenario) -> std::vector<NamedValue>& { return scenario.device.parameters; });
}

}  // namespace elvcheck::minimize
