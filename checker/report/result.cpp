// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/report/result.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace elvcheck {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::held:
      return "held";
    case Outcome::violated:
      return "violated";
    case Outcome::inconclusive:
      return "inconclusive";
    case Outcome::skipped:
      return "skipped";
  }
  return "";
}

std::string_view to_title(Outcome outcome) {
  switch (outcome) {
    case Outcome::held:
      return "Held";
    case Outcome::violated:
      return "Violated";
    case Outcome::inconclusive:
      return "Inconclusive";
    case Outcome::skipped:
      return "Skipped";
  }
  return "";
}

std::uint64_t Report::count(Outcome outcome) const {
  return static_cast<std::uint64_t>(
      std::count_if(results.begin(), results.end(), [&](const Result& result) { return result.outcome == outcome; }));
}

int Report::exit_code() const {
  if (count(Outcome::violated) > 0) return 1;
  if (interrupted) return 130;
  if (count(Outcome::inconclusive) > 0) return 3;
  if (!results.empty() && count(Outcome::skipped) == results.size()) return 4;
  return 0;
}

std::string verdict_word(const Result& result) {
  return result.title.empty() ? std::string(to_title(result.outcome)) : result.title;
}

std::string summary_line(const Result& result) {
  return fmt::format("{} {} {} {} {} {:.2f}s", result.kind, result.name, verdict_word(result), result.violations,
                     result.judged, std::chrono::duration<double>(result.time).count());
}

std::string_view version() { return ELVCHECK_VERSION; }

}  // namespace elvcheck
