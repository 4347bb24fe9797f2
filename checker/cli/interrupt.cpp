// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/interrupt.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace elvcheck {
namespace {

std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may store it");

std::atomic<std::int64_t> asked_at_ns{0};  // CLOCK_MONOTONIC
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
constexpr std::int64_t impatience_ns = 300'000'000;

// timeout(1) and some shells send a signal to the process and once more to its group. Only a person who asks again, later,
// wants the program gone at once.
void ask(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t now_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  if (!asked.exchange(true, std::memory_order_relaxed)) {
    asked_at_ns.store(now_ns, std::memory_order_relaxed);
  } else if (now_ns - asked_at_ns.load(std::memory_order_relaxed) > impatience_ns) {
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = ask;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() { return asked.load(std::memory_order_relaxed); }

}  // namespace elvcheck
