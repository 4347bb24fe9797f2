// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/z3/isolated.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <system_error>

namespace elvcheck {

namespace {

using Clock = std::chrono::steady_clock;

// The first byte that a child writes says how its text is meant; the parent takes a text as whole only if the child ended
// well.
constexpr char finished_mark = 'F';
constexpr char threw_mark = 'T';

struct Child {
  pid_t pid = -1;
  int pipe = -1;
  std::size_t task = 0;
  Clock::time_point started;
  std::string received;
};

void write_all(int fd, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = ::write(fd, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(3);
    written += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void run_child(const std::function<std::string()>& task, int fd, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) _exit(3);  // the parent died before the line above
  std::signal(SIGINT, SIG_IGN);
  std::string answer;
  try {
    answer = finished_mark + task();
  } catch (const std::exception& error) {
    answer = std::string(1, threw_mark) + error.what();
  } catch (...) {
    answer = std::string(1, threw_mark) + "an exception that is no std::exception";
  }
  write_all(fd, answer);
  _exit(0);  // no destructors and no flushing: they are the parent's
}

Child start(std::size_t index, const std::function<std::string()>& task) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::system_error(error, std::generic_category(), "cannot start a process");
  }
  if (pid == 0) {
    ::close(ends[0]);
    run_child(task, ends[1], parent);
  }
  ::close(ends[1]);
  Child child;
  child.pid = pid;
  child.pipe = ends[0];
  child.task = index;
  child.started = Clock::now();
  return child;
}

/// Closes the pipe, waits for the process, and returns its wait status.
int reap(const Child& child) {
  ::close(child.pipe);
  int status = 0;
  while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

IsolatedResult finish(const Child& child) {
  const int status = reap(child);
  IsolatedResult result;
  if (WIFSIGNALED(status)) {
    result.text = std::string("ended by signal ") + strsignal(WTERMSIG(status));
  } else if (WEXITSTATUS(status) != 0 || child.received.empty()) {
    result.text = "ended without an answer, exit status " + std::to_string(WEXITSTATUS(status));
  } else {
    const bool finished = child.received.front() == finished_mark;
    result.end = finished ? IsolatedResult::End::finished : IsolatedResult::End::threw;
    result.text = child.received.substr(1);
  }
  return result;
}

IsolatedResult kill_child(const Child& child, IsolatedResult::End why, std::string text) {
  ::kill(child.pid, SIGKILL);
  reap(child);
  return {why, std::move(text), 0};
}

/// Reads what is there. False at the end of the child's output.
bool read_some(Child& child) {
  char buffer[4096];
  const ssize_t n = ::read(child.pipe, buffer, sizeof buffer);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  child.received.append(buffer, static_cast<std::size_t>(n));
  return n > 0;
}

/// The children that run, and what has become of the others.
class Pool {
 public:
  Pool(std::span<const std::function<std::string()>> tasks, const IsolatedOptions& options)
      : tasks_(tasks), options_(options), results_(tasks.size()) {}
  ~Pool() {
    for (const Child& child : running_) kill_child(child, IsolatedResult::End::cancelled, "");
  }

  std::vector<IsolatedResult> run() {
    while (next_ < tasks_.size() || !running_.empty()) {
      if (options_.cancelled && options_.cancelled()) {
        cancel();
        break;
      }
      while (next_ < tasks_.size() && running_.size() < std::max(1U, options_.jobs)) {
        running_.push_back(start(next_, tasks_[next_]));
        ++next_;
      }
      wait_for_output();
      for (std::size_t i = 0; i < running_.size();) {
        if (step(running_[i])) {
          running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          ++i;
        }
      }
    }
    return std::move(results_);
  }

 private:
  void wait_for_output() {
    ready_.clear();
    for (const Child& child : running_) ready_.push_back({child.pipe, POLLIN, 0});
    ::poll(ready_.data(), ready_.size(), 100);
  }

  /// Looks after one child. True when it has ended.
  bool step(Child& child) {
    const auto it = std::find_if(ready_.begin(), ready_.end(), [&](const pollfd& p) { return p.fd == child.pipe; });
    if (it != ready_.end() && it->revents != 0 && !read_some(child)) {
      record(child, finish(child));
      return true;
    }
    if (Clock::now() - child.started >= options_.watchdog) {
      record(child, kill_child(child, IsolatedResult::End::timed_out,
                               "killed after " + std::to_string(options_.watchdog.count()) + " s"));
      return true;
    }
    return false;
  }

  void record(const Child& child, IsolatedResult result) {
    result.seconds = std::chrono::duration<double>(Clock::now() - child.started).count();
    results_[child.task] = std::move(result);
    if (options_.done) options_.done(child.task);
  }

  void cancel() {
    for (const Child& child : running_) {
      results_[child.task] = kill_child(child, IsolatedResult::End::cancelled, "interrupted");
    }
    running_.clear();
    for (; next_ < tasks_.size(); ++next_) results_[next_] = {IsolatedResult::End::cancelled, "interrupted", 0};
  }

  std::span<const std::function<std::string()>> tasks_;
  const IsolatedOptions& options_;
  std::vector<IsolatedResult> results_;
  std::vector<Child> running_;
  std::vector<pollfd> ready_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<IsolatedResult> run_isolated(std::span<const std::function<std::string()>> tasks,
                                         const IsolatedOptions& options) {
  return Pool(tasks, options).run();
}

}  // namespace elvcheck
