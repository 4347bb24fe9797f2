// SPDX-License-Identifier: GPL-2.0-or-later
// Options that several commands share, and what every command is.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/cli/console.hpp"
#include "checker/report/output_file.hpp"
#include "checker/report/result.hpp"

namespace elvcheck {

/// --json --quiet --color of every command; --ktap --junit where there are verdicts.
struct OutputOptions {
  std::string json;   ///< file, "-" for standard output, empty for none
  std::string junit;  ///< file, "-" for standard output, empty for none
  bool ktap = false;
  bool quiet = false;
  std::string color = "auto";

  ColorMode color_mode() const;
};

/// Declares them on a command. `verdicts`: with --ktap and --junit.
void add_output_options(CLI::App& command, OutputOptions& options, bool verdicts);

/// Writes a command's report wherever its options say. Opened before the work, so that an unwritable file ends the command
/// first.
class Reporter {
 public:
  /// Throws InputError for a file that cannot be written and for two reports on standard output.
  explicit Reporter(const OutputOptions& options);

  Console& console() { return console_; }
  /// Whether standard output is for a person, not taken by --json - or --ktap.
  bool for_person() const { return for_person_; }
  bool quiet() const { return quiet_; }
  bool progress_wanted() const { return !quiet_; }

  /// To standard output, if it is for a person.
  void print(std::string_view text) {
    if (for_person_) console_.print(text);
  }
  /// The result's line, coloured; with --quiet only if it is not held. A violation's report follows.
  void print_result(const Result& result);

  /// Writes the files. Returns the exit code.
  int finish(const Report& report);

 private:
  OutputOptions options_;
  Console console_;
  bool for_person_;
  bool quiet_;
  std::optional<OutputFile> json_;
  std::optional<OutputFile> junit_;
};

/// A validator for a word out of a short list.
CLI::Validator one_of(std::vector<std::string> words);

/// A validator for a whole number from 0 to 2^64 - 1. CLI11's own conversion takes "-1" for the largest one.
CLI::Validator whole_number();

/// "mq-deadline", the name of a scheduler, and "NAME[:param=value,...]", a device. Throw InputError naming the nearest known
/// one.
const struct SchedulerInfo& scheduler_by_name(std::string_view name);
struct DeviceSpec parse_device_spec(std::string_view text);

/// The inverse of parse_device_spec.
std::string format_device(const struct DeviceSpec& spec);

/// --jobs: the given number, or for 0 that of the cores this process may use.
unsigned resolve_jobs(unsigned jobs);

/// A command of the program: declared once, then perhaps executed.
struct Command {
  CLI::App* app = nullptr;
  std::function<int()> execute;  ///< returns the exit code; throws InputError
};

Command make_run_command(CLI::App& program);
Command make_replay_command(CLI::App& program);
Command make_fuzz_command(CLI::App& program);
Command make_merge_command(CLI::App& program);
Command make_minimize_command(CLI::App& program);
Command make_db_command(CLI::App& program);
Command make_trace_command(CLI::App& program);
Command make_prove_command(CLI::App& program);
Command make_mutants_command(CLI::App& program);
Command make_explore_command(CLI::App& program);
Command make_explain_command(CLI::App& program);
Command make_list_command(CLI::App& program);
Command make_doctor_command(CLI::App& program);
Command make_kernel_command(CLI::App& program);
Command make_conform_command(CLI::App& program);
Command make_record_command(CLI::App& program);
Command make_validate_device_command(CLI::App& program);
Command make_reproduce_command(CLI::App& program);

}  // namespace elvcheck
