// SPDX-License-Identifier: GPL-2.0-or-later
// Small edits of a tree's files, made at test time. They name functions, identifiers and operators; no text of the kernel is
// here.
#pragma once

#include <cctype>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "tests/reference/kernel/support.hpp"

namespace elvcheck::kernel {

struct Edit {
  enum class Kind {
    begin,       ///< `to` becomes the first statement of the function
    call,        ///< a call of `what` becomes `to`
    token,       ///< the identifier or operator `what` becomes `to`
    assignment,  ///< the statement that assigns to the member `what` goes
  };
  const char* file;
  const char* function;  ///< inside which
  Kind kind;
  const char* what = "";
  const char* to = "";
  int occurrence = 1;  ///< inside the function
};

namespace edit_detail {

inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Start and length of the n-th occurrence that is no part of a longer word or operator.
inline std::pair<std::size_t, std::size_t> find_token(const std::string& text, std::string_view token, std::size_t from,
                                                      std::size_t end, int occurrence) {
  const auto joins = [&](char beside) {
    return is_word(token.front()) ? is_word(beside) : std::string_view("<>=!&|+-").find(beside) != std::string_view::npos;
  };
  for (std::size_t at = text.find(token, from); at < end; at = text.find(token, at + 1)) {
    if ((at > 0 && joins(text[at - 1])) || joins(text[at + token.size()])) continue;
    if (--occurrence == 0) return {at, token.size()};
  }
  return {std::string::npos, 0};
}

/// The body of a function: behind its brace, up to the brace in the first column that ends it.
inline std::pair<std::size_t, std::size_t> find_body(const std::string& text, const std::string& function) {
  for (int occurrence = 1;; ++occurrence) {
    const auto [at, length] = find_call(text, function, occurrence);
    if (at == std::string::npos) return {at, at};
    const std::size_t next = text.find_first_not_of(" \t\n", at + length);
    if (next != std::string::npos && text[next] == '{') return {next + 1, text.find("\n}", next)};
  }
}

}  // namespace edit_detail

/// Applies the edit to a file's text; false if the text has no such place.
inline bool apply(const Edit& edit, std::string& text) {
  using namespace edit_detail;
  const auto [begin, end] = find_body(text, edit.function);
  if (begin == std::string::npos) return false;
  if (edit.kind == Edit::Kind::begin) {
    text.insert(begin, std::string(" ") + edit.to);
    return true;
  }
  if (edit.kind == Edit::Kind::call) {
    const std::string body = text.substr(begin, end - begin);
    const auto [at, length] = find_call(body, edit.what, edit.occurrence);
    if (at == std::string::npos) return false;
    text.replace(begin + at, length, edit.to);
    return true;
  }
  if (edit.kind == Edit::Kind::token) {
    const auto [at, length] = find_token(text, edit.what, begin, end, edit.occurrence);
    if (at == std::string::npos) return false;
    text.replace(at, length, edit.to);
    return true;
  }
  int left = edit.occurrence;
  for (int n = 1;; ++n) {
    const auto [at, length] = find_token(text, edit.what, begin, end, n);
    if (at == std::string::npos) return false;
    std::size_t sign = text.find('=', at);
    const std::size_t stop = text.find(';', at);
    const bool assigns = sign < stop && text.find_first_not_of(" \t", at + length) == sign && text[sign + 1] != '=';
    if (!assigns || --left > 0) continue;
    const std::size_t start = text.find_last_of(";{}\n)", at) + 1;
    text.replace(start, stop - start, "");
    return true;
  }
}

/// The tree with the edit made; only block/ is copied.
inline KernelTree edited(const KernelTree& tree, const TemporaryFolder& folder, const Edit& edit) {
  std::filesystem::create_directories(folder.path() / "block");
  std::filesystem::copy(tree.root / "block", folder.path() / "block",
                        std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  std::string text = read_file(tree.root / edit.file);
  EXPECT_TRUE(apply(edit, text)) << edit.file << " has no such place in " << edit.function
                                 << ": the edit must be adapted to this version";
  std::filesystem::remove(folder.path() / edit.file);
  std::ofstream(folder.path() / edit.file) << text;
  ContentHash hash;
  hash.add(text);
  return KernelTree{folder.path(), tree.version, hash.value()};
}

}  // namespace elvcheck::kernel
