// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/coroutine.hpp"

#include <cstdint>

namespace elvcheck::kernel {

Coroutine::Coroutine() : stack_(std::make_unique_for_overwrite<std::byte[]>(stack_bytes)) {
  ::getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_.get();
  inside_.uc_stack.ss_size = stack_bytes;
  inside_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  // makecontext passes ints; a pointer takes two.
  ::makecontext(&inside_, reinterpret_cast<void (*)()>(&Coroutine::body), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
}

void Coroutine::body(unsigned high, unsigned low) {
  auto* self = reinterpret_cast<Coroutine*>(static_cast<std::uintptr_t>(high) << 32 | low);
  for (;;) {
    self->job_(self->argument_);
    self->job_ = nullptr;
    ::swapcontext(&self->inside_, &self->outside_);
  }
}

bool Coroutine::run(void (*job)(void*), void* argument) {
  job_ = job;
  argument_ = argument;
  return resume();
}

bool Coroutine::resume() {
  ::swapcontext(&outside_, &inside_);
  return job_ == nullptr;
}

void Coroutine::sleep() { ::swapcontext(&inside_, &outside_); }

}  // namespace elvcheck::kernel
