// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/worker_pool.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "checker/cli/interrupt.hpp"

namespace elvcheck {

std::uint64_t run_pieces(std::uint64_t count, const WorkLimits& limits, const std::function<void(std::uint64_t)>& body,
                         const std::function<void(std::uint64_t)>& finished) {
  using Clock = std::chrono::steady_clock;
  const auto end = limits.time.count() > 0 ? Clock::now() + limits.time : Clock::time_point::max();
  std::mutex mutex;
  std::uint64_t next = 0;  // under the mutex, with the three below
  std::uint64_t done = 0;
  std::uint64_t failed_piece = count;
  std::exception_ptr failure;

  const auto work = [&] {
    while (true) {
      std::uint64_t piece = 0;
      {
        const std::lock_guard lock(mutex);
        if (next == count || failure || interrupted() || Clock::now() >= end) return;
        piece = next++;
      }
      try {
        body(piece);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure || piece < failed_piece) {
          failure = std::current_exception();
          failed_piece = piece;
        }
        return;
      }
      const std::lock_guard lock(mutex);
      finished(++done);
    }
  };
  std::vector<std::thread> threads;
  const auto others = std::min<std::uint64_t>(std::max(limits.jobs, 1U), std::max<std::uint64_t>(count, 1)) - 1;
  for (std::uint64_t i = 0; i < others; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return done;
}

std::chrono::nanoseconds thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace elvcheck
