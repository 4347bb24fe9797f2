// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/contain.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace elvcheck::kernel {

namespace {

/// What a child says: one letter, a number, a length, and a text.
enum class Word : char { begun = 'b', finished = 'f', trouble = 't', hung = 'h', failed = 'x' };
struct Header {
  Word word;
  std::uint64_t number;
  std::uint64_t length;
};

int channel = -1;  // of the child; signal handlers need it

/// Only calls that a signal handler may make.
void send(Word word, std::uint64_t number, const char* text, std::size_t length) {
  const Header header{word, number, length};
  const auto write_all = [](const void* bytes, std::size_t count) {
    const char* at = static_cast<const char*>(bytes);
    while (count > 0) {
      const ssize_t done = ::write(channel, at, count);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) ::_exit(1);  // the parent is gone
      at += done;
      count -= static_cast<std::size_t>(done);
    }
  };
  write_all(&header, sizeof header);
  write_all(text, length);
}

void out_of_time(int) {
  send(Word::hung, 0, "", 0);
  ::_exit(1);
}

void trouble_in_child(Trouble trouble, const char* text) {
  send(Word::trouble, static_cast<std::uint64_t>(trouble), text, std::strlen(text));
  ::_exit(1);
}

void arm_limit(const ContainLimits& limits) {
  itimerval limit{};
  limit.it_value.tv_sec = limits.cpu_for_each.count() / 1000;
  limit.it_value.tv_usec = limits.cpu_for_each.count() % 1000 * 1000;
  ::setitimer(ITIMER_PROF, &limit, nullptr);
}

[[noreturn]] void be_child(std::uint64_t first, std::uint64_t count, const std::function<std::string(std::uint64_t)>& body,
                           const ContainLimits& limits) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  struct sigaction action {};
  action.sa_handler = &out_of_time;
  ::sigaction(SIGPROF, &action, nullptr);
  set_trouble_handler(&trouble_in_child);
  for (std::uint64_t piece = first; piece < count; ++piece) {
    send(Word::begun, piece, "", 0);
    arm_limit(limits);
    try {
      const std::string result = body(piece);
      send(Word::finished, piece, result.data(), result.size());
    } catch (const std::exception& error) {
      send(Word::failed, piece, error.what(), std::strlen(error.what()));
      ::_exit(1);
    }
  }
  ::_exit(0);  // not exit: what the parent has buffered is the parent's
}

/// Reads whole words from a child; nothing at its end.
class Reader {
 public:
  explicit Reader(int from) : from_(from) {}
  ~Reader() { ::close(from_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  bool next(Header& header, std::string& text) {
    if (!read_all(&header, sizeof header)) return false;
    text.resize(header.length);
    return read_all(text.data(), text.size());
  }

 private:
  bool read_all(void* bytes, std::size_t count) {
    char* at = static_cast<char*>(bytes);
    while (count > 0) {
      const ssize_t done = ::read(from_, at, count);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return false;
      at += done;
      count -= static_cast<std::size_t>(done);
    }
    return true;
  }
  int from_;
};

}  // namespace

void run_contained(std::uint64_t count, const std::function<std::string(std::uint64_t)>& body,
                   const std::function<void(std::uint64_t, const std::string&)>& finished,
                   const std::function<void(std::uint64_t, const Accident&)>& accident, const ContainLimits& limits,
                   const std::function<bool()>& stop) {
  for (std::uint64_t next = 0; next < count && !(stop && stop());) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "no pipe to a child process");
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "no child process");
    if (child == 0) {
      ::close(ends[0]);
      channel = ends[1];
      be_child(next, count, body, limits);
    }
    ::close(ends[1]);
    Reader reader(ends[0]);
    std::optional<Accident> happened;
    std::string failure;
    bool stopped = false;
    Header header{};
    std::string text;
    while (!stopped && reader.next(header, text)) {
      switch (header.word) {
        case Word::begun:
          break;
        case Word::finished:
          finished(header.number, text);
          next = header.number + 1;
          stopped = stop && stop();
          break;
        case Word::trouble:
          happened = Accident{Accident::Kind::trouble, static_cast<Trouble>(header.number), text};
          break;
        case Word::hung:
          happened = Accident{Accident::Kind::hang, {},
                              "no end after " + std::to_string(limits.cpu_for_each.count()) + " ms of processor time"};
          break;
        case Word::failed:
          failure = text;
          break;
      }
    }
    if (stopped) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!failure.empty()) throw std::runtime_error(failure);
    if (stopped || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return;
    if (!happened)
      happened = Accident{Accident::Kind::crash, {}, WIFSIGNALED(status) ? std::string("ended by ") + ::strsignal(WTERMSIG(status))
                                                                         : std::string("ended by itself (a sanitizer's finding?)")};
    accident(next++, *happened);
  }
}

}  // namespace elvcheck::kernel
