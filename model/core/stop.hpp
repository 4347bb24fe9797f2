// SPDX-License-Identifier: GPL-2.0-or-later
// How a long simulation is told from outside to end: a case may ask for a thousand million operations, and Ctrl-C has to end
// it. A run that nobody stops is not touched by this.
#pragma once

#include <cstdint>
#include <exception>

namespace elvcheck {

/// Thrown out of Machine::run() when it was asked to stop. What the run had done is void.
class RunStopped : public std::exception {
 public:
  const char* what() const noexcept override { return "the run was stopped"; }
};

/// While it lives, the runs of this thread ask `asked` now and then and throw RunStopped once it says yes.
class StopWhen {
 public:
  explicit StopWhen(bool (*asked)());
  ~StopWhen();
  StopWhen(const StopWhen&) = delete;
  StopWhen& operator=(const StopWhen&) = delete;

 private:
  bool (*before_)();
};

/// Counts the steps of a run and asks at every 4096th.
class StopPoint {
 public:
  void step() {
    if ((++steps_ & 0xfffU) == 0) ask();
  }

 private:
  static void ask();
  std::uint32_t steps_ = 0;
};

}  // namespace elvcheck
