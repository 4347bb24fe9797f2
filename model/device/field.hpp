// SPDX-License-Identifier: GPL-2.0-or-later
// One parameter of a device's configuration, tied to the member that holds it. A configuration is a plain struct of 64-bit
// integers; its table of fields gives each one the name under which a case file or `--device` may replace it.
#pragma once

#include <cstdint>
#include <limits>

namespace elvcheck {

template <typename Config>
struct Field {
  const char* name;
  const char* unit;
  std::int64_t Config::*member;
  std::int64_t min;
  std::int64_t max;
  const char* meaning;
};

/// Ranges that many fields share.
inline constexpr std::int64_t one_minute_ns = 60'000'000'000;
inline constexpr std::int64_t largest_depth = 65'536;
inline constexpr std::int64_t largest_capacity = std::int64_t{1} << 36;  // 32 TiB in sectors

/// The time that `bytes` take at `mb_s` million bytes a second, in nanoseconds, rounded up.
constexpr std::int64_t transfer_ns(std::int64_t bytes, std::int64_t mb_s) { return (bytes * 1000 + mb_s - 1) / mb_s; }

}  // namespace elvcheck
