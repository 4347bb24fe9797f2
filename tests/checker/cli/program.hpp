// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the built program as a user does, and keeps what it prints.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace elvcheck::test {

struct Outcome {
  int exit_code = -1;  ///< 128 + signal if a signal ended it
  std::string out;
  std::string err;
};

struct Setting {
  std::map<std::string, std::string> environment;  ///< set beside the inherited ones; empty value: unset
  std::string directory;                           ///< to run in; empty: here
  std::string stdout_path;                         ///< standard output goes there instead of into Outcome::out
  bool terminal = false;  ///< standard output and error are one pseudo-terminal, seen in Outcome::out
  int signal = 0;         ///< sent once `signal_after` has passed
  std::chrono::milliseconds signal_after{0};
};

/// Runs `elvcheck ARGUMENTS` with an empty standard input.
Outcome run_elvcheck(const std::vector<std::string>& arguments, const Setting& setting = {});

/// The same for any program on $PATH; exit code 127 if it is not there.
Outcome run_program(const std::vector<std::string>& command, const Setting& setting = {});

/// A folder that is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path() const { return path_.string(); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Names of what is in it.
  std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& text);
std::size_t count_lines(const std::string& text);

}  // namespace elvcheck::test
