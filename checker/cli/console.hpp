// SPDX-License-Identifier: GPL-2.0-or-later
// Results on standard output, everything else on standard error.
#pragma once

#include <string>
#include <string_view>

#include "checker/report/result.hpp"

namespace elvcheck {

/// Standard output was closed by its reader (`elvcheck list | head -1`): the program ends without a word.
struct OutputClosed {};

enum class ColorMode { automatic, always, never };

/// Standard output and standard error of a command.
class Console {
 public:
  /// `automatic` means: colour if standard output is a terminal that is not dumb and NO_COLOR (no-color.org) is unset or
  /// empty.
  explicit Console(ColorMode mode);

  /// Writes to standard output at once. Throws InputError, or OutputClosed for a broken pipe.
  void print(std::string_view text);
  /// Writes a line to standard error.
  void note(std::string_view text);

  bool color() const { return color_; }
  /// The text in the outcome's colour, or as it is.
  std::string paint(Outcome outcome, std::string_view text) const;
  std::string bold(std::string_view text) const;

 private:
  bool color_;
};

/// A table with aligned columns; the last column is not padded. Columns of numbers are aligned to the right.
std::string format_table(const std::vector<std::vector<std::string>>& rows, std::string_view indent = "");

/// "a1b2c.toml" or "'a b.toml'": a word as a POSIX shell takes it.
std::string shell_word(std::string_view text);

}  // namespace elvcheck
