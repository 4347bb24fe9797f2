// SPDX-License-Identifier: GPL-2.0-or-later
// The compiler's command lines for a tree, and the headers that Kbuild would generate.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reference/kernel/build.hpp"
#include "reference/kernel/command.hpp"

namespace elvcheck::kernel {

class TreeCompiler {
 public:
  /// @param folder  where generated headers and objects go
  TreeCompiler(const KernelTree& tree, Flavour flavour, const BuildOptions& options, std::filesystem::path folder);

  /// Writes autoconf.h, timeconst.h, bounds.h, and the results of the probes. Throws BuildError if the tree's headers do not
  /// compile at all.
  void generate_headers() const;

  /// Compiles a file of the tree, or of glue/, with the tree's headers.
  Command tree_object(const std::filesystem::path& source, const std::filesystem::path& object,
                      const std::vector<std::string>& extra = {}) const;
  /// Compiles a file of runtime/, with the C library's headers.
  Command runtime_object(const std::filesystem::path& source, const std::filesystem::path& object) const;
  /// Links objects into a shared object that shows only our own names.
  Command link(const std::vector<std::filesystem::path>& objects, const std::filesystem::path& output) const;

  const std::filesystem::path& folder() const { return folder_; }

  /// Runs them; throws BuildError with the first error of the first that fails.
  void run(const std::vector<Command>& commands, unsigned jobs) const;

 private:
  std::vector<std::string> tree_flags() const;
  Command probe(const std::string& fragment, const std::filesystem::path& file) const;

  const KernelTree& tree_;
  Flavour flavour_;
  const BuildOptions& options_;
  std::filesystem::path folder_;
  std::filesystem::path sources_;
  std::string compiler_headers_;
};

/// "FILE:LINE: text" of the first error in a compiler's messages, with the tree's own path taken off.
std::string first_error(const std::string& messages, const std::filesystem::path& root);

/// Replaces a file by way of a temporary one. Throws InputError.
void write_file(const std::filesystem::path& path, const std::string& text);
std::string read_file(const std::filesystem::path& path);

}  // namespace elvcheck::kernel
