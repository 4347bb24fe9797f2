// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/checker/cli/program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <iterator>

namespace elvcheck::test {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void become(const std::vector<std::string>& command, const Setting& setting) {
  for (const auto& [name, value] : setting.environment) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  if (!setting.directory.empty() && chdir(setting.directory.c_str()) != 0) _exit(126);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

/// Reads from the descriptors until all are closed, and sends the signal when its time has come.
void collect(std::vector<std::pair<int, std::string*>> sources, pid_t child, const Setting& setting) {
  const auto start = Clock::now();
  bool sent = setting.signal == 0;
  while (!sources.empty()) {
    std::vector<pollfd> polled;
    for (const auto& source : sources) polled.push_back({source.first, POLLIN, 0});
    poll(polled.data(), polled.size(), 20);
    if (!sent && Clock::now() - start >= setting.signal_after) {
      kill(child, setting.signal);
      sent = true;
    }
    for (std::size_t i = polled.size(); i-- > 0;) {
      if (polled[i].revents == 0) continue;
      std::array<char, 4096> buffer;
      const ssize_t got = read(sources[i].first, buffer.data(), buffer.size());
      if (got > 0) {
        sources[i].second->append(buffer.data(), static_cast<std::size_t>(got));
      } else {
        close(sources[i].first);
        sources.erase(sources.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Outcome run_on_terminal(const std::vector<std::string>& command, const Setting& setting) {
  Outcome outcome;
  int master = -1;
  const pid_t child = forkpty(&master, nullptr, nullptr, nullptr);
  if (child == 0) become(command, setting);
  collect({{master, &outcome.out}}, child, setting);
  outcome.exit_code = wait_for(child);
  return outcome;
}

}  // namespace

Outcome run_program(const std::vector<std::string>& command, const Setting& setting) {
  if (setting.terminal) return run_on_terminal(command, setting);
  std::array<int, 2> out{}, err{};
  if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = open("/dev/null", O_RDONLY);
    const int target = setting.stdout_path.empty() ? out[1] : open(setting.stdout_path.c_str(), O_WRONLY | O_CREAT, 0666);
    dup2(nothing, STDIN_FILENO);
    dup2(target, STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    become(command, setting);
  }
  close(out[1]);
  close(err[1]);
  Outcome outcome;
  collect({{out[0], &outcome.out}, {err[0], &outcome.err}}, child, setting);
  outcome.exit_code = wait_for(child);
  return outcome;
}

Outcome run_elvcheck(const std::vector<std::string>& arguments, const Setting& setting) {
  std::vector<std::string> command = {ELVCHECK_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_program(command, setting);
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "elvcheck test XXXXXX").string();  // with blanks, on purpose
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace elvcheck::test
