// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/patch.hpp"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>

#include "properties/case_file.hpp"
#include "reference/kernel/build.hpp"
#include "reference/kernel/command.hpp"
#include "reference/kernel/compile.hpp"
#include "reference/kernel/content_hash.hpp"
#include "reference/kernel/diff.hpp"

namespace elvcheck::kernel {

namespace fs = std::filesystem;

namespace {

/// A diff, and the file that it comes from.
struct Change {
  std::string source;
  FileDiff diff;
};

std::string load(const std::string& path) {
  if (!fs::is_regular_file(path)) throw InputError("--patch " + path + ": there is no such file");
  const std::unique_ptr<gzFile_s, decltype(&gzclose)> file(gzopen(path.c_str(), "rb"), &gzclose);
  std::string content;
  std::array<char, 1 << 16> piece;
  int got = -1;
  while (file && (got = gzread(file.get(), piece.data(), piece.size())) > 0)
    content.append(piece.data(), static_cast<std::size_t>(got));
  if (got < 0) throw InputError("--patch " + path + ": cannot be read; check its permissions, or unpack it");
  return content;
}

/// What a subject says: "[RFC PATCH v2 3/7] block: ...".
struct Place {
  int version = 1;
  int number = -1;  ///< -1: not numbered
  bool answer = false;
};

Place place_of(const std::string& subject) {
  static const std::regex tag(R"(^\s*(\w+:\s*)*\[([^\]]*)\])");
  static const std::regex answer(R"(^\s*(re|aw|sv|fwd?|antw)\s*:)", std::regex::icase);
  static const std::regex version(R"(\bv(\d{1,3})\b)", std::regex::icase);
  static const std::regex number(R"((\d{1,4})/\d{1,4})");
  Place place;
  place.answer = std::regex_search(subject, answer);
  std::smatch found;
  if (!std::regex_search(subject, found, tag)) return place;
  const std::string inside = found[2];
  if (std::regex_search(inside, found, version)) place.version = std::stoi(found[1]);
  if (std::regex_search(inside, found, number)) place.number = std::stoi(found[1]);
  return place;
}

/// The changes of one file, in the order in which they apply.
std::vector<Change> read_changes(const std::string& path, PatchedTree& patched) {
  struct Part {
    Place place;
    std::string name;
    std::vector<FileDiff> diffs;
  };
  std::vector<Part> parts;
  int newest = 0;
  for (const Mail& mail : split_mails(load(path))) {
    Part part{place_of(mail.subject), mail.subject.empty() ? path : mail.subject, {}};
    if (part.place.answer) continue;  // a quoted or proposed change is not the patch
    part.diffs = find_diffs(mail.body, path);
    if (part.diffs.empty()) continue;  // a cover letter
    newest = std::max(newest, part.place.version);
    parts.push_back(std::move(part));
  }
  std::size_t older = 0;
  std::erase_if(parts, [&](const Part& part) {
    const bool old = part.place.version < newest;
    older += old;
    return old;
  });
  if (older > 0)
    patched.notes.push_back(path + ": of several versions v" + std::to_string(newest) + " is taken, " +
                            std::to_string(older) + " older mail(s) are not");
  if (parts.empty())
    throw InputError("--patch " + path + ": holds no patch (no lines \"--- a/FILE\" and \"+++ b/FILE\" with hunks)");
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.place.number < b.place.number; });
  std::vector<Change> changes;
  for (Part& part : parts) {
    patched.applied.push_back(part.name);
    for (FileDiff& diff : part.diffs) changes.push_back({path, std::move(diff)});
  }
  return changes;
}

/// The path inside the tree: with as many leading folders taken away as make it exist, one (-p1) if none does.
std::string resolve(const fs::path& root, const std::string& written) {
  if (written.empty()) return "";
  const auto stripped = [&](int count) -> std::optional<std::string> {
    std::size_t at = 0;
    for (; count > 0; --count) {
      const std::size_t slash = written.find('/', at);
      if (slash == std::string::npos) return std::nullopt;
      at = written.find_first_not_of('/', slash);
      if (at == std::string::npos) return std::nullopt;
    }
    return written.substr(at);
  };
  for (const int count : {1, 0, 2, 3, 4, 5, 6}) {
    const auto path = stripped(count);
    if (path && !path->starts_with('/') && fs::is_regular_file(root / *path)) return *path;
  }
  return stripped(1).value_or(written);
}

/// Whether a build reads such a file.
bool is_built(const std::string& path) {
  static constexpr std::array folders{"block/",        "include/linux/", "include/asm-generic/",
                                      "include/uapi/", "include/trace/", "include/vdso/",
                                      "include/xen/",  "lib/",           "kernel/time/"};
  if (path.find("..") != std::string::npos) return false;
  if (path == "kernel/bounds.c" || path == "kernel/time/timeconst.bc") return true;
  const bool source = path.ends_with(".c") || path.ends_with(".h");
  return source && std::any_of(folders.begin(), folders.end(), [&](const char* folder) { return path.starts_with(folder); });
}

