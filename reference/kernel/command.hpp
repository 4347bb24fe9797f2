// SPDX-License-Identifier: GPL-2.0-or-later
// Runs other programs: compilers, tar, patch. Nothing goes through a shell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace elvcheck::kernel {

struct Command {
  std::vector<std::string> arguments;   ///< the first is the program, looked up in PATH
  std::string input;                    ///< fed to its standard input
  std::filesystem::path directory;      ///< where it runs; empty: here
};

struct CommandResult {
  int status = 0;      ///< exit status; 127 if it cannot be started, 128 + n if signal n ended it
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
  bool ok() const { return status == 0; }
};

CommandResult run_command(const Command& command);

/// Runs them with at most `jobs` at a time; the results are in the order of the commands.
std::vector<CommandResult> run_commands(const std::vector<Command>& commands, unsigned jobs);

}  // namespace elvcheck::kernel
