// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace elvcheck {
namespace {

std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may store it");

void ask(int) { asked.store(true, std::memory_order_relaxed); }

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = ask;
  sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() { return asked.load(std::memory_order_relaxed); }

}  // namespace elvcheck
