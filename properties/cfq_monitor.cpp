// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/cfq_monitor.hpp"

#include "properties/queue_monitor.hpp"

namespace elvcheck {

namespace {
constexpr ReqFlags urgent = REQ_META | REQ_PRIO;
}

template <class Hook>
void CfqBooks::tell(Hook hook) {
  for (CfqMonitor* const reader : readers_) hook(*reader);
}

void CfqBooks::on_event(const TraceEvent& event) {
  tell([&](CfqMonitor& reader) { reader.before(event); });
  now_ = event.at;
  book(event);
  tell([&](CfqMonitor& reader) { reader.after(event); });
}

void CfqBooks::book(const TraceEvent& event) {
  switch (event.kind) {
    case EventKind::get_request:
      allocated_at_[event.request] = event.at;
      look_at_priority(event);
      break;
    case EventKind::insert:
      insert(event);
      break;
    case EventKind::back_merge:
    case EventKind::front_merge:
      if (const auto rq = waiting_.find(event.request); rq != waiting_.end()) {
        rq->second.sectors += event.sectors;
        if (event.kind == EventKind::front_merge) rq->second.sector = event.sector;
      }
      break;
    case EventKind::request_merge:
      if (const auto rq = waiting_.find(event.request); rq != waiting_.end()) {
        if (const auto other = waiting_.find(event.other); other != waiting_.end()) {
          if (other->second.queue != rq->second.queue) rq->second.odd = true;
          rq->second.inserted_at = std::min(rq->second.inserted_at, other->second.inserted_at);
        }
        rq->second.sectors = event.sectors;
      }
      waiting_.erase(event.other);
      allocated_at_.erase(event.other);
      break;
    case EventKind::note:
      if (event.rule != nullptr) note(event);
      break;
    case EventKind::issue:
      at_device_.insert(event.request);
      if (inside_.contains(event.request)) head_ = event.sector + event.sectors;
      break;
    case EventKind::requeue:
      at_device_.erase(event.request);
      break;
    case EventKind::complete:
      at_device_.erase(event.request);
      if (const auto rq = inside_.find(event.request); rq != inside_.end()) {
        const Nanoseconds allocated_at = allocated_at_[event.request];
        tell([&](CfqMonitor& reader) { reader.on_completion(rq->second, allocated_at); });
        --count_inside_[rq->second.queue];
        inside_.erase(rq);
      }
      allocated_at_.erase(event.request);
      break;
    default:
      break;
  }
}

/// A queue follows its process's priority at the next allocation, with all that waits in it; async queues may then be
/// mistaken for one another.
void CfqBooks::look_at_priority(const TraceEvent& event) {
  const auto [known, first] = processes_.try_emplace(event.process, Known{event.ioprio});
  if (known->second.odd || (known->second.ioprio == event.ioprio && (event.flags & urgent) == 0)) return;
  known->second.odd = any_odd_ = true;
  async_odd_ = async_odd_ || known->second.ioprio != event.ioprio;
  for (auto& [id, rq] : waiting_) rq.odd = rq.odd || rq.process == event.process || (async_odd_ && !rq.queue.sync);
  mark_shared();
}

/// A process takes the queue that it shares with it.
void CfqBooks::mark_shared() {
  if (!merged_ || !any_odd_) return;
  for (auto& [id, rq] : waiting_) rq.odd = true;
}

void CfqBooks::insert(const TraceEvent& event) {
  if (event.sectors == 0 || op_is_flush(event.op, event.flags)) return;
  CfqRequest rq;
  rq.id = event.request;
  rq.process = event.process;
  const bool none = event.ioprio.io_class == IoClass::none;
  rq.io_class = none ? IoClass::be : event.ioprio.io_class;
  rq.level = none ? 4 : event.ioprio.level;
  rq.queue.sync = op_is_sync(event.op, event.flags);
  if (rq.queue.sync) {
    rq.queue.process = event.process;
  } else {
    rq.queue.io_class = rq.io_class;
    rq.queue.level = rq.io_class == IoClass::idle ? 0 : rq.level;
  }
  rq.sector = event.sector;
  rq.sectors = event.sectors;
  rq.inserted_at = event.at;
  look_at_priority(event);
  rq.odd = processes_[event.process].odd || (async_odd_ && !rq.queue.sync) || (merged_ && any_odd_);
  tell([&](CfqMonitor& reader) { reader.on_insert(rq); });
  waiting_.insert_or_assign(rq.id, rq);
}

void CfqBooks::note(const TraceEvent& event) {
  const std::string_view name = event.rule->name;
  if (name == "cfq.dispatch.next") {
    choose(event, CfqWay::next);
  } else if (name == "cfq.dispatch.expired") {
    choose(event, CfqWay::expired);
  } else if (name == "cfq.dispatch.alias") {
    choose(event, CfqWay::alias);
  } else if (name == "cfq.dispatch.forced") {
    choose(event, CfqWay::forced);
  } else if (name == "cfq.select.next" || name == "cfq.select.cooperator") {
    in_slice_ = 0;
    tell([&](CfqMonitor& reader) { reader.on_slice(); });
  } else if (name == "cfq.merge.take") {
    merged_ = true;
    mark_shared();
  }
  tell([&](CfqMonitor& reader) { reader.on_note(event); });
}

void CfqBooks::choose(const TraceEvent& event, CfqWay way) {
  const auto found = waiting_.find(event.request);
  if (found == waiting_.end()) return;
  tell([&](CfqMonitor& reader) { reader.on_choice(found->second, way, event); });
  if (way == CfqWay::next || way == CfqWay::expired) ++in_slice_;
  ++count_inside_[found->second.queue];
  inside_.insert_or_assign(event.request, found->second);
  waiting_.erase(found);
}

std::int64_t CfqBooks::inside(const CfqQueueKey& queue) const {
  const auto count = count_inside_.find(queue);
  return count == count_inside_.end() ? 0 : count->second;
}

void CfqMonitor::open_own_books() const {
  own_books_ = std::make_unique<CfqBooks>();
  books_ = own_books_.get();
  books_->add(const_cast<CfqMonitor&>(*this));
}

bool is_plain_cfq(const RunFacts& facts) {
  return facts.simulated && runs(facts, "cfq") && facts.tunables.has_value() && facts.block.groups.empty();
}

std::int64_t cfq_value(const RunFacts& facts, std::string_view name) {
  return facts.tunables->has(name) ? facts.tunables->get(name) : 0;
}

}  // namespace elvcheck
