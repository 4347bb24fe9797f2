// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/cfq_monitor.hpp"

#include "properties/queue_monitor.hpp"

namespace elvcheck {

namespace {
constexpr ReqFlags urgent = REQ_META | REQ_PRIO;
}

void CfqMonitor::on_event(const TraceEvent& event) {
  ++events_;
  now_ = event.at;
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
        on_completion(rq->second, allocated_at_[event.request]);
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
void CfqMonitor::look_at_priority(const TraceEvent& event) {
  const auto [known, first] = processes_.try_emplace(event.process, Known{event.ioprio});
  if (known->second.odd || (known->second.ioprio == event.ioprio && (event.flags & urgent) == 0)) return;
  known->second.odd = any_odd_ = true;
  async_odd_ = async_odd_ || known->second.ioprio != event.ioprio;
  for (auto& [id, rq] : waiting_) rq.odd = rq.odd || rq.process == event.process || (async_odd_ && !rq.queue.sync);
  mark_shared();
}

/// A process takes the queue that it shares with it.
void CfqMonitor::mark_shared() {
  if (!merged_ || !any_odd_) return;
  for (auto& [id, rq] : waiting_) rq.odd = true;
}

void CfqMonitor::insert(const TraceEvent& event) {
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
  rq.seen = events_;
  look_at_priority(event);
  rq.odd = processes_[event.process].odd || (async_odd_ && !rq.queue.sync) || (merged_ && any_odd_);
  on_insert(rq);
  waiting_.insert_or_assign(rq.id, rq);
}

void CfqMonitor::note(const TraceEvent& event) {
  const std::string_view name = event.rule->name;
  if (name == "cfq.dispatch.next") {
    choose(event, Way::next);
  } else if (name == "cfq.dispatch.expired") {
    choose(event, Way::expired);
  } else if (name == "cfq.dispatch.alias") {
    choose(event, Way::alias);
  } else if (name == "cfq.dispatch.forced") {
    choose(event, Way::forced);
  } else if (name == "cfq.select.next" || name == "cfq.select.cooperator") {
    slice_began_ = events_;
    in_slice_ = 0;
    on_slice();
  } else if (name == "cfq.merge.take") {
    merged_ = true;
    mark_shared();
  }
  on_note(event);
}

void CfqMonitor::choose(const TraceEvent& event, Way way) {
  const auto found = waiting_.find(event.request);
  if (found == waiting_.end()) return;
  on_choice(found->second, way, event);
  if (way == Way::next || way == Way::expired) ++in_slice_;
  ++count_inside_[found->second.queue];
  inside_.insert_or_assign(event.request, found->second);
  waiting_.erase(found);
}

std::int64_t CfqMonitor::inside(const CfqQueueKey& queue) const {
  const auto count = count_inside_.find(queue);
  return count == count_inside_.end() ? 0 : count->second;
}

bool is_plain_cfq(const RunFacts& facts) {
  return facts.simulated && runs(facts, "cfq") && facts.tunables.has_value() && facts.block.groups.empty();
}

std::int64_t cfq_value(const RunFacts& facts, std::string_view name) {
  return facts.tunables->has(name) ? facts.tunables->get(name) : 0;
}

}  // namespace elvcheck
