// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/queue_monitor.hpp"

#include <algorithm>
#include <limits>

namespace elvcheck {

QueueBooks::QueueBooks(const RunFacts& facts)
    : facts_(facts),
      clock_(facts.block.hz),
      oldest_flavour_(facts.scheduler != nullptr && facts.scheduler->flavour == BlockFlavour::single_queue_2_6_35),
      tells_classes_(runs(facts, "mq-deadline")) {}

void QueueBooks::add(QueueMonitor& reader) {
  readers_.push_back({&reader, reader.wants()});
  if (reader.looks_at_all()) readers_of_all_.push_back(&reader);
}

template <class Hook>
void QueueBooks::tell(EventKind kind, Hook hook) {
  if (muted_) return;
  const EventKinds bit = event_kinds(kind);
  for (const auto& [monitor, wanted] : readers_) {
    if ((wanted & bit) != 0) hook(*monitor);
  }
}

bool QueueBooks::bypasses(const TraceEvent& event) { return event.sectors == 0 || op_is_flush(event.op, event.flags); }

void QueueBooks::on_event(const TraceEvent& event) {
  ++events_;
  for (QueueMonitor* reader : readers_of_all_) reader->before(event);
  now_ = event.at;
  ++version_;
  if (muted_ && queued_.empty() && at_device_.empty() && bypassing_.empty()) {
    muted_ = false;
    for (const auto& [monitor, wanted] : readers_) monitor->reset();
  }
  book(event);
  ++version_;
  for (QueueMonitor* reader : readers_of_all_) reader->after(event);
}

void QueueBooks::book(const TraceEvent& event) {
  switch (event.kind) {
    case EventKind::queue:
    case EventKind::get_request:  // it may have slept for the request
      if (!bypasses(event)) break;
      if (oldest_flavour_) muted_ = true;
      if (event.kind == EventKind::get_request) sequences_.insert_or_assign(event.request, true);
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
      tell(EventKind::note, [&](QueueMonitor& reader) { reader.on_note(event); });
      break;
    default:
      break;
  }
}

/// A request comes to the scheduler: it has a slot and counts for its class until leave().
void QueueBooks::enter(const WaitingRequest& rq) {
  if (of_class_[static_cast<std::size_t>(rq.io_class)]++ == 0) ++classes_inside_;
}

void QueueBooks::leave(const WaitingRequest& rq) {
  free_slots_.push_back(rq.slot);
  if (--of_class_[static_cast<std::size_t>(rq.io_class)] == 0) --classes_inside_;
}

void QueueBooks::insert(const TraceEvent& event) {
  if (bypasses(event) || sequences_.contains(event.request)) {
    // The single-queue block layer shows an insertion also for what goes past the scheduler; which of the two it was, and in
    // which place, is not seen.
    if (event.op != Op::flush && event.sectors != 0) muted_ = true;
    return;
  }
  WaitingRequest rq;
  rq.id = event.request;
  rq.write = is_write(event.op);
  rq.mergeable = (event.flags & REQ_NOMERGE) == 0;
  rq.op = event.op;
  // Only mq-deadline tells classes apart; for the others there is one.
  if (tells_classes_ && event.ioprio.io_class != IoClass::none) rq.io_class = event.ioprio.io_class;
  rq.sector = event.sector;
  rq.sectors = event.sectors;
  rq.inserted_at = event.at;
  rq.arrival = rq.seen = rq.fifo_place = events_;
  rq.inserted_tick = clock_.jiffies(event.at);
  mute_for_alias(rq);
  if (free_slots_.empty()) free_slots_.push_back(slots_++);
  rq.slot = free_slots_.back();
  free_slots_.pop_back();
  tell(EventKind::insert, [&](QueueMonitor& reader) { reader.on_insert(rq); });
  enter(rq);
  const auto [place, fresh] = queued_.emplace(rq.id, rq);
  if (!fresh) {
    leave(place->second);
    place->second = rq;
  }
  if (!single_class()) {
    for (auto& [id, waiting] : queued_) waiting.mixed = true;
  }
}

/// The tree of 2.6.35 has room for one request at a place: another one there is dispatched at once.
void QueueBooks::mute_for_alias(const WaitingRequest& rq) {
  if (!oldest_flavour_) return;
  const auto alias = [&](const auto& entry) {
    return entry.first != rq.id && entry.second.sector == rq.sector && entry.second.write == rq.write;
  };
  if (std::any_of(queued_.begin(), queued_.end(), alias)) muted_ = true;
}

void QueueBooks::merge(const TraceEvent& event) {
  const auto found = queued_.find(event.request);
  if (found == queued_.end()) return;
  WaitingRequest& rq = found->second;
  if (event.kind != EventKind::request_merge) {
    tell(event.kind, [&](QueueMonitor& reader) { reader.on_bio_merge(rq, event); });
    rq.sectors += event.sectors;
    if (event.kind == EventKind::front_merge) {
      rq.sector = event.sector;
      rq.seen = events_;
      mute_for_alias(rq);
    }
    return;
  }
  tell(event.kind, [&](QueueMonitor& reader) { reader.on_request_merge(rq, event.other); });
  const auto other = queued_.find(event.other);
  if (other != queued_.end()) {
    // The older deadline survives. Both have the same direction, so it belongs to the older arrival.
    if (other->second.inserted_tick < rq.inserted_tick) {
      rq.fifo_place = other->second.fifo_place;
      rq.inserted_tick = other->second.inserted_tick;
    }
  }
  if (rq.sector != event.sector) rq.seen = events_;
  rq.sector = event.sector;
  rq.sectors = event.sectors;
  if (other != queued_.end()) {
    leave(other->second);
    queued_.erase(other);  // `rq` may have moved
  }
  mute_for_alias(queued_.find(event.request)->second);
}

void QueueBooks::issue(const TraceEvent& event) {
  const auto found = queued_.find(event.request);
  if (found == queued_.end()) {
    // A recording may begin with requests in the scheduler; what it chose then cannot be judged.
    const bool unknown = !facts_.simulated && event.op != Op::flush && !runs(facts_, "none");
    if (unknown) muted_ = true;
    tell(EventKind::issue, [](QueueMonitor& reader) { reader.on_issue(nullptr); });
    bypassing_[event.request] = event.at;
    return;
  }
  tell(EventKind::issue, [&](QueueMonitor& reader) { reader.on_issue(&found->second); });
  found->second.issued_at = event.at;
  const auto [place, fresh] = at_device_.emplace(event.request, found->second);
  if (!fresh) {
    leave(place->second);
    place->second = found->second;
  }
  queued_.erase(found);
  last_issue_ = events_;
  last_issue_at_ = event.at;
}

void QueueBooks::requeue(const TraceEvent& event) {
  muted_ = true;
  bypassing_.erase(event.request);
  const auto found = at_device_.find(event.request);
  if (found == at_device_.end()) return;
  if (const auto waiting = queued_.find(event.request); waiting != queued_.end()) {
    leave(waiting->second);
    queued_.erase(waiting);
  }
  queued_.emplace(event.request, found->second);
  at_device_.erase(found);
}

void QueueBooks::complete(const TraceEvent& event) {
  sequences_.erase(event.request);
  if (const auto found = at_device_.find(event.request); found != at_device_.end()) {
    tell(EventKind::complete, [&](QueueMonitor& reader) { reader.on_complete(found->second); });
    longest_service_ = std::max(longest_service_, event.at - found->second.issued_at);
    leave(found->second);
    at_device_.erase(found);
  } else if (const auto bypass = bypassing_.find(event.request); bypass != bypassing_.end()) {
    longest_service_ = std::max(longest_service_, event.at - bypass->second);
    bypassing_.erase(bypass);
  }
}

const WaitingRequest* QueueBooks::oldest(IoClass io_class, bool write) {
  auto& [version, result] = oldest_[2 * static_cast<std::size_t>(io_class) + (write ? 1 : 0)];
  if (version == version_) return result;
  version = version_;
  result = nullptr;
  for (const auto& [id, rq] : queued_) {
    if (rq.io_class != io_class || rq.write != write || rq.seen >= last_issue_) continue;
    if (result == nullptr || rq.fifo_place < result->fifo_place) result = &rq;
  }
  return result;
}

std::uint64_t QueueBooks::earliest_tick(bool write) {
  auto& [version, result] = earliest_tick_[write ? 1 : 0];
  if (version == version_) return result;
  version = version_;
  result = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [id, rq] : queued_) {
    if (rq.write == write) result = std::min(result, rq.inserted_tick);
  }
  return result;
}

Nanoseconds QueueBooks::longest_service() {
  if (longest_.version == version_) return longest_.value;
  longest_.version = version_;
  longest_.value = longest_service_;
  for (const auto& [id, rq] : at_device_) longest_.value = std::max(longest_.value, now_ - rq.issued_at);
  for (const auto& [id, issued_at] : bypassing_) longest_.value = std::max(longest_.value, now_ - issued_at);
  return longest_.value;
}

void QueueMonitor::open_own_books() const {
  own_books_ = std::make_unique<QueueBooks>(facts_);
  books_ = own_books_.get();
  books_->add(const_cast<QueueMonitor&>(*this));
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
