// SPDX-License-Identifier: GPL-2.0-or-later
// I/O priorities: class and level, as set by ioprio_set(2) and shown by ionice(1).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace elvcheck {

/// IOPRIO_CLASS_* (include/uapi/linux/ioprio.h); the numbers are the kernel's.
enum class IoClass : std::uint8_t { none = 0, rt = 1, be = 2, idle = 3 };

/// An I/O priority. Level 0 is the best, 7 the worst; `none` is what a process has that never called ioprio_set(2).
struct IoPrio {
  IoClass io_class = IoClass::none;
  std::uint8_t level = 0;

  friend bool operator==(const IoPrio&, const IoPrio&) = default;
};

/// "none", "rt/0", "be/4", "idle"; the inverse of parse_ioprio.
std::string to_string(IoPrio prio);

/// Reads "none", "idle", "rt/N" or "be/N" with N in 0..7; nothing otherwise.
std::optional<IoPrio> parse_ioprio(std::string_view text);

}  // namespace elvcheck
