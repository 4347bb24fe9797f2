// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace elvcheck {

std::string progress_text(const std::string& what, std::uint64_t done, std::uint64_t total, double seconds,
                          std::chrono::seconds limit) {
  std::string text = fmt::format("{} {}/{}", what, done, total);
  if (done == 0 || seconds <= 0) return text;
  const double rate = static_cast<double>(done) / seconds;
  double left = static_cast<double>(total - std::min(done, total)) / rate;
  if (limit.count() > 0) left = std::clamp(static_cast<double>(limit.count()) - seconds, 0.0, left);
  const auto whole = static_cast<std::int64_t>(left + 0.5);
  return text + fmt::format(", {:.{}f}/s, {}:{:02} left", rate, rate < 10 ? 1 : 0, whole / 60, whole % 60);
}

Progress::Progress(std::string what, std::uint64_t total, std::chrono::seconds limit, bool wanted)
    : what_(std::move(what)), total_(total), limit_(limit), visible_(wanted && isatty(STDERR_FILENO) == 1) {
  update(0);
}

Progress::~Progress() {
  if (visible_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(std::uint64_t done) {
  if (!visible_) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::fputs(("\r\x1b[K" + progress_text(what_, done, total_, seconds, limit_)).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace elvcheck
