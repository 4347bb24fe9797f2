// SPDX-License-Identifier: GPL-2.0-or-later
// The user's kernel tree: a directory, an archive, or the installed Debian package of the kernel's source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace elvcheck::kernel {

struct KernelTree {
  std::filesystem::path root;
  std::string version;        ///< "6.1.158", from its Makefile
  std::uint64_t content = 0;  ///< a hash of everything in it that a build can read
};

/// Where trees and builds are kept: `given`, else $XDG_CACHE_HOME/elvcheck, else ~/.cache/elvcheck. Created if missing.
/// Throws InputError if that is impossible.
std::filesystem::path cache_directory(const std::filesystem::path& given = {});

/// Finds a tree.
/// @param what  a directory; an archive (.tar, .tar.xz, .tar.gz, .tar.zst), of which only what is needed is unpacked, once for
///              each content; "debian" for the newest linux-source package installed, or "debian-6.1" for a certain one.
/// Throws InputError, saying what is missing and which package or file would mend it.
KernelTree open_tree(const std::string& what, const std::filesystem::path& cache);

/// The release without its stable number: "6.1" of "6.1.158", "2.6.35" of "2.6.35".
std::string release_of(const std::string& version);

/// The archive of an installed linux-source package ("" for the newest, or "6.1"); empty path if there is none.
std::filesystem::path debian_source(const std::string& version);

/// Hash of the parts of a tree that a build can read.
std::uint64_t hash_tree(const std::filesystem::path& root);

}  // namespace elvcheck::kernel
