// SPDX-License-Identifier: GPL-2.0-or-later
// noop.fifo-order and none.fifo-order: first come, first served.
//
// A request that absorbs another keeps its own place (noop and the software queues of blk-mq both do that), which is the
// place of its own insertion. Direct issue of blk-mq without a scheduler has no insertion and is judged by those that wait:
// it must not pass them.
#include <fmt/format.h>

#include "properties/definitions.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck::property {

namespace {

class FifoOrder : public QueueMonitor {
 public:
  using QueueMonitor::QueueMonitor;

  EventKinds wants() const override { return event_kinds(EventKind::insert, EventKind::issue); }

 private:
  void on_insert(const WaitingRequest& rq) override { own(rq).allowance = static_cast<std::int64_t>(++arrivals_); }

  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr) return;
    judge(0);
    const std::int64_t place = own(*rq).allowance;
    for (const auto& [id, other] : queued()) {
      if (visible(other) && own(other).allowance < place) {
        violate({"overtaken",
                 fmt::format("request {}, inserted at {} ns, was passed by request {}, inserted at {} ns", id,
                             other.inserted_at.count(), rq->id, rq->inserted_at.count()),
                 now(), id, 1, 0});
        return;
      }
    }
  }

  std::uint64_t arrivals_ = 0;
};

}  // namespace

Property noop_fifo_order() {
  return {"noop.fifo-order",
          "noop issues requests in the order of their insertion; only a merge moves a bio forward.",
          "block/noop-iosched.c (2.6.34 to 4.20)",
          "0 overtakings",
          [](const RunFacts& facts) { return runs(facts, "noop"); },
          make_monitor<FifoOrder>,
          nullptr};
}

Property none_fifo_order() {
  return {"none.fifo-order",
          "blk-mq without a scheduler issues inserted requests in the order of their insertion.",
          "block/blk-mq.c (6.1): one software queue, taken from its head",
          "0 overtakings",
          [](const RunFacts& facts) { return runs(facts, "none"); },
          make_monitor<FifoOrder>,
          nullptr};
}

}  // namespace elvcheck::property
