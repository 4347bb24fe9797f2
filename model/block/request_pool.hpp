// SPDX-License-Identifier: GPL-2.0-or-later
// Where requests live: stable addresses, reused storage, numbers that are never reused.
#pragma once

#include "model/block/request.hpp"
#include "model/core/stable_store.hpp"

namespace elvcheck {

class RequestPool {
 public:
  /// A fresh request for this bio, not yet part of anything.
  Request& allocate(Bio& bio, Nanoseconds now) {
    Request& rq = storage_.take();
    rq = Request{};
    rq.id = next_id_++;
    rq.op = bio.op;
    rq.flags = bio.flags;
    rq.ioprio = bio.ioprio;
    rq.process = bio.process;
    rq.sector = bio.sector;
    rq.sectors = bio.sectors;
    rq.segments = 1;
    rq.first_bio = rq.last_bio = &bio;
    rq.start_time = now;
    bio.next = nullptr;
    return rq;
  }
  /// A request of the block layer's own, without a bio.
  Request& allocate_flush(Nanoseconds now) {
    Bio none;
    none.op = Op::flush;
    Request& rq = allocate(none, now);
    rq.first_bio = rq.last_bio = nullptr;
    rq.segments = 0;
    return rq;
  }
  void free(Request& rq) { storage_.give_back(rq); }
  unsigned in_use() const { return static_cast<unsigned>(storage_.in_use()); }

 private:
  ReusedStore<Request> storage_;
  RequestId next_id_ = 1;
};

/// The trace event of something that happened to a request.
inline TraceEvent request_event(EventKind kind, const Request& rq, Nanoseconds now) {
  TraceEvent event;
  event.at = now;
  event.kind = kind;
  event.op = rq.op;
  event.flags = rq.flags;
  event.ioprio = rq.ioprio;
  event.process = rq.process;
  event.request = rq.id;
  event.sector = rq.sector;
  event.sectors = rq.sectors;
  return event;
}

/// The trace event of something that happened to a bio; `rq` may be null.
inline TraceEvent bio_event(EventKind kind, const Bio& bio, const Request* rq, Nanoseconds now) {
  TraceEvent event;
  event.at = now;
  event.kind = kind;
  event.op = bio.op;
  event.flags = bio.flags;
  event.ioprio = bio.ioprio;
  event.process = bio.process;
  event.bio = bio.id;
  event.request = rq == nullptr ? 0 : rq->id;
  event.sector = bio.sector;
  event.sectors = bio.sectors;
  return event;
}

/// The trace event of a timer that fired, or of a decision of the block layer.
inline TraceEvent rule_event(EventKind kind, const DecisionRule& rule, Nanoseconds now, std::int64_t number = 0) {
  TraceEvent event;
  event.at = now;
  event.kind = kind;
  event.rule = &rule;
  event.numbers[0] = number;
  return event;
}

}  // namespace elvcheck
