// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/command.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace elvcheck::kernel {

namespace {

/// A temporary file that only its descriptor knows.
class ScratchFile {
 public:
  ScratchFile() : file_(std::tmpfile(), &std::fclose) {
    if (file_ == nullptr) throw std::system_error(errno, std::generic_category(), "no temporary file can be made");
  }
  int descriptor() const { return fileno(file_.get()); }
  void write(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), file_.get());
    std::fflush(file_.get());
    std::rewind(file_.get());
    ::lseek(descriptor(), 0, SEEK_SET);
  }
  std::string read() {
    std::string text;
    char buffer[1 << 14];
    ::lseek(descriptor(), 0, SEEK_SET);
    for (ssize_t got = 0; (got = ::read(descriptor(), buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    return text;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// A started program with its three streams.
struct Running {
  pid_t pid = -1;
  ScratchFile input, output, errors;
};

void start(Running& running, const Command& command) {
  running.input.write(command.input);
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  running.pid = ::fork();
  if (running.pid < 0) throw std::system_error(errno, std::generic_category(), "cannot start " + command.arguments.front());
  if (running.pid > 0) return;
  ::dup2(running.input.descriptor(), STDIN_FILENO);
  ::dup2(running.output.descriptor(), STDOUT_FILENO);
  ::dup2(running.errors.descriptor(), STDERR_FILENO);
  ::setenv("LC_ALL", "C", 1);  // messages in one language
  ::unsetenv("LD_PRELOAD");    // a sanitizer's, which is not meant for compilers
  if (!command.directory.empty() && ::chdir(command.directory.c_str()) != 0) ::_exit(127);
  ::execvp(arguments.front(), arguments.data());
  std::perror(arguments.front());
  ::_exit(127);
}

CommandResult finish(Running& running) {
  int status = 0;
  while (::waitpid(running.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return CommandResult{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), running.output.read(),
                       running.errors.read()};
}

}  // namespace

CommandResult run_command(const Command& command) {
  Running running;
  start(running, command);
  return finish(running);
}

std::vector<CommandResult> run_commands(const std::vector<Command>& commands, unsigned jobs) {
  std::vector<CommandResult> results(commands.size());
  std::vector<std::unique_ptr<Running>> running(commands.size());
  // Waiting for the oldest keeps it simple; the commands of one batch take about equally long.
  for (std::size_t begun = 0, done = 0; done < commands.size(); ++done) {
    for (; begun < commands.size() && begun < done + std::max(jobs, 1U); ++begun) {
      running[begun] = std::make_unique<Running>();
      start(*running[begun], commands[begun]);
    }
    results[done] = finish(*running[done]);
    running[done].reset();
  }
  return results;
}

}  // namespace elvcheck::kernel
