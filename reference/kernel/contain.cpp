// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/contain.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <variant>
#include <vector>

#include "reference/kernel/sanitizer.hpp"

namespace elvcheck::kernel {

namespace {

/// What a child says: one letter, a number, a length, and a text.
enum class Word : char { finished = 'f', trouble = 't', finding = 'a', hung = 'h', failed = 'x' };
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

void finding_in_child(const char* report) {
  const std::string text = summarize_finding(report);
  send(Word::finding, 0, text.data(), text.size());
  ::_exit(1);
}

void arm_limit(const ContainLimits& limits) {
  itimerval limit{};
  limit.it_value.tv_sec = limits.cpu_for_each.count() / 1000;
  limit.it_value.tv_usec = limits.cpu_for_each.count() % 1000 * 1000;
  ::setitimer(ITIMER_PROF, &limit, nullptr);
}

/// How a piece ended: with a text, or by accident.
using Outcome = std::variant<std::string, Accident>;

/// A child process, its end of the pipe, and the words that have come so far.
class Child {
 public:
  using Body = std::function<std::string(std::uint64_t)>;
  struct Share {
    std::uint64_t next;   ///< the first piece to do
    std::uint64_t count;  ///< end of the pieces
    std::uint64_t step;   ///< from one piece of this child to the next
  };

  Child(const Share& share, const Body& body, const ContainLimits& limits, const std::vector<std::unique_ptr<Child>>& others)
      : share_(share), limits_(limits) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "no pipe to a child process");
    std::fflush(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "no child process");
    if (pid_ == 0) {
      // A pipe must lose its last reader with the parent.
      ::close(ends[0]);
      for (const auto& other : others) {
        if (other != nullptr) ::close(other->descriptor());
      }
      channel = ends[1];
      work(share, body, limits);
    }
    ::close(ends[1]);
    from_ = ends[0];
  }
  ~Child() {
    ::close(from_);
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int descriptor() const { return from_; }
  const Share& share() const { return share_; }

  /// Reads what is there, calling `done` for each piece that ended. False at the child's end; an accident ended it if pieces
  /// are left. Throws what body has thrown.
  template <typename Done>
  bool read(Done done) {
    char bytes[1 << 14];
    const ssize_t got = ::read(from_, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return ended(done);
    buffer_.append(bytes, static_cast<std::size_t>(got));
    std::size_t at = 0;
    for (Header header; buffer_.size() - at >= sizeof header;) {
      std::memcpy(&header, buffer_.data() + at, sizeof header);
      if (buffer_.size() - at - sizeof header < header.length) break;
      take(header, buffer_.substr(at + sizeof header, header.length), done);
      at += sizeof header + header.length;
    }
    buffer_.erase(0, at);
    return true;
  }

 private:
  [[noreturn]] static void work(const Share& share, const Body& body, const ContainLimits& limits) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    struct sigaction action {};
    action.sa_handler = &out_of_time;
    ::sigaction(SIGPROF, &action, nullptr);
    set_trouble_handler(&trouble_in_child);
    on_sanitizer_finding(&finding_in_child);
    for (std::uint64_t piece = share.next; piece < share.count; piece += share.step) {
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

  template <typename Done>
  void take(const Header& header, std::string text, Done done) {
    switch (header.word) {
      case Word::finished:
        share_.next = header.number + share_.step;
        done(header.number, Outcome(std::move(text)));
        break;
      case Word::trouble:
        happened_ = Accident{Accident::Kind::trouble, static_cast<Trouble>(header.number), std::move(text)};
        break;
      case Word::finding:
        happened_ = Accident{Accident::Kind::crash, {}, std::move(text)};
        break;
      case Word::hung:
        happened_ = Accident{Accident::Kind::hang,
                             {},
                             "no end after " + std::to_string(limits_.cpu_for_each.count()) + " ms of processor time"};
        break;
      case Word::failed:
        throw std::runtime_error(text);
    }
  }

  template <typename Done>
  bool ended(Done done) {
    const int status = wait();
    if (share_.next >= share_.count) return false;
    if (!happened_)
      happened_ = Accident{
          Accident::Kind::crash,
          {},
          WIFSIGNALED(status) ? std::string("ended by ") + ::strsignal(WTERMSIG(status)) : std::string("ended by itself")};
    done(share_.next, Outcome(std::move(*happened_)));
    share_.next += share_.step;
    return false;
  }

  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

  Share share_;
  const ContainLimits& limits_;
  pid_t pid_ = -1;
  int from_ = -1;
  std::string buffer_;
  std::optional<Accident> happened_;
};

}  // namespace

void run_contained(std::uint64_t count, const std::function<std::string(std::uint64_t)>& body,
                   const std::function<void(std::uint64_t, const std::string&)>& finished,
                   const std::function<void(std::uint64_t, const Accident&)>& accident, const ContainLimits& limits,
                   const std::function<bool()>& stop) {
  const std::uint64_t jobs = std::min<std::uint64_t>(std::max(limits.jobs, 1U), count);
  std::vector<std::unique_ptr<Child>> children(jobs);
  for (std::uint64_t n = 0; n < jobs; ++n)
    children[n] = std::make_unique<Child>(Child::Share{n, count, jobs}, body, limits, children);

  std::map<std::uint64_t, Outcome> early;  // pieces that ended before one with a lower number
  std::uint64_t told = 0;
  const auto tell = [&] {
    for (auto next = early.find(told); next != early.end() && !(stop && stop()); next = early.find(++told)) {
      if (const std::string* text = std::get_if<std::string>(&next->second))
        finished(told, *text);
      else
        accident(told, std::get<Accident>(next->second));
      early.erase(next);
    }
  };
  while (told < count && !(stop && stop())) {
    std::vector<pollfd> waiting;
    std::vector<std::size_t> whose;
    for (std::size_t n = 0; n < children.size(); ++n) {
      if (children[n] == nullptr) continue;
      waiting.push_back({children[n]->descriptor(), POLLIN, 0});
      whose.push_back(n);
    }
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "cannot wait for child processes");
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      std::unique_ptr<Child>& child = children[whose[i]];
      if (waiting[i].revents == 0) continue;
      if (child->read([&](std::uint64_t piece, Outcome outcome) { early.emplace(piece, std::move(outcome)); })) continue;
      const Child::Share rest = child->share();
      child.reset();
      if (rest.next < count) child = std::make_unique<Child>(rest, body, limits, children);
    }
    tell();
  }
}

}  // namespace elvcheck::kernel
