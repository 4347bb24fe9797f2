// SPDX-License-Identifier: GPL-2.0-or-later
// Times in case files: a whole number with its unit, "250ns", "3us", "2ms", "10s".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/core/units.hpp"

namespace elvcheck {

/// Reads a time of 0 ns to 2^62 ns (146 years); nothing when it is none.
std::optional<Nanoseconds> parse_time(std::string_view text);

/// With the largest unit in which the time is whole: "2ms", "1500us"; 0 is "0ns".
std::string format_time(Nanoseconds time);

}  // namespace elvcheck
