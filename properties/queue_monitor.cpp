// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/queue_monitor.hpp"

#include <algorithm>

namespace elvcheck {

QueueMonitor::QueueMonitor(const RunFacts& facts) : facts_(facts), clock_(facts.block.hz) {}

bool QueueMonitor::bypasses(const TraceEvent& event) {
  return event.sectors == 0 || op_is_flush(event.op, event.flags);
}

bool QueueMonitor::oldest_flavour() const {
  return facts_.scheduler != nullptr && facts_.scheduler->flavour == BlockFlavour::single_queue_2_6_35;
}

void QueueMonitor::on_event(const TraceEvent& event) {
  ++events_;
  now_ = event.at;
  if (muted_ && queued_.empty() && at_device_.empty() && bypassing_.empty()) {
    muted_ = false;
    reset();
  }
  switch (event.kind) {
    case EventKind::queue:
    case EventKind::get_request:  // it may have slept for the request
      if (bypasses(event) && oldest_flavour()) muted_ = true;
      break;
    case EventKind::insert:
      insert(event);
      break;
    case EventKind::back_merge:
    case EventKind::front_merge:
    case EventKind::request_merge:
      merge(event);
      break;
    case EventKind::issue:
      issue(event);
      break;
    case EventKind::complete:
      complete(event);
      break;
    case EventKind::requeue:
      requeue(event);
      break;
    case EventKind::note:
      if (!muted_) on_note(event);
      break;
    default:
      break;
  }
}

void QueueMonitor::insert(const TraceEvent& event) {
  if (bypasses(event)) {
    // The single-queue block layer shows an insertion also for what goes past the scheduler; which of the two it was is not
    // seen.
    if (event.op != Op::flush && event.sectors != 0) muted_ = true;
    return;
  }
  WaitingRequest rq;
  rq.id = event.request;
  rq.write = is_write(event.op);
  rq.mergeable = (event.flags & REQ_NOMERGE) == 0;
  // Only mq-deadline tells classes apart; for the others there is one.
  if (runs(facts_, "mq-deadline") && event.ioprio.io_class != IoClass::none) rq.io_class = event.ioprio.io_class;
  rq.sector = event.sector;
  rq.sectors = event.sectors;
  rq.inserted_at = event.at;
  rq.seen = rq.fifo_place = events_;
  rq.inserted_tick = clock_.jiffies(event.at);
  mute_for_alias(rq);
  if (!muted_) on_insert(rq);
  queued_.insert_or_assign(rq.id, rq);
  if (!single_class()) {
    for (auto& [id, waiting] : queued_) waiting.mixed = true;
  }
}

/// The tree of 2.6.35 has room for one request at a place: another one there is dispatched at once.
void QueueMonitor::mute_for_alias(const WaitingRequest& rq) {
  if (!oldest_flavour()) return;
  const auto alias = [&](const auto& entry) {
    return entry.first != rq.id && entry.second.sector == rq.sector && entry.second.write == rq.write;
  };
  if (std::any_of(queued_.begin(), queued_.end(), alias)) muted_ = true;
}

void QueueMonitor::merge(const TraceEvent& event) {
  const auto found = queued_.find(event.request);
  if (found == queued_.end()) return;
  WaitingRequest& rq = found->second;
  if (event.kind == EventKind::request_merge) {
    if (!muted_) on_request_merge(rq, event.other);
    if (const auto other = queued_.find(event.other); other != queued_.end()) {
      // The older deadline survives. Both have the same direction, so it belongs to the older arrival.
      if (other->second.inserted_tick < rq.inserted_tick) {
        rq.fifo_place = other->second.fifo_place;
        rq.inserted_tick = other->second.inserted_tick;
      }
      queued_.erase(other);
    }
    if (rq.sector != event.sector) rq.seen = events_;
    rq.sector = event.sector;
    rq.sectors = event.sectors;
    mute_for_alias(rq);
    return;
  }
  if (!muted_) on_bio_merge(rq, event);
  rq.sectors += event.sectors;
  if (event.kind == EventKind::front_merge) {
    rq.sector = event.sector;
    rq.seen = events_;
    mute_for_alias(rq);
  }
}

void QueueMonitor::issue(const TraceEvent& event) {
  const auto found = queued_.find(event.request);
  if (found == queued_.end()) {
    // A recording may begin with requests in the scheduler; what it chose then cannot be judged.
    const bool unknown = !facts_.simulated && event.op != Op::flush && !runs(facts_, "none");
    if (unknown) muted_ = true;
    if (!muted_) on_issue(nullptr);
    bypassing_[event.request] = event.at;
    return;
  }
  if (!muted_) on_issue(&found->second);
  found->second.issued_at = event.at;
  at_device_.insert_or_assign(event.request, found->second);
  queued_.erase(found);
  last_issue_ = events_;
  last_issue_at_ = event.at;
}

void QueueMonitor::requeue(const TraceEvent& event) {
  muted_ = true;
  bypassing_.erase(event.request);
  if (const auto found = at_device_.find(event.request); found != at_device_.end()) {
    queued_.insert_or_assign(event.request, found->second);
    at_device_.erase(found);
  }
}

void QueueMonitor::complete(const TraceEvent& event) {
  if (const auto found = at_device_.find(event.request); found != at_device_.end()) {
    if (!muted_) on_complete(found->second);
    longest_service_ = std::max(longest_service_, event.at - found->second.issued_at);
    at_device_.erase(found);
  } else if (const auto bypass = bypassing_.find(event.request); bypass != bypassing_.end()) {
    longest_service_ = std::max(longest_service_, event.at - bypass->second);
    bypassing_.erase(bypass);
  }
}

const WaitingRequest* QueueMonitor::oldest(IoClass io_class, bool write) const {
  const WaitingRequest* result = nullptr;
  for (const auto& [id, rq] : queued_) {
    if (rq.io_class != io_class || rq.write != write || !visible(rq)) continue;
    if (result == nullptr || rq.fifo_place < result->fifo_place) result = &rq;
  }
  return result;
}

bool QueueMonitor::single_class() const {
  const WaitingRequest* first = nullptr;
  for (const Requests* requests : {&queued_, &at_device_}) {
    for (const auto& [id, rq] : *requests) {
      if (first == nullptr) first = &rq;
      if (rq.io_class != first->io_class) return false;
    }
  }
  return true;
}

Nanoseconds QueueMonitor::longest_service() const {
  Nanoseconds longest = longest_service_;
  for (const auto& [id, rq] : at_device_) longest = std::max(longest, now_ - rq.issued_at);
  for (const auto& [id, issued_at] : bypassing_) longest = std::max(longest, now_ - issued_at);
  return longest;
}

bool runs(const RunFacts& facts, std::string_view sysfs_name) {
  return facts.scheduler != nullptr && facts.scheduler->sysfs_name == sysfs_name;
}

bool is_deadline(const RunFacts& facts) {
  return (runs(facts, "deadline") || runs(facts, "mq-deadline")) && facts.tunables.has_value();
}

std::int64_t tunable(const RunFacts& facts, std::string_view name) { return facts.tunables->get(name); }

std::int64_t batch_limit(const RunFacts& facts) { return std::max<std::int64_t>(1, tunable(facts, "fifo_batch")); }

}  // namespace elvcheck
