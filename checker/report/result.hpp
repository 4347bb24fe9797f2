// SPDX-License-Identifier: GPL-2.0-or-later
// What a command found, before it is written as text, JSON, KTAP or JUnit XML.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace elvcheck {

enum class Outcome : std::uint8_t { held, violated, inconclusive, skipped };

/// "held", "violated", ...: the word in JSON.
std::string_view to_string(Outcome outcome);
/// "Held", "Violated", ...: the word in a summary line.
std::string_view to_title(Outcome outcome);

/// The verdict on one property, case, recording or theorem. An empty text is left out of the reports.
struct Result {
  std::string kind = "Property";  ///< first word of the line: Property, Case, Recording, Theorem
  std::string name;
  Outcome outcome = Outcome::held;
  std::string title;  ///< the word of the line, if it is not that of the outcome: "Proved"
  std::uint64_t violations = 0;
  std::uint64_t judged = 0;          ///< runs in which there was something to judge
  std::chrono::nanoseconds time{0};  ///< computing time of those runs
  std::string scheduler;
  std::string device;
  std::string workload;
  std::string case_path;
  std::string replay;                                               ///< the command that shows it again
  std::string detail;                                               ///< one sentence
  std::string remark;                                               ///< stands behind the line for a person
  std::string report;                                               ///< a violation in full: several lines
  nlohmann::ordered_json extra = nlohmann::ordered_json::object();  ///< further keys of this command's results
};

/// All that one command found.
struct Report {
  std::string command;
  std::uint64_t seed = 0;
  std::vector<Result> results;
  nlohmann::ordered_json summary = nlohmann::ordered_json::object();
  bool interrupted = false;  ///< ended by a signal: what stands here is what was found so far

  std::uint64_t count(Outcome outcome) const;
  /// The exit code of the documented table: 1 violated, else 130 interrupted, else 3 inconclusive, else 0; 4 if there are
  /// results and all of them are skipped.
  int exit_code() const;
};

/// "Property bfq.share.two-weights Violated 3 19997 0.42s": the line that scripts may look for, without colour or line end.
std::string summary_line(const Result& result);
/// Its third word.
std::string verdict_word(const Result& result);

/// The object of `--json`, with a line end.
std::string to_json(const Report& report);

/// KTAP version 1 (Documentation/dev-tools/ktap.rst), one test for each result; a violation's report as diagnostic lines.
std::string to_ktap(const Report& report);

/// JUnit XML as GoogleTest writes it: testsuites, one testsuite for each kind, testcase, failure with the replay command.
std::string to_junit(const Report& report);

/// The version of this program.
std::string_view version();

}  // namespace elvcheck
