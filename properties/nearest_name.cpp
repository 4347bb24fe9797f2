// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/nearest_name.hpp"

#include <algorithm>

namespace elvcheck {

namespace {

constexpr std::size_t longest_name = 64;  // longer texts are not mistyped names

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view text, const std::vector<std::string_view>& known) {
  if (text.size() > longest_name) return {};
  // One slip in a short word, two in a longer one, a third of a long one; more is another word.
  std::size_t best = (text.size() <= 4 ? 1 : std::max<std::size_t>(2, text.size() / 3)) + 1;
  std::string_view nearest;
  for (const std::string_view name : known) {
    const std::size_t distance = edit_distance(text, name);
    if (distance < best && distance < name.size()) {
      best = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::string suggest_name(std::string_view text, const std::vector<std::string_view>& known) {
  if (known.empty()) return {};
  if (const std::string_view nearest = nearest_name(text, known); !nearest.empty()) {
    return "; did you mean '" + std::string(nearest) + "'?";
  }
  std::string list = "; known: ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i != 0) list += ", ";
    list += known[i];
  }
  return list;
}

}  // namespace elvcheck
