// SPDX-License-Identifier: GPL-2.0-or-later
// Output files that are whole or not there.
#pragma once

#include <string>
#include <string_view>

namespace elvcheck {

/// A file to be written at the end of a command. The constructor opens a temporary file beside it, so that an unwritable
/// place is reported before the long work starts; commit() renames. Without commit() nothing is left behind. What is not a
/// regular file (/dev/stdout, a pipe) is written in place.
class OutputFile {
 public:
  /// Throws InputError: "PATH: cannot write: REASON".
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes the text and puts the file in its place. Once. Throws InputError.
  void commit(std::string_view text);

 private:
  [[noreturn]] void fail(int error);

  std::string path_;
  std::string temporary_;  ///< empty: written in place, or committed
  int fd_ = -1;
};

/// A folder for output files: made if it is not there, and taken away again if nothing was put into it.
class OutputFolder {
 public:
  /// An empty path is no folder. Throws InputError: "PATH: cannot make the folder: REASON".
  explicit OutputFolder(const std::string& path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

 private:
  std::string path_;
  bool made_ = false;
};

}  // namespace elvcheck
