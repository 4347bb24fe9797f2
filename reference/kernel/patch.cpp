// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/patch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "properties/case_file.hpp"
#include "reference/kernel/build.hpp"
#include "reference/kernel/command.hpp"
#include "reference/kernel/compile.hpp"
#include "reference/kernel/content_hash.hpp"

namespace elvcheck::kernel {

namespace fs = std::filesystem;

namespace {

/// The changes of one file.
struct Section {
  std::string path;
  std::string text;
};

/// "block/bfq-iosched.c" out of "+++ b/block/bfq-iosched.c\t2024-01-01".
std::string path_of(const std::string& line) {
  std::string name = line.substr(4);
  name = name.substr(0, name.find_first_of("\t\r"));
  if (name == "/dev/null") return "";
  const auto slash = name.find('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

/// Splits a patch or mbox into sections that begin with "--- a/FILE" and "+++ b/FILE".
std::vector<Section> split(const std::string& text) {
  std::vector<Section> sections;
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("--- ") && i + 1 < lines.size() && lines[i + 1].starts_with("+++ ")) {
      std::string path = path_of(lines[i + 1]);
      if (path.empty()) path = path_of(lines[i]);
      sections.push_back({path, lines[i] + "\n" + lines[i + 1] + "\n"});
      ++i;
      continue;
    }
    if (sections.empty()) continue;
    const bool body = lines[i].empty() || std::string_view("@+- \\").find(lines[i][0]) != std::string_view::npos;
    if (body || lines[i].starts_with("diff ")) sections.back().text += lines[i].starts_with("diff ") ? "" : lines[i] + "\n";
  }
  return sections;
}

bool is_built(const std::string& path) {
  static constexpr std::array folders{"block/", "include/", "lib/", "kernel/time/", "kernel/bounds.c"};
  return std::any_of(folders.begin(), folders.end(), [&](const char* folder) { return path.starts_with(folder); });
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

PatchedTree apply_patches(const KernelTree& tree, const std::vector<std::string>& patches, const fs::path& cache) {
  PatchedTree patched;
  std::vector<std::string> texts;
  ContentHash hash;
  hash.add(tree.content);
  for (const std::string& file : patches) {
    if (!fs::is_regular_file(file)) throw InputError("--patch " + file + ": there is no such file");
    const std::vector<Section> sections = split(read_file(file));
    if (sections.empty()) throw InputError("--patch " + file + ": holds no patch (no lines \"--- a/FILE\" and \"+++ b/FILE\")");
    std::string text;
    for (const Section& section : sections) {
      (is_built(section.path) ? patched.changed : patched.left_out).push_back(section.path);
      if (is_built(section.path)) text += section.text;
    }
    hash.add(text);
    texts.push_back(std::move(text));
  }
  if (patched.changed.empty())
    throw BuildError(patches.front() + ": changes nothing that is built here (block/, include/, lib/), only " + patched.left_out.front());

  const fs::path target = cache / "trees" / ("patched-" + hash.text());
  if (!fs::exists(target)) {
    const fs::path scratch = target.string() + ".tmp" + std::to_string(::getpid());
    fs::remove_all(scratch);
    // Hard links, except for what the patches write to.
    fs::create_directories(scratch);
    for (const char* part : {"block", "include", "lib", "kernel", "Makefile"}) {
      if (!fs::exists(tree.root / part)) continue;
      const CommandResult copied = run_command(Command{{"cp", "-al", (tree.root / part).string(), (scratch / part).string()}, "", {}});
      if (!copied.ok()) run_command(Command{{"cp", "-a", (tree.root / part).string(), (scratch / part).string()}, "", {}});
    }
    for (const std::string& file : patched.changed) {
      if (!fs::exists(scratch / file)) continue;
      fs::remove(scratch / file);
      fs::copy_file(tree.root / file, scratch / file);
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].empty()) continue;
      const CommandResult result =
          run_command(Command{{"patch", "-p1", "--batch", "--forward", "--no-backup-if-mismatch", "--reject-file=-"}, texts[i], scratch});
      if (result.ok()) continue;
      fs::remove_all(scratch);
      if (result.status == 127) throw BuildError("patch(1) cannot be run; install the package patch");
      std::string reason = first_line(result.output);
      std::istringstream lines(result.output);
      for (std::string line; std::getline(lines, line);) {
        if (line.find("FAILED") != std::string::npos || line.find("ignoring") != std::string::npos) reason += "; " + line;
      }
      throw BuildError(patches[i] + ": does not apply to this tree: " + reason);
    }
    std::error_code ignored;
    fs::rename(scratch, target, ignored);
    fs::remove_all(scratch);
  }
  patched.tree = KernelTree{target, tree.version, hash.value()};
  return patched;
}

}  // namespace elvcheck::kernel
