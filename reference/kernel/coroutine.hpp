// SPDX-License-Identifier: GPL-2.0-or-later
// A stack of its own for kernel code that may sleep in the middle of a call.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <memory>

namespace elvcheck::kernel {

/// Runs jobs one after the other. A job may sleep(), which returns to whoever called run() or resume(), and goes on at resume().
class Coroutine {
 public:
  static constexpr std::size_t stack_bytes = 128 * 1024;

  Coroutine();
  Coroutine(const Coroutine&) = delete;
  Coroutine& operator=(const Coroutine&) = delete;

  /// Runs a job to its end (true) or until it sleeps (false). Not while another one sleeps.
  bool run(void (*job)(void*), void* argument);
  /// Lets the sleeping job go on; as run().
  bool resume();
  /// Called by the job.
  void sleep();
  bool sleeping() const { return job_ != nullptr; }

 private:
  static void body(unsigned high, unsigned low);

  std::unique_ptr<std::byte[]> stack_;
  ucontext_t inside_;
  ucontext_t outside_;
  void (*job_)(void*) = nullptr;
  void* argument_ = nullptr;
};

}  // namespace elvcheck::kernel
