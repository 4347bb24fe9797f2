// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/campaign/failure_database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "properties/case_identity.hpp"

namespace elvcheck {

namespace fs = std::filesystem;

std::vector<FailureDatabase::Entry> FailureDatabase::entries() const {
  std::error_code error;
  if (!fs::exists(folder_, error)) return {};
  std::vector<Entry> result;
  fs::directory_iterator files(folder_, error);
  if (error) throw InputError(fmt::format("{}: cannot read the failure database: {}", folder_, error.message()));
  for (const fs::directory_entry& file : files) {
    if (file.path().extension() != ".toml") continue;
    result.push_back({file.path().stem().string(), file.path().string(), read_case(file.path().string())});
  }
  std::sort(result.begin(), result.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
  return result;
}

FailureDatabase::Entry FailureDatabase::find(std::string_view id) const {
  std::vector<Entry> found = entries();
  std::erase_if(found, [&](const Entry& entry) { return entry.id.compare(0, id.size(), id) != 0; });
  if (found.empty()) throw InputError(fmt::format("{}: no case '{}'; see elvcheck db list", folder_, id));
  if (found.size() > 1)
    throw InputError(fmt::format("{}: {} cases begin with '{}'; give more digits", folder_, found.size(), id));
  return found.front();
}

std::string FailureDatabase::add(const CaseFile& value) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw InputError(fmt::format("{}: cannot make the failure database: {}", folder_, error.message()));
  const std::string id = case_id(value);
  CaseFile kept = normalized(value);
  kept.note = value.note;
  write_case(kept, (fs::path(folder_) / (id + ".toml")).string());
  return id;
}

void FailureDatabase::drop(const Entry& entry) const {
  std::error_code error;
  if (!fs::remove(entry.path, error) || error) {
    throw InputError(fmt::format("{}: cannot remove: {}", entry.path, error ? error.message() : "it is not there"));
  }
  fs::remove(folder_, error);  // stays if there is something in it
}

}  // namespace elvcheck
