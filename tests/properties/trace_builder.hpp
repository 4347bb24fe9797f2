// SPDX-License-Identifier: GPL-2.0-or-later
// Traces written by hand: what a monitor must say about them is known without any code of ours.
#pragma once

#include <string_view>

#include "model/core/trace.hpp"
#include "properties/property.hpp"

namespace elvcheck {

/// Feeds events to the monitor of a property. Times are in milliseconds.
class TraceBuilder {
 public:
  TraceBuilder(std::string_view property, const RunFacts& facts)
      : facts_(std::make_unique<RunFacts>(facts)), monitor_(find_property(property)->monitor(*facts_)) {}

  TraceBuilder& at(std::int64_t ms) {
    now_ = std::chrono::milliseconds(ms);
    return *this;
  }
  /// Who submits what follows.
  TraceBuilder& process(ProcessId pid) {
    process_ = pid;
    return *this;
  }
  /// A bio of `sectors` and the request made for it, both numbered `id`.
  TraceBuilder& get(RequestId id, Op op, Sector sector, SectorCount sectors = 8, ReqFlags flags = 0) {
    TraceEvent event = base(EventKind::queue, id, op, sector, sectors);
    event.flags = flags;
    event.bio = id;
    event.request = 0;
    feed(event);
    event.kind = EventKind::get_request;
    event.request = id;
    return feed(event);
  }
  TraceBuilder& insert(RequestId id, Op op, Sector sector, SectorCount sectors = 8, IoPrio prio = {}) {
    TraceEvent event = base(EventKind::insert, id, op, sector, sectors);
    event.ioprio = prio;
    return feed(event);
  }
  TraceBuilder& issue(RequestId id, Op op, Sector sector, SectorCount sectors = 8) {
    return feed(base(EventKind::issue, id, op, sector, sectors));
  }
  TraceBuilder& complete(RequestId id, Op op, Sector sector, SectorCount sectors = 8) {
    return feed(base(EventKind::complete, id, op, sector, sectors));
  }
  TraceBuilder& requeue(RequestId id, Op op, Sector sector, SectorCount sectors = 8) {
    return feed(base(EventKind::requeue, id, op, sector, sectors));
  }
  /// One service of 1 ms: issued now, completed a millisecond later.
  TraceBuilder& serve(RequestId id, Op op, Sector sector, SectorCount sectors = 8) {
    issue(id, op, sector, sectors);
    now_ += 1ms;
    return complete(id, op, sector, sectors);
  }
  /// Bio `bio` is submitted and merged into a request.
  TraceBuilder& merge(EventKind kind, BioId bio, RequestId into, Op op, Sector sector, SectorCount sectors = 8) {
    TraceEvent event = base(EventKind::queue, 0, op, sector, sectors);
    event.bio = bio;
    feed(event);
    event.kind = kind;
    event.request = into;
    return feed(event);
  }
  /// The same at the back, where bio and request have these priorities.
  TraceBuilder& merge_into_prio(BioId bio, RequestId into, Op op, Sector sector, IoPrio of_bio, IoPrio of_request) {
    TraceEvent event = base(EventKind::queue, 0, op, sector, 8);
    event.bio = bio;
    event.ioprio = of_bio;
    feed(event);
    event.kind = EventKind::back_merge;
    event.request = into;
    event.ioprio = of_request;
    return feed(event);
  }
  TraceBuilder& absorb(RequestId rq, RequestId other, Op op, Sector sector, SectorCount sectors) {
    TraceEvent event = base(EventKind::request_merge, rq, op, sector, sectors);
    event.other = other;
    return feed(event);
  }
  TraceBuilder& note(const DecisionRule& rule, RequestId id, Op op, Sector sector, std::array<std::int64_t, 4> numbers) {
    TraceEvent event = base(EventKind::note, id, op, sector, 8);
    event.rule = &rule;
    event.numbers = numbers;
    return feed(event);
  }

  /// The rule that is violated at the end of the run, or "held".
  std::string verdict(bool complete_run = true) {
    monitor_->finish(now_, complete_run);
    return monitor_->violation() ? monitor_->violation()->rule : "held";
  }
  const Monitor& monitor() const { return *monitor_; }

 private:
  TraceEvent base(EventKind kind, RequestId id, Op op, Sector sector, SectorCount sectors) const {
    TraceEvent event;
    event.at = now_;
    event.kind = kind;
    event.request = id;
    event.op = op;
    event.sector = sector;
    event.sectors = sectors;
    event.process = process_;
    return event;
  }
  TraceBuilder& feed(const TraceEvent& event) {
    monitor_->on_event(event);
    return *this;
  }

  std::unique_ptr<RunFacts> facts_;  // where it is as long as the monitor
  std::unique_ptr<Monitor> monitor_;
  Nanoseconds now_{0};
  ProcessId process_ = 0;
};

/// What is known about a simulated run on a device of depth 1, with tunables set.
inline RunFacts facts_of(std::string_view scheduler, const std::vector<NamedValue>& settings = {}) {
  RunFacts facts;
  facts.scheduler = find_scheduler(scheduler);
  facts.tunables = resolve_tunables(*facts.scheduler, settings);
  facts.device.name = "flat";
  facts.device.capacity = 1'000'000;
  facts.block.hz = 1000;
  facts.block.nr_requests = 64;
  return facts;
}

}  // namespace elvcheck
