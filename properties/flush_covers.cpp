// SPDX-License-Identifier: GPL-2.0-or-later
// flush.covers: the block layer's part of durability. A flush command covers what was asked for before it was sent.
//
// The end of a bio is no event of a trace; but a process of the simulation waits for its fsync, so its next submission shows
// that it was answered.
#include <fmt/format.h>

#include <algorithm>

#include "properties/definitions.hpp"
#include "properties/flat_map.hpp"

namespace elvcheck::property {

namespace {

class FlushCovers : public Monitor {
 public:
  explicit FlushCovers(const RunFacts& run) : device_has_fua_(run.device.fua) {}
  EventKinds wants() const override {
    return event_kinds(EventKind::queue, EventKind::get_request, EventKind::issue, EventKind::complete);
  }

  void on_event(const TraceEvent& event) override {
    ++events_;
    switch (event.kind) {
      case EventKind::queue:
        queue(event);
        break;
      case EventKind::get_request:
        if (event.sectors > 0 && (event.flags & (REQ_FUA | REQ_PREFLUSH)) != 0)
          writes_[event.request] = {events_, (event.flags & REQ_PREFLUSH) != 0, (event.flags & REQ_FUA) != 0};
        break;
      case EventKind::issue:
        issue(event);
        break;
      case EventKind::complete:
        complete(event);
        break;
      default:
        break;
    }
  }

  void finish(Nanoseconds end, bool complete_run) override {
    if (!complete_run || fua_done_ <= last_flush_) return;
    violate({"no-postflush",
             fmt::format("no flush followed the FUA write of request {} on a device without FUA", fua_request_), end,
             fua_request_, 1, 0});
  }

 private:
  struct Write {
    std::uint64_t allocated;
    bool preflush;
    bool fua;
  };

  void queue(const TraceEvent& event) {
    if (const auto waiting = fsyncs_.find(event.process); waiting != fsyncs_.end()) {
      judge(0);
      if (waiting->second > covered_) {
        violate({"acknowledged-early",
                 fmt::format("process {} goes on after its fsync, but no flush that was sent after it has completed",
                             event.process),
                 event.at, 0, 1, 0});
      }
      fsyncs_.erase(waiting);
    }
    if (event.op == Op::flush) fsyncs_[event.process] = events_;
  }

  void issue(const TraceEvent& event) {
    if (event.op == Op::flush) {
      flushes_[event.request] = last_flush_ = events_;
      return;
    }
    const auto write = writes_.find(event.request);
    if (write == writes_.end() || !write->second.preflush) return;
    judge(0);
    if (write->second.allocated > covered_) {
      violate({"data-before-preflush",
               fmt::format("request {} was issued before the flush that it asked for", event.request), event.at,
               event.request, 1, 0});
    }
  }

  void complete(const TraceEvent& event) {
    if (event.op == Op::flush) {
      covered_ = std::max(covered_, flushes_[event.request]);
      flushes_.erase(event.request);
      return;
    }
    const auto write = writes_.find(event.request);
    if (write == writes_.end()) return;
    if (write->second.fua && !device_has_fua_) {
      judge(0);
      fua_done_ = events_;
      fua_request_ = event.request;
    }
    writes_.erase(write);
  }

  bool device_has_fua_;
  std::uint64_t events_ = 0;
  std::uint64_t covered_ = 0;     // what was asked before this event is on the medium
  std::uint64_t last_flush_ = 0;  // issued
  std::uint64_t fua_done_ = 0;
  RequestId fua_request_ = 0;
  FlatMap<ProcessId, std::uint64_t> fsyncs_;
  FlatMap<RequestId, std::uint64_t> flushes_;
  FlatMap<RequestId, Write> writes_;
};

}  // namespace

Property flush_covers() {
  return {"flush.covers",
          "A process goes on after an fsync only when a flush sent after it has completed; a PREFLUSH write follows such a "
          "flush; an FUA write on a device without FUA is followed by one.",
          "block/blk-flush.c (4.19, 6.1); Documentation/block/writeback_cache_control.rst",
          "0 acknowledgements without their flush",
          [](const RunFacts& facts) { return facts.simulated && facts.device.volatile_cache; },
          make_monitor<FlushCovers>,
          nullptr};
}

}  // namespace elvcheck::property
