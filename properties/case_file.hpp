// SPDX-License-Identifier: GPL-2.0-or-later
// Case files: a scenario and the verdict of one property on it, as a small TOML text that anybody can read and edit.
//
//   elvcheck_case = 1
//   property = "deadline.one-batch"       # judged on this scenario
//   expect = "violated"                   # or "held"
//   scheduler = "deadline-4.19"
//   mutant = "deadline.batch-one-more"    # a planted bug; usually none
//
//   [tunables]
//   fifo_batch = 2
//
//   [device]
//   preset = "flat"
//   service_ns = 1000000
//
//   [[process]]
//   name = "reader"
//   ioprio = "be/4"
//   ops = ["read 1000 +8", "think 2ms", "write 5000 +8 async"]
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "model/core/scenario.hpp"

namespace elvcheck {

struct CaseFile {
  std::string property;  ///< empty: every property that applies must hold
  bool expect_violated = false;
  std::string rule;  ///< the clause that is violated (Violation::rule), or empty for any
  std::string note;  ///< free text: where it came from, what it shows
  Scenario scenario;

  friend bool operator==(const CaseFile&, const CaseFile&) = default;
};

/// Bad input of any kind: one line "FILE:LINE: what is wrong; how to mend it".
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a case. `name` stands before the line number in errors. Throws InputError.
CaseFile parse_case(std::string_view text, const std::string& name);
CaseFile read_case(const std::string& path);

/// The text of a case; parse_case(format_case(c)) equals c.
std::string format_case(const CaseFile& value);
/// Writes it by a temporary file and rename. Throws InputError when that fails; the old file then still stands.
void write_case(const CaseFile& value, const std::string& path);

/// One line of a program: "read 1000 +8 x100 stride 16 depth 4 think 1ms async fua". Throws std::invalid_argument.
ProcessOp parse_op(std::string_view text, const std::vector<std::string>& process_names);
std::string format_op(const ProcessOp& op, const std::vector<ProcessSpec>& processes);

}  // namespace elvcheck
