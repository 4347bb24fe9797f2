// SPDX-License-Identifier: GPL-2.0-or-later
// For tests on a kernel's own code: the installed tree, and edits of a copy.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "reference/kernel/build.hpp"
#include "reference/kernel/compile.hpp"
#include "reference/kernel/content_hash.hpp"
#include "reference/kernel/kernel_set.hpp"
#include "reference/kernel/tree.hpp"

namespace elvcheck::kernel {

inline std::filesystem::path test_cache() {
  return cache_directory(std::filesystem::path(ELVCHECK_PROGRAM).parent_path() / "kernel-cache");
}

/// The tree of the installed package linux-source-VERSION, if there is one.
inline std::optional<KernelTree> installed_tree(const std::string& version) {
  if (debian_source(version).empty()) return std::nullopt;
  return open_tree("debian-" + version, test_cache());
}

inline BuildOptions test_options(unsigned hz = 1000) {
  BuildOptions options;
  options.cache = test_cache();
  options.hz = hz;
  return options;
}

/// A folder that goes away.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / ("elvcheck-test-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// Where the `occurrence`-th call (or declaration) of a function begins and how long it is, arguments included; npos if it
/// has fewer.
inline std::pair<std::size_t, std::size_t> find_call(const std::string& text, const std::string& function, int occurrence) {
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(function + "("); at != std::string::npos; at = text.find(function + "(", at + 1)) {
    if (at > 0 && word(text[at - 1])) continue;
    if (--occurrence > 0) continue;
    std::size_t end = at + function.size();
    int depth = 0;
    do {
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      ++end;
    } while (depth > 0 && end < text.size());
    return {at, end - at};
  }
  return {std::string::npos, 0};
}

/// What an exception of `body` says; empty without one.
inline std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// The least that counts as a tree.
inline void write_small_tree(const TemporaryFolder& folder) {
  folder.write("Makefile", "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 7\nEXTRAVERSION =\n");
  folder.write("block/elevator.c", "int one;\nint two;\nint three;\n");
  folder.write("include/linux/blkdev.h", "struct request;\n");
}

}  // namespace elvcheck::kernel

/// Declares `tree`, or skips the test and says why.
#define ELVCHECK_NEED_TREE(tree, version)                                                                       \
  const auto tree##_found = elvcheck::kernel::installed_tree(version);                                          \
  if (!tree##_found) GTEST_SKIP() << "no kernel source: the Debian package linux-source-" << version << " is not installed"; \
  const elvcheck::kernel::KernelTree& tree = *tree##_found
