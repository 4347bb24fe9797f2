// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/sanitizer.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "reference/kernel/build.hpp"
#include "reference/kernel/command.hpp"
#include "reference/kernel/compile.hpp"

namespace elvcheck::kernel {

void require_sanitizer(const std::string& compiler) {
  constexpr const char* mark = "ELVCHECK_SANITIZED";
  if (std::getenv(mark) != nullptr) return;
  const bool clang = compiler.find("clang") != std::string::npos;
  const CommandResult found =
      run_command(Command{{compiler, clang ? "-print-file-name=libclang_rt.asan-x86_64.so" : "-print-file-name=libasan.so"}, "", {}});
  const std::string library = found.output.substr(0, found.output.find('\n'));
  if (!found.ok() || !std::filesystem::path(library).is_absolute())
    throw BuildError("--sanitize: " + compiler + " has no AddressSanitizer runtime; install libasan (gcc) or use --compiler gcc");
  const std::string text = read_file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) words.emplace_back(text.c_str() + at);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::setenv(mark, "1", 1);
  ::setenv("LD_PRELOAD", library.c_str(), 1);
  // The kernel's objects outlive a run on purpose, and its stacks are switched by hand.
  ::setenv("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=0", 1);
  ::execv("/proc/self/exe", arguments.data());
  throw BuildError("--sanitize: the program cannot be started again");
}

}  // namespace elvcheck::kernel
