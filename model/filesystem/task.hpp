// SPDX-License-Identifier: GPL-2.0-or-later
// A task: code of a process or kernel thread that sleeps in the middle, written as a C++20 coroutine. What it does between
// two sleeps takes no virtual time; it sleeps, computes and waits for I/O through a TaskContext
// (model/filesystem/tasks.hpp).
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace elvcheck {

template <class T>
class Task;

namespace task_detail {

/// What the promises of all tasks share: who goes on when the task has ended, and what it threw.
class PromiseBase {
 public:
  struct Final {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      const std::coroutine_handle<> caller = ended.promise().caller;
      return caller ? caller : std::coroutine_handle<>(std::noop_coroutine());
    }
    void await_resume() const noexcept {}
  };
  std::suspend_always initial_suspend() const noexcept { return {}; }
  Final final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { thrown = std::current_exception(); }

  std::coroutine_handle<> caller;
  std::exception_ptr thrown;
};

template <class T>
class Promise : public PromiseBase {
 public:
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& given) {
    value.emplace(std::forward<U>(given));
  }
  T take() { return std::move(*value); }
  std::optional<T> value;
};

template <>
class Promise<void> : public PromiseBase {
 public:
  Task<void> get_return_object();
  void return_void() const noexcept {}
  void take() const noexcept {}
};

}  // namespace task_detail

/// A coroutine that starts when it is awaited, or when its Tasks start it, and gives a T at its end. It owns its frame: it
/// is destroyed with the Task. What it throws comes out where it is awaited.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = task_detail::Promise<T>;
  explicit Task(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Task() {
    if (frame_) frame_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
    frame_.promise().caller = caller;
    return frame_;
  }
  T await_resume() {
    check();
    return frame_.promise().take();
  }

  /// The frame, for whoever runs a task that nobody awaits.
  std::coroutine_handle<> frame() const { return frame_; }
  /// It has ended, well or not.
  bool done() const { return frame_.done(); }
  /// Throws what the task has thrown.
  void check() const {
    if (frame_.promise().thrown) std::rethrow_exception(frame_.promise().thrown);
  }

 private:
  std::coroutine_handle<promise_type> frame_;
};

namespace task_detail {
template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}
}  // namespace task_detail

}  // namespace elvcheck
