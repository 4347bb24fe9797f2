// SPDX-License-Identifier: GPL-2.0-or-later
// What fio would have measured: operations, bytes and completion latencies of a run.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/core/trace.hpp"

namespace elvcheck {

/// Latencies from submission to completion (fio's clat) of one direction.
struct LatencyFigures {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  Nanoseconds mean{0};  ///< rounded down
  Nanoseconds p99{0};   ///< nearest rank
  Nanoseconds max{0};
};

/// Follows each submission through merges to its completion. Memory grows by 8 bytes for each operation.
class Meter : public TraceListener {
 public:
  void on_event(const TraceEvent& event) override;

  LatencyFigures reads() const { return figures(reads_); }
  LatencyFigures writes() const { return figures(writes_); }
  LatencyFigures all() const;
  /// From the first submission to the last completion.
  Nanoseconds span() const { return last_ - first_; }

 private:
  struct Submission {
    Nanoseconds at{0};
    bool write = false;
    std::uint64_t bytes = 0;
  };
  struct Side {
    std::vector<Nanoseconds> latencies;
    std::uint64_t bytes = 0;
  };
  static LatencyFigures figures(const Side& side);
  void complete(BioId bio, Nanoseconds at);

  std::map<BioId, Submission> submitted_;
  std::map<RequestId, std::vector<BioId>> requests_;
  Side reads_, writes_;
  bool started_ = false;
  Nanoseconds first_{0}, last_{0};
};

}  // namespace elvcheck
