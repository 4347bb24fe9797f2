// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of measurements: comma-separated text with a line of column names, plain or gzip.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace elvcheck {

/// A table of the data that `elvcheck validate-device` reads, held as text; cells are converted when they are asked for.
class MeasureTable {
 public:
  /// Throws InputError with file and line: unreadable, no header, or a row with another number of cells.
  explicit MeasureTable(std::string path);

  std::size_t rows() const { return rows_.size(); }

  /// A column by its name; throws InputError if there is none.
  std::size_t column(std::string_view name) const;

  /// The cell as it stands, as a whole number, and as a number of microseconds in nanoseconds (rounded). `fraction`: any
  /// decimal number. Throw InputError naming file, line and column if the cell is no such number.
  std::string_view word(std::size_t row, std::size_t column) const;
  std::uint64_t whole(std::size_t row, std::size_t column) const;
  double fraction(std::size_t row, std::size_t column) const;
  std::int64_t microseconds(std::size_t row, std::size_t column) const;

  /// An InputError about a row: "FILE:LINE: message".
  [[noreturn]] void fail(std::size_t row, const std::string& message) const;

 private:
  [[noreturn]] void no_number(std::size_t row, std::size_t column, const char* what) const;

  std::string path_;
  std::string text_;
  std::vector<std::string_view> names_;
  std::vector<std::vector<std::string_view>> rows_;
};

}  // namespace elvcheck
