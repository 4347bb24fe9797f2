// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/data_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "properties/case_file.hpp"

namespace elvcheck {
namespace {

namespace fs = std::filesystem;

fs::path data_directory() {
  std::error_code error;
  if (const char* chosen = std::getenv("ELVCHECK_DATA"); chosen != nullptr && *chosen != '\0') {
    if (fs::is_directory(chosen, error)) return chosen;
    throw InputError(
        fmt::format("ELVCHECK_DATA: '{}' is no folder; it should hold the folders cases and recordings", chosen));
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  for (const fs::path& place : {program.parent_path() / "share/elvcheck", program.parent_path() / "../share/elvcheck"}) {
    if (fs::is_directory(place, error)) return place.lexically_normal();
  }
  return {};
}

}  // namespace

std::vector<std::string> shipped_files(std::string_view folder) {
  const fs::path root = data_directory();
  std::vector<std::string> files;
  std::error_code error;
  if (root.empty() || !fs::is_directory(root / folder, error)) return files;
  const auto options = fs::directory_options::follow_directory_symlink;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder, options, error)) {
    if (entry.is_regular_file(error)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_text(const std::string& path) {
  constexpr std::size_t most = 16U << 20U;
  const auto fail = [&](const std::string& reason) { throw InputError(fmt::format("{}: cannot read: {}", path, reason)); };
  std::error_code error;
  if (fs::is_directory(path, error)) fail("it is a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(std::strerror(errno));
  std::string text(most + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > most) fail("longer than 16 MiB");
  return text;
}

}  // namespace elvcheck
