// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/tree.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "properties/case_file.hpp"
#include "reference/kernel/command.hpp"
#include "reference/kernel/content_hash.hpp"

namespace elvcheck::kernel {

namespace fs = std::filesystem;

namespace {

/// What the builds read, as patterns for tar; the first component is the archive's top folder.
constexpr std::array needed{"*/block/*.[ch]",
                            "*/include/linux/*",
                            "*/include/asm-generic/*",
                            "*/include/uapi/*",
                            "*/include/trace/*",
                            "*/include/vdso/*",
                            "*/include/xen/*",
                            "*/lib/*.[ch]",
                            "*/kernel/bounds.c",
                            "*/kernel/time/*.[ch]",
                            "*/kernel/time/timeconst.*",
                            "*/fs/bio.c",
                            "*/fs/ioprio.c",
                            "*/Makefile"};

/// The same for a directory; include/ has large parts that no block code reads.
constexpr std::array needed_folders{"block",        "kernel/time",   "include/linux", "include/asm-generic",
                                    "include/uapi", "include/trace", "include/vdso",  "include/xen"};
constexpr std::array needed_files{"kernel/bounds.c", "kernel/time/timeconst.bc", "fs/bio.c", "fs/ioprio.c", "Makefile"};

std::string read_version(const fs::path& makefile) {
  std::ifstream file(makefile);
  std::array<std::string, 3> parts;
  for (std::string line; std::getline(file, line);) {
    const auto equals = line.find(" =");
    if (equals == std::string::npos) continue;
    const std::string value = line.size() > equals + 3 ? line.substr(equals + 3) : "";
    const std::string name = line.substr(0, equals);
    if (name == "VERSION") parts[0] = value;
    if (name == "PATCHLEVEL") parts[1] = value;
    if (name == "SUBLEVEL") {
      parts[2] = value;
      break;
    }
  }
  return parts[0].empty() ? "unknown" : parts[0] + "." + parts[1] + (parts[2].empty() ? "" : "." + parts[2]);
}

void require_kernel(const fs::path& root, const std::string& what) {
  for (const char* file : {"include/linux/blkdev.h", "block/elevator.c"}) {
    if (!fs::exists(root / file))
      throw InputError(what + ": not a Linux kernel tree (it has no " + file + "); name its top folder");
  }
}

/// A folder beside the target that becomes the target by one rename.
fs::path temporary_beside(const fs::path& target) { return target.string() + ".tmp" + std::to_string(::getpid()); }

KernelTree unpack(const fs::path& archive, const fs::path& cache) {
  ContentHash hash;
  hash.add_file(archive);
  for (const char* pattern : needed) hash.add(pattern);
  const fs::path root = cache / "trees" / hash.text();
  if (!fs::exists(root)) {
    const fs::path scratch = temporary_beside(root);
    fs::remove_all(scratch);
    fs::create_directories(scratch);
    Command tar{
        {"tar", "-xf", archive.string(), "-C", scratch.string(), "--strip-components=1", "--no-same-owner", "--wildcards"},
        "",
        {}};
    for (const char* pattern : needed) tar.arguments.emplace_back(pattern);
    const CommandResult result = run_command(tar);
    // tar complains about patterns that match nothing in this version; what counts is whether a tree came out.
    if (!fs::exists(scratch / "include/linux/blkdev.h")) {
      fs::remove_all(scratch);
      const std::string why = result.errors.substr(0, result.errors.find('\n'));
      throw InputError(archive.string() + ": no kernel tree can be unpacked from it (" +
                       (why.empty() ? "it has none" : why) + "); name a kernel source archive");
    }
    std::error_code ignored;
    fs::rename(scratch, root, ignored);  // somebody else may have been faster
    fs::remove_all(scratch);
  }
  require_kernel(root, archive.string());
  return KernelTree{root, read_version(root / "Makefile"), hash.value()};
}

/// "6.12" after "6.1": numbers, not letters.
std::pair<int, int> version_key(const std::string& version) {
  int major = 0;
  int minor = 0;
  std::sscanf(version.c_str(), "%d.%d", &major, &minor);
  return {major, minor};
}

}  // namespace

fs::path cache_directory(const fs::path& given) {
  fs::path path = given;
  if (path.empty()) {
    const char* xdg = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    if (xdg != nullptr && *xdg != '\0')
      path = fs::path(xdg) / "elvcheck";
    else if (home != nullptr && *home != '\0')
      path = fs::path(home) / ".cache" / "elvcheck";
    else
      throw InputError("no folder for the cache of kernel builds: neither XDG_CACHE_HOME nor HOME is set; give --cache DIR");
  }
  std::error_code error;
  fs::create_directories(path, error);
  if (error || ::access(path.c_str(), W_OK) != 0)
    throw InputError(path.string() + ": cannot be written (" + (error ? error.message() : "no permission") +
                     "); give --cache DIR");
  return fs::absolute(path);
}

fs::path debian_source(const std::string& version) {
  fs::path best;
  std::string best_version;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/src", error)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view prefix = "linux-source-";
    constexpr std::string_view suffix = ".tar.xz";
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    const std::string found = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    if (!version.empty() && found != version) continue;
    if (!best.empty() && version_key(found) < version_key(best_version)) continue;
    best = entry.path();
    best_version = found;
  }
  return best;
}

std::string release_of(const std::string& version) {
  const std::size_t parts = version.starts_with("2.6.") ? 3 : 2;
  std::size_t end = 0;
  for (std::size_t i = 0; i < parts && end != std::string::npos; ++i) end = version.find('.', i == 0 ? 0 : end + 1);
  return version.substr(0, end);
}

std::uint64_t hash_tree(const fs::path& root) {
  std::vector<fs::path> files;
  for (const char* folder : needed_folders) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder, error)) {
      const std::string extension = entry.path().extension().string();
      if ((extension == ".c" || extension == ".h") && entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "lib", error)) {
    if (entry.path().extension() == ".c" || entry.path().extension() == ".h") files.push_back(entry.path());
  }
  for (const char* file : needed_files) files.push_back(root / file);
  std::sort(files.begin(), files.end());
  ContentHash hash;
  for (const fs::path& file : files) {
    hash.add(file.lexically_relative(root).string());
    hash.add_file(file);
  }
  return hash.value();
}

KernelTree open_tree(const std::string& what, const fs::path& cache) {
  if (what == "debian" || what.starts_with("debian-")) {
    const std::string version = what == "debian" ? "" : what.substr(7);
    const fs::path archive = debian_source(version);
    if (archive.empty()) {
      const std::string package = "linux-source-" + (version.empty() ? "6.1" : version);
      throw InputError("--tree " + what + ": no Debian package of kernel source is installed; apt-get install " + package +
                       (package == "linux-source-6.12" ? " (in bookworm-security)" : ""));
    }
    return unpack(archive, cache);
  }
  const fs::path path = what;
  if (fs::is_directory(path)) {
    require_kernel(path, what);
    const fs::path root = fs::canonical(path);
    return KernelTree{root, read_version(root / "Makefile"), hash_tree(root)};
  }
  if (fs::is_regular_file(path)) return unpack(fs::canonical(path), cache);
  throw InputError("--tree " + what +
                   ": there is no such folder or file; name a kernel tree, a .tar.xz of one, or \"debian\"");
}

}  // namespace elvcheck::kernel
