// SPDX-License-Identifier: GPL-2.0-or-later
// What a campaign has reached: how often each decision rule fired, and in how many runs each corner was there.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "properties/property.hpp"

namespace elvcheck {

// X(identifier, "name", "what happened in the run")
#define ELVCHECK_CORNERS(X)                                                                              \
  X(equal, "equal", "a request came to the very place of a waiting one")                                 \
  X(adjacent, "adjacent", "a request came to touch a waiting one")                                       \
  X(overlapping, "overlapping", "a request came to overlap a waiting one without being equal")           \
  X(burst, "burst", "eight or more submissions at one instant")                                          \
  X(end_of_disk, "end-of-disk", "a submission reached the last sector of the device")                    \
  X(wrap, "wrap-at-end", "after the last sector the device was sent to a lower place")                   \
  X(expiry_before, "expiry-minus-one-tick", "a request was issued one tick before its deadline")         \
  X(expiry_exact, "expiry-exact", "a request was issued in the very tick of its deadline")               \
  X(expiry_after, "expiry-plus-one-tick", "a request was issued one tick after its deadline")            \
  X(depth_one, "depth-one", "the device holds one command at a time")                                    \
  X(one_tag_left, "one-tag-left", "an allocation left one free place in the device or one free request") \
  X(no_request_left, "no-request-left", "a submitter slept because no request was free")                 \
  X(prio_tie, "ioprio-tie", "requests of two processes waited with the same explicit priority")          \
  X(prio_mix, "ioprio-mix", "requests of two classes waited together")                                   \
  X(exit_inside, "exit-with-requests", "a process ended with operations in flight")                      \
  X(front_merge, "front-merge", "a submission was put before a queued request")                          \
  X(request_merge, "request-merge", "one queued request absorbed another")                               \
  X(requeue, "requeue", "the device refused a request")                                                  \
  X(flush, "flush", "a flush went to the device")

/// A situation that schedulers are known to get wrong.
enum class Corner : std::uint8_t {
#define X(identifier, name, statement) identifier,
  ELVCHECK_CORNERS(X)
#undef X
};
struct CornerInfo {
  const char* name;
  const char* statement;
};
inline constexpr std::array corners = {
#define X(identifier, name, statement) CornerInfo{name, statement},
    ELVCHECK_CORNERS(X)
#undef X
};
inline constexpr std::size_t corner_count = corners.size();

/// The decision rules that a run of this scheduler can report: its own, then those of the block layers.
std::vector<const DecisionRule*> rules_of(const SchedulerInfo& scheduler);

/// What one run has reached.
struct Reached {
  std::vector<std::uint64_t> rule_hits;  ///< times that each rule fired, in the order of rules_of()
  std::uint32_t corners = 0;             ///< a bit for each corner
  bool hit(Corner corner) const { return (corners >> static_cast<unsigned>(corner) & 1U) != 0; }
};

/// Watches one run.
class RunCoverage : public TraceListener {
 public:
  RunCoverage(const RunFacts& facts, const Scenario& scenario);
  void on_event(const TraceEvent& event) override;

  const Reached& reached() const { return reached_; }
  std::uint64_t requests() const { return submissions_; }

 private:
  struct Waiting {
    RequestId id;
    Sector sector;
    SectorCount sectors;
    ProcessId process;
    IoPrio ioprio;
    std::uint64_t deadline;  // in jiffies
  };
  void mark(Corner corner) { reached_.corners |= 1U << static_cast<unsigned>(corner); }
  void on_queue(const TraceEvent& event);
  void on_insert(const TraceEvent& event);
  void on_issue(const TraceEvent& event);
  void forget(RequestId request);

  KernelClock clock_;
  Sector capacity_;
  unsigned queue_depth_;
  unsigned nr_requests_;
  std::array<std::uint64_t, 2> expire_ticks_{};
  bool has_deadlines_ = false;
  std::vector<const DecisionRule*> rules_;
  Reached reached_;
  std::vector<Waiting> waiting_;
  std::uint64_t submissions_ = 0;
  unsigned at_device_ = 0;
  unsigned allocated_ = 0;
  Nanoseconds instant_{-1};
  unsigned at_instant_ = 0;
  bool at_end_ = false;
};

}  // namespace elvcheck
