// SPDX-License-Identifier: GPL-2.0-or-later
// conservation: nothing is lost, nothing is done twice, and a merge keeps every sector.
//
// The books: a bio owes its sectors until requests have taken them over; a request is the contiguous range that its bios
// make up; at its issue it must still be exactly that range. Discards may merge without touching (DISCARD_MERGE), so only
// their sums are kept. Requests of a flush sequence are the block layer's own and change their nature on the way; for them
// only double completion is checked. In a recording, what was under way when it began is unknown and passes.
#include <fmt/format.h>

#include "properties/definitions.hpp"
#include "properties/flat_map.hpp"

namespace elvcheck::property {

namespace {

class Conservation : public Monitor {
 public:
  explicit Conservation(const RunFacts& facts) : simulated_(facts.simulated) {}

  EventKinds wants() const override {
    using enum EventKind;
    return event_kinds(queue, get_request, back_merge, front_merge, request_merge, issue, requeue, complete);
  }

  void on_event(const TraceEvent& event) override {
    switch (event.kind) {
      case EventKind::queue:
        queue(event);
        break;
      case EventKind::get_request:
        get(event);
        break;
      case EventKind::back_merge:
      case EventKind::front_merge:
        bio_merge(event);
        break;
      case EventKind::request_merge:
        request_merge(event);
        break;
      case EventKind::issue:
        issue(event);
        break;
      case EventKind::requeue:
        requeue(event);
        break;
      case EventKind::complete:
        complete(event);
        break;
      default:
        break;
    }
  }

  void finish(Nanoseconds end, bool complete_run) override {
    if (!complete_run) return;
    for (const auto& [bio, owed] : owed_) {
      report("lost-bio", fmt::format("{} sectors of bio {} were never taken into a request", owed, bio), end, 0);
    }
    for (const auto& [id, rq] : requests_) {
      if (rq.flush) continue;
      report("lost-request",
             fmt::format("request {} was {} at the end of the run", id, rq.issued ? "never completed" : "never issued"), end,
             id);
    }
  }

 private:
  struct Books {
    Op op = Op::read;
    Sector sector = 0;
    std::uint64_t sectors = 0;
    bool issued = false;
    bool flush = false;
  };

  void report(const char* rule, std::string message, Nanoseconds at, RequestId request) {
    violate({rule, std::move(message), at, request, 1, 0});
  }

  void queue(const TraceEvent& event) {
    judge(0);
    if (event.sectors == 0) return;
    if (!owed_.emplace(event.bio, event.sectors).second) {
      report("bio-twice", fmt::format("bio {} was queued twice", event.bio), event.at, 0);
    }
  }

  // A request takes over `event.sectors` sectors of the bio.
  void take(const TraceEvent& event) {
    if (event.sectors == 0) return;
    const auto owed = owed_.find(event.bio);
    if (owed == owed_.end()) {
      if (simulated_)
        report("bio-twice",
               fmt::format("bio {} was taken into request {} though it is not waiting", event.bio, event.request), event.at,
               event.request);
      return;
    }
    if (event.sectors > owed->second) {
      report("bio-twice",
             fmt::format("request {} took {} sectors of bio {}, which had {} left", event.request, event.sectors, event.bio,
                         owed->second),
             event.at, event.request);
    }
    owed->second -= std::min(owed->second, event.sectors);
    if (owed->second == 0) owed_.erase(owed);
  }

  void get(const TraceEvent& event) {
    take(event);
    Books rq;
    rq.op = event.op;
    rq.sector = event.sector;
    rq.sectors = event.sectors;
    rq.flush = event.op == Op::flush || event.sectors == 0 || (event.flags & REQ_PREFLUSH) != 0;
    if (!requests_.emplace(event.request, rq).second) {
      report("request-twice", fmt::format("request {} was allocated twice", event.request), event.at, event.request);
    }
  }

  Books* find(const TraceEvent& event, const char* what) {
    const auto found = requests_.find(event.request);
    if (found != requests_.end()) return &found->second;
    if (simulated_ && event.op != Op::flush) {
      report("unknown-request",
             fmt::format("request {} was {} though it does not exist (or no longer)", event.request, what), event.at,
             event.request);
    }
    return nullptr;
  }

