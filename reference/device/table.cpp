// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/device/table.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "reference/recording/text.hpp"

namespace elvcheck {

using namespace recording_detail;

namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 28;

std::string load(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw InputError(path + ": cannot be opened; name a folder with the measured data, see README.md");
  std::string text;
  std::string piece(std::size_t{1} << 16, '\0');
  int got = 0;
  while ((got = gzread(file.get(), piece.data(), static_cast<unsigned>(piece.size()))) > 0) {
    text.append(piece, 0, static_cast<std::size_t>(got));
    if (text.size() > max_bytes) throw InputError(path + ": more than 256 MiB; this is no table of measurements");
  }
  int error = Z_OK;
  gzerror(file.get(), &error);
  if (got < 0 || (error != Z_OK && error != Z_STREAM_END)) throw InputError(path + ": damaged or cut short; copy it again");
  return text;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    // A cell in quotation marks may hold commas.
    const bool in_quotes = !line.empty() && line.front() == '"';
    const std::size_t from = in_quotes ? std::min(line.find('"', 1), line.size()) : 0;
    const std::size_t comma = line.find(',', from);
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

MeasureTable::MeasureTable(std::string path) : path_(std::move(path)), text_(load(path_)) {
  LineReader lines(text_, path_);
  std::string_view line;
  if (!lines.next(line)) throw InputError(path_ + ": empty; the first line must name the columns");
  names_ = cells_of(line);
  while (lines.next(line)) {
    rows_.push_back(cells_of(line));
    if (rows_.back().size() != names_.size()) {
      fail_at(path_, lines.number(),
              std::to_string(rows_.back().size()) + " cells, but line 1 names " + std::to_string(names_.size()) +
                  " columns; copy the file again");
    }
  }
}

std::size_t MeasureTable::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) fail_at(path_, 1, "no column " + quoted(name) + "; is this the right file?");
  return static_cast<std::size_t>(found - names_.begin());
}

std::string_view MeasureTable::word(std::size_t row, std::size_t column) const { return rows_[row][column]; }

std::uint64_t MeasureTable::whole(std::size_t row, std::size_t column) const {
  const auto value = to_number<std::uint64_t>(word(row, column));
  if (!value) no_number(row, column, "a whole number");
  return *value;
}

double MeasureTable::fraction(std::size_t row, std::size_t column) const {
  const auto value = to_number<double>(word(row, column));
  if (!value || !std::isfinite(*value)) no_number(row, column, "a number");
  return *value;
}

std::int64_t MeasureTable::microseconds(std::size_t row, std::size_t column) const {
  const double value = fraction(row, column);
  if (value < 0 || value > 1e13) no_number(row, column, "a time in microseconds");
  return std::llround(value * 1000);
}

void MeasureTable::fail(std::size_t row, const std::string& message) const { fail_at(path_, row + 2, message); }

void MeasureTable::no_number(std::size_t row, std::size_t column, const char* what) const {
  fail(row, "column " + std::string(names_[column]) + ": " + quoted(word(row, column)) + " is not " + what);
}

}  // namespace elvcheck
