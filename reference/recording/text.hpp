// SPDX-License-Identifier: GPL-2.0-or-later
// Small tools of the text readers: lines with numbers, words, integers without surprises, errors with a place.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "properties/case_file.hpp"

namespace elvcheck::recording_detail {

/// "FILE:LINE: message" as InputError.
[[noreturn]] inline void fail_at(const std::string& name, std::size_t line, const std::string& message) {
  throw InputError(name + ":" + std::to_string(line) + ": " + message);
}

/// Text taken from the input for a message: at most 60 characters, anything unprintable as '?'.
inline std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, 60)) out += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > 60) out += "...";
  return out + "'";
}

/// A whole decimal number within T, without sign for unsigned T; nothing otherwise.
template <class T>
std::optional<T> to_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// "SECONDS.FRACTION" with up to nine digits of fraction, in nanoseconds; nothing if malformed or beyond a hundred years.
inline std::optional<std::int64_t> to_nanoseconds(std::string_view text) {
  constexpr std::int64_t most_seconds = 3'200'000'000;
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  std::string_view fraction = text.substr(dot + 1);
  const auto seconds = to_number<std::uint64_t>(text.substr(0, dot));
  const auto part = to_number<std::uint64_t>(fraction);
  if (!seconds || !part || fraction.size() > 9 || *seconds > most_seconds) return std::nullopt;
  std::uint64_t nanoseconds = *part;
  for (std::size_t digits = fraction.size(); digits < 9; ++digits) nanoseconds *= 10;
  return static_cast<std::int64_t>(*seconds * 1'000'000'000 + nanoseconds);
}

/// Takes lines off a text. Every line must end with a newline; a last line without one counts as cut.
class LineReader {
 public:
  LineReader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    ++number_;
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos)
      fail_at(name_, number_, "the file ends in the middle of a line; copy it again, or end its last line with a newline");
    line = rest_.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    rest_.remove_prefix(end + 1);
    return true;
  }
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  const std::string& name_;
  std::size_t number_ = 0;
};

/// Takes words, separated by blanks, off a line.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  /// The next word, empty at the end.
  std::string_view next() {
    skip();
    const std::size_t end = rest_.find_first_of(" \t");
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
    return word;
  }
  /// What is left, without leading blanks.
  std::string_view rest() {
    skip();
    return rest_;
  }

 private:
  void skip() {
    const std::size_t start = rest_.find_first_not_of(" \t");
    rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
  }
  std::string_view rest_;
};

/// "MAJOR,MINOR"; nothing otherwise.
inline std::optional<std::pair<std::uint32_t, std::uint32_t>> to_device(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto major = to_number<std::uint32_t>(text.substr(0, comma));
  const auto minor = to_number<std::uint32_t>(text.substr(comma + 1));
  if (!major || !minor) return std::nullopt;
  return std::pair{*major, *minor};
}

}  // namespace elvcheck::recording_detail
