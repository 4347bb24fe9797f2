// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/case_time.hpp"

#include <array>
#include <charconv>

namespace elvcheck {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t ns;
};
constexpr std::array<Unit, 4> units{{{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}}};
constexpr std::int64_t longest = std::int64_t{1} << 62;

}  // namespace

std::optional<Nanoseconds> parse_time(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < 0) return std::nullopt;
  const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : units) {
    if (name == unit.name) {
      if (value > longest / unit.ns) return std::nullopt;
      return Nanoseconds(value * unit.ns);
    }
  }
  return std::nullopt;
}

std::string format_time(Nanoseconds time) {
  for (const Unit& unit : units) {
    if (time.count() != 0 && time.count() % unit.ns == 0)
      return std::to_string(time.count() / unit.ns) + std::string(unit.name);
  }
  return "0ns";
}

}  // namespace elvcheck
