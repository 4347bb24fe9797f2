// SPDX-License-Identifier: GPL-2.0-or-later
// JUnit XML with the elements and attributes that GoogleTest writes (docs/advanced.md, "Generating an XML Report"), which is
// what the CI servers read: testsuites > testsuite > testcase > failure | skipped | error.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "checker/report/result.hpp"

namespace elvcheck {
namespace {

/// Text for an element or attribute: XML 1.0 allows no control characters but tab and line ends, and no broken UTF-8; both
/// become '?' here.
std::string escape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    switch (c) {
      case '&':
        out += "&amp;";
        continue;
      case '<':
        out += "&lt;";
        continue;
      case '>':
        out += "&gt;";
        continue;
      case '"':
        out += "&quot;";
        continue;
      case '\n':
        out += "&#10;";
        continue;
      case '\t':
        out += "&#9;";
        continue;
      default:
        break;
    }
    if (c < 0x80) {
      out += c < 0x20 || c == 0x7F ? '?' : static_cast<char>(c);
      continue;
    }
    const std::size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    const bool whole = c >= 0xC2 && c < 0xF5 && i + length <= text.size() &&
                       std::all_of(text.begin() + i + 1, text.begin() + i + length,
                                   [](char tail) { return (static_cast<unsigned char>(tail) & 0xC0) == 0x80; });
    if (!whole) {
      out += '?';
      continue;
    }
    out += text.substr(i, length);
    i += length - 1;
  }
  return out;
}

struct Totals {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const Result& result) {
    ++tests;
    failures += result.outcome == Outcome::violated;
    errors += result.outcome == Outcome::inconclusive;
    skipped += result.outcome == Outcome::skipped;
    seconds += std::chrono::duration<double>(result.time).count();
  }
  std::string attributes() const {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}")", tests, failures, errors,
                       skipped, seconds);
  }
};

std::string testcase(const Result& result) {
  std::string out = fmt::format(R"(    <testcase name="{}" classname="elvcheck.{}" time="{:.3f}")", escape(result.name),
                                escape(result.kind), std::chrono::duration<double>(result.time).count());
  const std::string message = escape(result.detail);
  switch (result.outcome) {
    case Outcome::held:
      return out + "/>\n";
    case Outcome::skipped:
      return out + fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", message);
    case Outcome::inconclusive:
      return out + fmt::format(">\n      <error message=\"{}\"/>\n    </testcase>\n", message);
    case Outcome::violated:
      break;
  }
  std::string text = result.replay.empty() ? "" : "replay: " + result.replay + "\n";
  text += result.report.empty() ? result.detail : result.report;
  return out + fmt::format(">\n      <failure message=\"{}\" type=\"violated\">{}</failure>\n    </testcase>\n", message,
                           escape(text));
}

}  // namespace

std::string to_junit(const Report& report) {
  std::vector<std::string> kinds;  // in order of appearance
  std::map<std::string, Totals> totals;
  Totals all;
  for (const Result& result : report.results) {
    if (std::find(kinds.begin(), kinds.end(), result.kind) == kinds.end()) kinds.push_back(result.kind);
    totals[result.kind].add(result);
    all.add(result);
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"elvcheck {}\" {}>\n", escape(report.command), all.attributes());
  for (const std::string& kind : kinds) {
    out += fmt::format("  <testsuite name=\"{}\" {}>\n", escape(kind), totals[kind].attributes());
    for (const Result& result : report.results) {
      if (result.kind == kind) out += testcase(result);
    }
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace elvcheck
