// SPDX-License-Identifier: GPL-2.0-or-later
// deadline.front-merges: front_merges = 0 takes away the search for a request that a bio could be put in front of.
//
// The document says what stays: the one-hit cache of the elevator still allows a front merge with the last merged (or first
// inserted) request, and so do plugs. The monitor follows that cache: it is filled by the first insertion that finds it
// empty and by each merge, and emptied when its request is chosen (decision notes tell) or was found full, which shows as a
// neighbour that did not merge.
#include <fmt/format.h>

#include "properties/definitions.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck::property {

namespace {

class FrontMerges : public QueueMonitor {
 public:
  using QueueMonitor::QueueMonitor;

  void on_event(const TraceEvent& event) override {
    if (event.kind == EventKind::get_request) look_for_refusal(event);
    QueueMonitor::on_event(event);
  }

 private:
  void reset() override { cached_ = 0; }

  void look_for_refusal(const TraceEvent& event) {
    const auto found = queued().find(cached_);
    if (found == queued().end()) return;
    if (found->second.end() == event.sector || event.sector + event.sectors == found->second.sector) cached_ = 0;
  }

  void on_insert(WaitingRequest& rq) override {
    if (cached_ == 0) cached_ = rq.id;
  }
  void on_issue(WaitingRequest* rq) override {
    if (rq != nullptr && rq->id == cached_) cached_ = 0;
  }
  void on_note(const TraceEvent& event) override {
    if (event.request == cached_ && event.request != 0 && !std::string_view(event.rule->name).ends_with(".too-young"))
      cached_ = 0;
  }

  void on_bio_merge(WaitingRequest& rq, const TraceEvent& event) override {
    judge(0);
    if (event.kind == EventKind::front_merge && rq.id != cached_) {
      violate({"front-merged",
               fmt::format("bio {} was put in front of request {}, which the one-hit cache did not hold", event.bio, rq.id),
               now(), rq.id, 1, 0});
    }
    cached_ = rq.id;
  }
  void on_request_merge(WaitingRequest& rq, RequestId other) override {
    (void)other;
    cached_ = rq.id;
  }

  RequestId cached_ = 0;
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
