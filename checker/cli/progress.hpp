// SPDX-License-Identifier: GPL-2.0-or-later
// One line on a terminal that says how far a long phase has come, how fast it goes and how long it will take.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace elvcheck {

class Progress {
 public:
  /// @param what   what is counted: "random streams"
  /// @param total  how many there will be
  /// @param limit  the phase ends by then at the latest; zero: no limit
  /// Silent unless standard error is a terminal and `wanted`.
  Progress(std::string what, std::uint64_t total, std::chrono::seconds limit, bool wanted);
  /// Wipes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of them are finished. Any thread; draws at most ten times a second.
  void update(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  std::mutex mutex_;
  std::string what_;
  std::uint64_t total_;
  std::chrono::seconds limit_;
  bool visible_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
};

/// The text of the line: "random streams 120/900, 60/s, 0:13 left". `limit` zero: none.
std::string progress_text(const std::string& what, std::uint64_t done, std::uint64_t total, double seconds,
                          std::chrono::seconds limit);

}  // namespace elvcheck