  void bio_merge(const TraceEvent& event) {
    take(event);
    Books* const rq = find(event, "merged into");
    if (rq == nullptr) return;
    const bool front = event.kind == EventKind::front_merge;
    const bool touches = front ? event.sector + event.sectors == rq->sector : rq->sector + rq->sectors == event.sector;
    if (rq->op != Op::discard && !touches) {
      report("not-adjacent",
             fmt::format("bio {} at {} + {} was {}-merged into request {} at {} + {}, which it does not touch", event.bio,
                         event.sector, event.sectors, front ? "front" : "back", event.request, rq->sector, rq->sectors),
             event.at, event.request);
    }
    if (rq->issued)
      report("merged-after-issue",
             fmt::format("bio {} was merged into request {} after its issue", event.bio, event.request), event.at,
             event.request);
    if (front) rq->sector = event.sector;
    rq->sectors += event.sectors;
  }

  void request_merge(const TraceEvent& event) {
    Books* const rq = find(event, "merged");
    const auto other = requests_.find(event.other);
    if (rq == nullptr || other == requests_.end()) {
      if (simulated_)
        report("unknown-request", fmt::format("request {} was absorbed though it does not exist", event.other), event.at,
               event.other);
      return;
    }
    const Books absorbed = other->second;
    const bool behind = rq->sector + rq->sectors == absorbed.sector;
    const bool before = absorbed.sector + absorbed.sectors == rq->sector;
    if (rq->op != Op::discard && !behind && !before) {
      report("not-adjacent",
             fmt::format("request {} at {} + {} absorbed request {} at {} + {}, which it does not touch", event.request,
                         rq->sector, rq->sectors, event.other, absorbed.sector, absorbed.sectors),
             event.at, event.request);
    }
    if (absorbed.issued || rq->issued)
      report("merged-after-issue", fmt::format("requests {} and {} were merged after an issue", event.request, event.other),
             event.at, event.request);
    if (before) rq->sector = absorbed.sector;
    rq->sectors += absorbed.sectors;
    requests_.erase(other);
  }

  void issue(const TraceEvent& event) {
    Books* const rq = find(event, "issued");
    if (rq == nullptr) return;
    if (rq->issued && !rq->flush)
      report("issued-twice", fmt::format("request {} was issued again without a requeue", event.request), event.at,
             event.request);
    if (!rq->flush && (event.sectors != rq->sectors || (rq->op != Op::discard && event.sector != rq->sector))) {
      report("sectors-differ",
             fmt::format("request {} was issued as {} + {}, but its bios make up {} + {}", event.request, event.sector,
                         event.sectors, rq->sector, rq->sectors),
             event.at, event.request);
    }
    rq->issued = true;
  }

  void requeue(const TraceEvent& event) {
    Books* const rq = find(event, "requeued");
    if (rq == nullptr) return;
    if (!rq->issued && !rq->flush && simulated_) {
      report("requeued-unissued", fmt::format("request {} was requeued but was not at the device", event.request), event.at,
             event.request);
    }
    rq->issued = false;
  }

  void complete(const TraceEvent& event) {
    Books* const rq = find(event, "completed");
    if (rq == nullptr) return;
    if (!rq->issued && !rq->flush && simulated_) {
      report("completed-unissued", fmt::format("request {} was completed but was not at the device", event.request),
             event.at, event.request);
    }
    requests_.erase(event.request);
  }

  bool simulated_;
  FlatMap<BioId, SectorCount> owed_;
  FlatMap<RequestId, Books> requests_;
};

}  // namespace

Property conservation() {
  return {"conservation",
          "Every submitted sector ends in exactly one request; every request is issued once (once more for each requeue) "
          "and completed once; "
          "a merge keeps every sector.",
          "block/blk-core.c, block/blk-merge.c (2.6.34 to 6.1): a request is its chain of bios",
          "0 sectors lost or done twice",
          always,
          make_monitor<Conservation>,
          nullptr};
}

}  // namespace elvcheck::property
