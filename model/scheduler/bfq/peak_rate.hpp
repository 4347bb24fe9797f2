// SPDX-License-Identifier: GPL-2.0-or-later
// The peak-rate estimator: how fast the device is, from what is dispatched.
//
// Mirrors bfq_update_peak_rate, bfq_update_rate_reset and bfq_reset_rate_computation of block/bfq-iosched.c (6.1).
// Dispatches are gathered over an observation interval of about a second; a pause, or a gap between completions that says
// the device was not the bottleneck, ends it early. What an interval does to the estimate is PeakRateCore.
#pragma once

#include <algorithm>

#include "model/scheduler/bfq/peak_rate_core.hpp"

namespace elvcheck::bfq {

class PeakRate {
 public:
  explicit PeakRate(std::int64_t initial) : peak_(initial) {}

  /// Sectors a microsecond, times 2^16.
  std::int64_t value() const { return peak_; }
  std::int64_t last_completion() const { return last_completion_; }

  /// A request leaves for the device. True if the estimate has changed.
  /// @param in_driver requests at the device, without this one
  bool dispatched(std::int64_t now, std::int64_t sectors, bool seeky, int in_driver) {
    bool changed = false;
    if (samples_ == 0) {
      restart(now, sectors);
    } else if (now - last_dispatch_ > longest_pause && in_driver == 0) {
      changed = close(now, sectors);
    } else {
      ++samples_;
      if ((in_driver > 0 || now - last_completion_ < short_gap) && !seeky) ++sequential_;
      total_ += sectors;
      largest_ = samples_ % 32 != 0 ? std::max(largest_, sectors) : sectors;
      delta_from_first_ = now - first_dispatch_;
      if (delta_from_first_ >= rate_ref_interval_ns) changed = close(now, sectors);
    }
    last_dispatch_ = now;
    return changed;
  }

  /// A request is done. True if the estimate has changed.
  bool completed(std::int64_t now) {
    bool changed = false;
    const std::int64_t gap_us = (now - last_completion_) / 1000;
    if (gap_us > short_gap / 1000 && (largest_ << rate_shift) / gap_us < std::int64_t{1} << (rate_shift - 10))
      changed = close(now, 0);
    last_completion_ = now;
    return changed;
  }

 private:
  static constexpr std::int64_t longest_pause = 100'000'000;  // ns
  static constexpr std::int64_t short_gap = 2'000'000;        // BFQ_MIN_TT, ns
  using Core = PeakRateCore<Concrete>;

  /// Ends the interval; a request (sectors > 0) starts the next one.
  bool close(std::int64_t now, std::int64_t sectors) {
    bool changed = false;
    if (Core::usable(samples_, delta_from_first_)) {
      delta_from_first_ = std::max(delta_from_first_, last_completion_ - first_dispatch_);
      const std::int64_t rate = Core::rate(total_, delta_from_first_);
      if (Core::credible(rate, peak_, samples_, sequential_)) {
        peak_ = Core::filtered(rate, peak_, samples_, sequential_, delta_from_first_);
        changed = true;
      }
    }
    restart(now, sectors);
    return changed;
  }
  void restart(std::int64_t now, std::int64_t sectors) {
    samples_ = 0;
    if (sectors == 0) return;
    last_dispatch_ = first_dispatch_ = now;
    samples_ = 1;
    sequential_ = 0;
    total_ = largest_ = sectors;
  }

  std::int64_t peak_;
  std::int64_t samples_ = 0;
  std::int64_t sequential_ = 0;
  std::int64_t total_ = 0;           // sectors
  std::int64_t largest_ = 0;         // last_rq_max_size
  std::int64_t first_dispatch_ = 0;  // ns, as are the rest
  std::int64_t last_dispatch_ = 0;
  std::int64_t delta_from_first_ = 0;
  std::int64_t last_completion_ = 0;
};

}  // namespace elvcheck::bfq
