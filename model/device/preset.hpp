// SPDX-License-Identifier: GPL-2.0-or-later
// The table of devices: presets by name, their parameters with units and ranges, and how to build one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/core/scenario.hpp"
#include "model/device/device.hpp"

namespace elvcheck {

/// A parameter that a case file or `--device NAME:parameter=value` may replace. Integer; the unit is in the name or here.
struct DeviceParameter {
  const char* name;     ///< "service_ns"
  const char* unit;     ///< "ns", "sectors", "", ...
  std::int64_t preset_value;
  std::int64_t min;
  std::int64_t max;
  const char* meaning;  ///< one sentence
};

struct DevicePreset {
  const char* name;     ///< "sata-7200-2007"
  const char* model;    ///< "flat", "seek", "rotational", "ssd", "array"
  const char* summary;  ///< one line, with the source of the figures
  std::vector<DeviceParameter> parameters;
};

/// Every preset, in the order in which `elvcheck list` shows them.
std::span<const DevicePreset> device_presets();

/// The preset of that name, or null.
const DevicePreset* find_device_preset(std::string_view name);

/// Builds the device. Throws std::invalid_argument naming the preset or parameter, its range, and the nearest known name.
std::unique_ptr<Device> make_device(const DeviceSpec& spec);

}  // namespace elvcheck
