// SPDX-License-Identifier: GPL-2.0-or-later
// trace.order: time never runs back, and the stages of a request come in their order.
#include <fmt/format.h>

#include <algorithm>

#include "properties/definitions.hpp"
#include "properties/flat_map.hpp"

namespace elvcheck::property {

namespace {

class TraceOrder : public Monitor {
 public:
  explicit TraceOrder(const RunFacts& facts) : simulated_(facts.simulated) {}

  void on_event(const TraceEvent& event) override {
    judge(0);
    if (event.at < now_) {
      violate({"time-ran-back", fmt::format("an event at {} ns follows one at {} ns", event.at.count(), now_.count()),
               event.at, event.request, (now_ - event.at).count(), 0});
    }
    now_ = event.at;
    switch (event.kind) {
      case EventKind::queue:
        waiting_bios_.emplace(event.bio, event.at);
        break;
      case EventKind::get_request:
        leave_bio(event);
        stage(event, 1);
        break;
      case EventKind::back_merge:
      case EventKind::front_merge:
        leave_bio(event);
        break;
      case EventKind::request_merge:
        stages_.erase(event.other);
        break;
      case EventKind::insert:
        stage(event, 2);
        break;
      case EventKind::issue:
        stage(event, 3);
        break;
      case EventKind::requeue:
        if (const auto found = stages_.find(event.request); found != stages_.end())
          found->second = std::min(found->second, 1);
        break;
      case EventKind::complete:
        stage(event, 4);
        stages_.erase(event.request);
        break;
      default:
        break;
    }
  }

 private:
  static const char* stage_name(int stage) {
    static constexpr const char* names[] = {"nothing", "get-request", "insert", "issue", "complete"};
    return names[stage];
  }

  void leave_bio(const TraceEvent& event) {
    // A bio that was split is met once for each part; the first meeting is the one that must follow its submission.
    if (waiting_bios_.erase(event.bio) == 0 && simulated_ && event.bio > last_bio_) {
      violate({"bio-before-queue",
               fmt::format("bio {} went into request {} before it was submitted", event.bio, event.request), event.at,
               event.request, 1, 0});
    }
    last_bio_ = std::max(last_bio_, event.bio);
  }

  void stage(const TraceEvent& event, int next) {
    // A flush sequence sends one request through several rounds; a recording may begin in the middle of a request.
    if (event.op == Op::flush || event.sectors == 0) return;
    const auto found = stages_.find(event.request);
    if (next == 1 && (event.flags & (REQ_PREFLUSH | REQ_FUA)) != 0) {
      stages_[event.request] = flush_sequence;
      return;
    }
    if (found != stages_.end() && found->second == flush_sequence) return;
    if (found == stages_.end()) {
      if (simulated_ && next != 1) {
        violate({"stage-order", fmt::format("{} of request {} before its get-request", stage_name(next), event.request),
                 event.at, event.request, next, 1});
      }
      stages_[event.request] = next;
      return;
    }
    if (next <= found->second || (next == 4 && found->second != 3)) {
      violate({"stage-order",
               fmt::format("{} of request {} after its {}", stage_name(next), event.request, stage_name(found->second)),
               event.at, event.request, next, found->second});
    }
    found->second = next;
  }

  static constexpr int flush_sequence = 0;
  bool simulated_;
  Nanoseconds now_ = Nanoseconds::min();
  BioId last_bio_ = 0;
  FlatMap<BioId, Nanoseconds> waiting_bios_;
  FlatMap<RequestId, int> stages_;
};

}  // namespace

Property trace_order() {
  return {"trace.order",
          "Time never runs back; a bio is submitted before a request takes it, and a request is allocated, inserted, issued "
          "and completed in that "
          "order.",
          "blktrace(8): the order of Q, G, I, D and C",
          "0 events out of order",
          always,
          make_monitor<TraceOrder>,
          nullptr};
}

}  // namespace elvcheck::property
