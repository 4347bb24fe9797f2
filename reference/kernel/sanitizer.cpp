// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/sanitizer.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/kernel/build.hpp"
#include "reference/kernel/command.hpp"
#include "reference/kernel/compile.hpp"

namespace elvcheck::kernel {

std::string sanitizer_library(const std::string& compiler) {
  const bool clang = compiler.find("clang") != std::string::npos;
  const CommandResult found = run_command(
      Command{{compiler, clang ? "-print-file-name=libclang_rt.asan-x86_64.so" : "-print-file-name=libasan.so"}, "", {}});
  const std::string library = found.output.substr(0, found.output.find('\n'));
  if (!found.ok() || !std::filesystem::path(library).is_absolute())
    throw BuildError("--sanitize: " + compiler +
                     " has no AddressSanitizer runtime; install libasan (gcc) or use --compiler gcc");
  return library;
}

void require_sanitizer(const std::string& compiler) {
  constexpr const char* mark = "ELVCHECK_SANITIZED";
  if (std::getenv(mark) != nullptr) return;
  const std::string library = sanitizer_library(compiler);
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

void on_sanitizer_finding(void (*handler)(const char* report)) {
  using SetCallback = void (*)(void (*)(const char*));
  using SetReportFile = void (*)(void*);
  const auto set_callback = reinterpret_cast<SetCallback>(::dlsym(RTLD_DEFAULT, "__asan_set_error_report_callback"));
  const auto set_file = reinterpret_cast<SetReportFile>(::dlsym(RTLD_DEFAULT, "__sanitizer_set_report_fd"));
  if (set_callback == nullptr || set_file == nullptr) return;
  set_callback(handler);
  const std::intptr_t nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  set_file(reinterpret_cast<void*>(nowhere));
}

std::string summarize_finding(const std::string& report) {
  // "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x.. at pc ..", then stacks of "#0 0x.. in NAME
  // FILE:LINE[:COLUMN]".
  const auto frame_after = [&](std::size_t from) -> std::string {
    const auto end = report.find("\n\n", from);
    for (auto at = report.find(" in ", from); at < end; at = report.find(" in ", at + 1)) {
      std::string frame = report.substr(at + 4, report.find('\n', at) - at - 4);
      const bool of_tree = frame.find(".c:") != std::string::npos && frame.find("runtime/") == std::string::npos;
      if (!of_tree) continue;
      const auto space = frame.find(' ');
      // Some runtimes put the folder of the compilation before the tree's name of the file.
      if (const auto block = frame.rfind("/block/"); block != std::string::npos) frame.erase(space + 1, block - space);
      return frame.substr(0, space) + " (" + frame.substr(space + 1) + ")";
    }
    return "unknown code";
  };
  constexpr std::string_view mark = "AddressSanitizer: ";
  const auto begin = report.find(mark);
  if (begin == std::string::npos) return "AddressSanitizer found something";
  const auto kind_at = begin + mark.size();
  std::string text = report.substr(kind_at, report.find_first_of(" \n", kind_at) - kind_at) + " in " + frame_after(begin);
  for (const auto& [stack, words] :
       {std::pair{"freed by thread", ", freed by "}, {"allocated by thread", ", allocated by "}}) {
    const auto at = report.find(stack);
    if (at != std::string::npos) return text + words + frame_after(at);
  }
  return text;
}

}  // namespace elvcheck::kernel
