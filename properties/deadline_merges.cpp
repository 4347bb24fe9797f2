// SPDX-License-Identifier: GPL-2.0-or-later
// deadline.front-merges: front_merges = 0 takes away the search for a request that a bio could be put in front of.
//
// The document says what stays: the one-hit cache of the elevator still allows a front merge with the last merged (or first
// inserted) request, and so do plugs. The monitor follows that cache: it is filled by the first mergeable insertion that
// finds it empty and by each merge, and emptied when its request is chosen (decision notes tell; without them, a chosen
// request may be held by the driver) or was found full. The last cannot be told from a neighbour that may not merge for
// another reason, so the monitor keeps every content that is possible and objects only when none allows the merge.
#include <fmt/format.h>

#include <set>

#include "properties/definitions.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck::property {

namespace {

class FrontMerges : public QueueMonitor {
 public:
  using QueueMonitor::QueueMonitor;

  EventKinds wants() const override {
    using enum EventKind;
    return event_kinds(insert, issue, note, back_merge, front_merge, request_merge);
  }

 private:
  bool looks_at_all() const override { return true; }
  void before(const TraceEvent& event) override {
    if (event.kind == EventKind::queue) look_for_refusal(event);
  }

  static constexpr RequestId empty = 0;

  void reset() override { contents_ = {empty}; }

  void look_for_refusal(const TraceEvent& event) {
    for (const RequestId id : contents_) {
      const WaitingRequest* const rq = find_queued(id);
      if (rq == nullptr) continue;
      if (rq->end() == event.sector || event.sector + event.sectors == rq->sector) {
        contents_.insert(empty);
        return;
      }
    }
  }

  void leave(RequestId id) {
    if (contents_.erase(id) != 0) contents_.insert(empty);
  }

  void on_insert(const WaitingRequest& rq) override {
    if (rq.mergeable && contents_.erase(empty) != 0) contents_.insert(rq.id);
  }
  void on_issue(const WaitingRequest* rq) override {
    if (rq != nullptr) leave(rq->id);
    if (!noted_) contents_.insert(empty);
  }
  void on_note(const TraceEvent& event) override {
    if (event.request == 0 || event.rule == nullptr || std::string_view(event.rule->name).ends_with(".too-young")) return;
    noted_ = true;
    leave(event.request);
  }

  void on_bio_merge(const WaitingRequest& rq, const TraceEvent& event) override {
    judge(0);
    if (event.kind == EventKind::front_merge && !contents_.contains(rq.id)) {
      violate({"front-merged",
               fmt::format("bio {} was put in front of request {}, which the one-hit cache did not hold", event.bio, rq.id),
               now(), rq.id, 1, 0});
    }
    contents_ = {rq.id};
  }
  void on_request_merge(const WaitingRequest& rq, RequestId other) override {
    (void)other;
    contents_ = {rq.id};
  }

  std::set<RequestId> contents_ = {empty};  // what the cache may hold
  bool noted_ = false;                      // this run tells its decisions
};

}  // namespace

Property deadline_front_merges() {
  return {
      "deadline.front-merges",
      "With front_merges = 0 no bio is put in front of a queued request, except of the one in the elevator's one-hit cache.",
      "Documentation/block/deadline-iosched.rst: front_merges",
      "0 front merges",
      [](const RunFacts& facts) { return facts.simulated && is_deadline(facts) && tunable(facts, "front_merges") == 0; },
      make_monitor<FrontMerges>,
      nullptr};
}

}  // namespace elvcheck::property
