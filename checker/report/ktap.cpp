// SPDX-License-Identifier: GPL-2.0-or-later
// KTAP version 1, as Documentation/dev-tools/ktap.rst of Linux 6.1 describes it: version line, plan, one result line for
// each test, diagnostics on lines that start with '#', before the result that they belong to.
#include <fmt/format.h>

#include <sstream>

#include "checker/report/result.hpp"

namespace elvcheck {

std::string to_ktap(const Report& report) {
  std::string out = fmt::format("KTAP version 1\n1..{}\n", report.results.size());
  std::size_t number = 0;
  for (const Result& result : report.results) {
    std::istringstream lines(result.report.empty() ? result.detail : result.report);
    if (result.outcome != Outcome::held) {
      for (std::string line; std::getline(lines, line);) out += line.empty() ? "#\n" : "# " + line + "\n";
    }
    const bool ok = result.outcome == Outcome::held || result.outcome == Outcome::skipped;
    // '#' starts a directive, so a name must not hold one.
    std::string name = result.name;
    for (char& c : name) {
      if (c == '#' || c == '\n') c = '_';
    }
    out += fmt::format("{} {} {}", ok ? "ok" : "not ok", ++number, name);
    if (result.outcome == Outcome::skipped) out += " # SKIP " + result.detail;
    if (result.outcome == Outcome::inconclusive) out += " # TIMEOUT " + result.detail;
    out += '\n';
  }
  if (report.interrupted) out += "# interrupted: results so far\n";
  return out;
}

}  // namespace elvcheck
