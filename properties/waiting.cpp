// SPDX-License-Identifier: GPL-2.0-or-later
// bounded-wait: how long a request waits in a scheduler, by both clocks - virtual time, and dispatches that pass it.
//
// The bound is computed from the run. First come, first served: the requests found at arrival are served first, nothing else
// is. deadline and mq-deadline: after its deadline a request has a rank (wait_bound.hpp) that every dispatch lowers. In
// time, each dispatch takes at most the longest service that the run has shown so far, since a slot of the device is free
// again after that.
#include <fmt/format.h>

#include "properties/definitions.hpp"
#include "properties/wait_bound.hpp"

namespace elvcheck::property {

namespace {

bool fifo_family(const RunFacts& facts) { return runs(facts, "noop") || runs(facts, "none"); }
bool either(const RunFacts& facts) { return is_deadline(facts) || fifo_family(facts); }

class ExpiredOvertakings : public ExpiredMonitor {
 public:
  using ExpiredMonitor::ExpiredMonitor;

 private:
  void on_expired(const WaitingRequest& rq, Nanoseconds at, bool issued) override {
    const Marks& marks = own(rq);
    if (issued) judge(marks.passed);
    if (marks.passed <= marks.allowance) return;
    violate({"overtaken-too-often",
             fmt::format("request {} was passed {} times after its deadline; its rank was {}", rq.id, marks.passed,
                         marks.allowance),
             at, rq.id, marks.passed, marks.allowance});
  }
};

class FifoWait : public QueueMonitor {
 public:
  FifoWait(const RunFacts& run, bool in_time) : QueueMonitor(run), in_time_(in_time), slack_(queue_delay(run)) {}

  void finish(Nanoseconds end, bool) override {
    if (!facts().simulated || muted()) return;
    for (const auto& [id, rq] : queued()) check(rq, end);
  }

  EventKinds wants() const override { return event_kinds(EventKind::insert, EventKind::issue); }

 private:
  void on_insert(const WaitingRequest& rq) override {
    Marks& marks = own(rq);
    marks.allowance = static_cast<std::int64_t>(in_time_ ? queued().size() + device_load() : queued().size());
    marks.mark = bypassed_;
  }

  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr) {
      ++bypassed_;
      return;
    }
    if (!in_time_) {
      for (const auto& [id, other] : queued()) {
        if (id != rq->id && visible(other)) ++own(other).passed;
      }
    }
    judge(in_time_ ? (now() - rq->inserted_at).count() : own(*rq).passed);
    for (const auto& [id, other] : queued()) check(other, now());
  }

  void check(const WaitingRequest& rq, Nanoseconds at) {
    const Marks& marks = own(rq);
    if (!in_time_) {
      if (marks.passed > marks.allowance) {
        violate({"overtaken-too-often",
                 fmt::format("request {} was passed {} times; {} were queued when it came", rq.id, marks.passed,
                             marks.allowance),
                 at, rq.id, marks.passed, marks.allowance});
      }
      return;
    }
    const Nanoseconds waited = at - rq.inserted_at;
    const Nanoseconds bound = slack_ + longest_service() * (marks.allowance + 1 + bypassed_ - marks.mark);
    if (waited > bound) {
      violate({"waited-too-long",
               fmt::format("request {} waited {} ns; the {} before it allow {} ns", rq.id, waited.count(), marks.allowance,
                           bound.count()),
               at, rq.id, waited.count(), bound.count()});
    }
  }

  bool in_time_;
  Nanoseconds slack_;
  std::int64_t bypassed_ = 0;
};

}  // namespace

Property wait_time() {
  return {"bounded-wait.time",
          "Every request is issued within a time that follows from what was queued: first come, first served, or its "
          "deadline and its rank.",
          "block/noop-iosched.c, blk-mq.c: order of arrival; deadline and mq-deadline: theorem deadline.expired-rank",
          "(requests found + 1) services, or expiry time + 1 tick + (rank + 2) services; in ns",
          either,
          [](const RunFacts& facts) -> std::unique_ptr<Monitor> {
            if (fifo_family(facts)) return std::make_unique<FifoWait>(facts, true);
            return std::make_unique<LateStart>(facts, false, "waited-too-long");
          },
          nullptr};
}

Property wait_overtakings() {
  return {"bounded-wait.overtakings",
          "Every request is passed by a number of others that follows from what was queued: those found at arrival, or its "
          "rank after its deadline.",
          "block/noop-iosched.c, blk-mq.c: order of arrival; deadline and mq-deadline: theorem deadline.expired-rank",
          "requests found at arrival, or the rank after the deadline; in dispatches",
          either,
          [](const RunFacts& facts) -> std::unique_ptr<Monitor> {
            if (fifo_family(facts)) return std::make_unique<FifoWait>(facts, false);
            return std::make_unique<ExpiredOvertakings>(facts);
          },
          nullptr};
}

}  // namespace elvcheck::property