void add_once(std::vector<std::string>& list, const std::string& name) {
  if (!name.empty() && std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

/// A copy that may be changed. Trees in the cache never change, so links to their files do; a user may write into his own.
void copy_tree(const KernelTree& tree, const fs::path& cache, const fs::path& target) {
  const bool in_cache = tree.root.string().starts_with((cache / "trees").string());
  fs::create_directories(target);
  for (const char* part : {"block", "include", "lib", "kernel", "Makefile"}) {
    const fs::path from = tree.root / part;
    if (!fs::exists(from)) continue;
    const CommandResult linked = in_cache
                                     ? run_command(Command{{"cp", "-al", from.string(), (target / part).string()}, "", {}})
                                     : CommandResult{1, "", ""};
    if (linked.ok()) continue;
    const CommandResult copied =
        run_command(Command{{"cp", "-aT", "--reflink=auto", from.string(), (target / part).string()}, "", {}});
    if (!copied.ok())
      throw InputError(target.string() + ": the tree cannot be copied there (" +
                       copied.errors.substr(0, copied.errors.find('\n')) + "); give --cache DIR");
  }
}

/// Applies changes to a copy of a tree.
class Applier {
 public:
  Applier(fs::path root, std::vector<std::string>& notes) : root_(std::move(root)), notes_(notes) {}

  void apply(const Change& change, const std::string& from, const std::string& to) {
    const FileDiff& diff = change.diff;
    const std::string place = change.source + ":" + std::to_string(diff.line) + ": ";
    if (diff.binary) throw InputError(place + "a binary patch of " + (to.empty() ? from : to) + "; no scheduler has one");
    if (!from.empty() && !fs::exists(root_ / from)) throw BuildError(place + from + " is not in this tree");
    if (from.empty() && fs::exists(root_ / to)) throw BuildError(place + to + " is new in the patch, but this tree has it");
    const std::string target = to.empty() ? from : to;
    fs::create_directories((root_ / target).parent_path());
    // Written to a file of its own: the tree's may be linked to elsewhere.
    const fs::path work = root_ / ".patched";
    if (from.empty())
      write_file(work, "");
    else
      fs::copy_file(root_ / from, work, fs::copy_options::overwrite_existing);
    if (!diff.hunks.empty()) run_patch(change, target, work);
    if (!from.empty() && from != to && !diff.copied) fs::remove(root_ / from);
    if (to.empty())
      fs::remove(work);
    else
      fs::rename(work, root_ / to);
  }

 private:
  void run_patch(const Change& change, const std::string& path, const fs::path& work) {
    const FileDiff& diff = change.diff;
    const std::string text = "--- a/" + path + "\n+++ b/" + path + "\n" + diff.hunks;
    const CommandResult result =
        run_command(Command{{"patch", "--batch", "--forward", "--no-backup-if-mismatch", "--reject-file=-",
                             "--output=" + work.string() + ".new", work.string()},
                            text,
                            {}});
    if (result.status == 127) throw BuildError("patch(1) cannot be run; install the package patch");
    const bool reversed = result.output.find("previously applied") != std::string::npos;
    std::istringstream lines(result.output + result.errors);
    for (std::string line; std::getline(lines, line);) {
      unsigned hunk = 0;
      if (std::sscanf(line.c_str(), "Hunk #%u", &hunk) != 1 || hunk == 0 || hunk > diff.hunk_lines.size()) continue;
      const std::string place = change.source + ":" + std::to_string(diff.hunk_lines[hunk - 1]) + ": ";
      if (!reversed && line.find("FAILED") != std::string::npos)
        throw BuildError(place + "hunk " + std::to_string(hunk) + " of " + path + " does not apply to this tree" +
                         line.substr(std::min(line.find(" at "), line.size())));
      if (line.find("fuzz") != std::string::npos)
        notes_.push_back(place + "hunk " + std::to_string(hunk) + " of " + path + " applies only roughly" +
                         line.substr(std::min(line.find(" with "), line.size())));
    }
    if (!result.ok()) {
      throw BuildError(change.source + ":" + std::to_string(diff.line) + ": " + path +
                       (reversed ? " has this change already" : ": " + result.output.substr(0, result.output.find('\n'))));
    }
    fs::rename(work.string() + ".new", work);
  }

  fs::path root_;
  std::vector<std::string>& notes_;
};

}  // namespace

PatchedTree apply_patches(const KernelTree& tree, const std::vector<std::string>& patches, const fs::path& cache) {
  PatchedTree patched;
  std::vector<Change> changes;
  for (const std::string& file : patches) {
    for (Change& change : read_changes(file, patched)) changes.push_back(std::move(change));
  }
  const fs::path scratch = cache / "trees" / ("patching-" + std::to_string(::getpid()));
  fs::remove_all(scratch);
  copy_tree(tree, cache, scratch);
  try {
    Applier applier(scratch, patched.notes);
    ContentHash hash;
    hash.add(tree.content);
    for (const Change& change : changes) {
      const std::string from = resolve(scratch, change.diff.old_path);
      const std::string to = change.diff.old_path.empty() || change.diff.moved ? resolve(scratch, change.diff.new_path)
                             : change.diff.new_path.empty()                    ? ""
                                                                               : from;
      if (!is_built(from) && !is_built(to)) {
        add_once(patched.left_out, to.empty() ? from : to);
        continue;
      }
      applier.apply(change, from, to);
      for (const std::string& name : {from, to}) add_once(patched.changed, name);
      for (const std::string& text : {from, to, change.diff.hunks}) hash.add(text);
    }
    if (patched.changed.empty())
      throw BuildError(patches.front() + ": changes nothing that is built here (block/, include/, lib/), only " +
                       patched.left_out.front());
    const fs::path target = cache / "trees" / ("patched-" + hash.text());
    std::error_code ignored;
    fs::rename(scratch, target, ignored);  // fails if it is there already
    patched.tree = KernelTree{target, tree.version, hash.value()};
  } catch (...) {
    fs::remove_all(scratch);
    throw;
  }
  fs::remove_all(scratch);
  return patched;
}

}  // namespace elvcheck::kernel
