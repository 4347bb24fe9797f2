// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/coverage.hpp"

#include <algorithm>

#include "model/block/rules.hpp"

namespace elvcheck {

namespace {

constexpr unsigned burst_size = 8;

/// The last operations of a program are not waited for.
bool leaves_requests(const ProcessSpec& process) {
  for (auto op = process.ops.rbegin(); op != process.ops.rend(); ++op) {
    if (op->kind == ProcessOp::Kind::io) return op->nowait;
    if (op->kind == ProcessOp::Kind::drain || op->kind == ProcessOp::Kind::fsync) return false;
    if (op->kind == ProcessOp::Kind::think || op->kind == ProcessOp::Kind::at) return false;  // they may be done by then
  }
  return false;
}

}  // namespace

std::vector<const DecisionRule*> rules_of(const SchedulerInfo& scheduler) {
  std::vector<const DecisionRule*> rules(scheduler.rules.begin(), scheduler.rules.end());
  using enum BlockFlavour;
  switch (scheduler.flavour) {
    case single_queue_2_6_35:
      rules.insert(rules.end(), {&block_rule::unplug_timer, &block_rule::forced_drain});
      break;
    case single_queue_4_4:
    case single_queue_4_19:
      rules.push_back(&block_rule::queue_delay);
      break;
    case multi_queue_6_1:
    case multi_queue_6_12:
      rules.push_back(&block_rule::rerun);
      break;
  }
  return rules;
}

RunCoverage::RunCoverage(const RunFacts& facts, const Scenario& scenario)
    : clock_(facts.block.hz),
      capacity_(facts.device.capacity),
      queue_depth_(facts.device.queue_depth),
      nr_requests_(facts.block.nr_requests),
      rules_(rules_of(*facts.scheduler)),
      reached_{std::vector<std::uint64_t>(rules_.size()), 0} {
  const auto table = facts.scheduler->tunables;
  has_deadlines_ = std::any_of(table.begin(), table.end(),
                               [](const TunableInfo& t) { return std::string_view(t.name) == "read_expire"; });
  if (has_deadlines_) {
    const auto ticks = [&](const char* name) {
      return clock_.msecs_to_jiffies(static_cast<std::uint64_t>(facts.tunables->get(name)));
    };
    expire_ticks_ = {ticks("read_expire"), ticks("write_expire")};
  }
  if (queue_depth_ == 1) mark(Corner::depth_one);
  if (std::any_of(scenario.processes.begin(), scenario.processes.end(), leaves_requests)) mark(Corner::exit_inside);
}

void RunCoverage::on_event(const TraceEvent& event) {
  switch (event.kind) {
    case EventKind::queue:
      on_queue(event);
      break;
    case EventKind::get_request:
      if (++allocated_ + 1 == nr_requests_) mark(Corner::one_tag_left);
      break;
    case EventKind::sleep_request:
      mark(Corner::no_request_left);
      break;
    case EventKind::front_merge:
      mark(Corner::front_merge);
      break;
    case EventKind::request_merge:
      mark(Corner::request_merge);
      forget(event.other);
      allocated_ -= std::min(allocated_, 1U);
      break;
    case EventKind::insert:
      on_insert(event);
      break;
    case EventKind::issue:
      on_issue(event);
      break;
    case EventKind::requeue:
      mark(Corner::requeue);
      at_device_ -= std::min(at_device_, 1U);
      break;
    case EventKind::complete:
      at_device_ -= std::min(at_device_, 1U);
      allocated_ -= std::min(allocated_, 1U);
      break;
    case EventKind::timer:
    case EventKind::note: {
      const auto rule = std::find(rules_.begin(), rules_.end(), event.rule);
      if (rule != rules_.end()) ++reached_.rule_hits[static_cast<std::size_t>(rule - rules_.begin())];
      break;
    }
    default:
      break;
  }
}

void RunCoverage::on_queue(const TraceEvent& event) {
  ++submissions_;
  if (event.at != instant_) at_instant_ = 0;
  instant_ = event.at;
  if (++at_instant_ >= burst_size) mark(Corner::burst);
  if (event.op == Op::flush) return;
  const Sector end = event.sector + event.sectors;
  if (end == capacity_) mark(Corner::end_of_disk);
  for (const Waiting& rq : waiting_) {
    const Sector rq_end = rq.sector + rq.sectors;
    if (rq.sector == event.sector && rq.sectors == event.sectors) {
      mark(Corner::equal);
    } else if (rq_end == event.sector || end == rq.sector) {
      mark(Corner::adjacent);
    } else if (event.sector < rq_end && rq.sector < end) {
      mark(Corner::overlapping);
    }
  }
}

void RunCoverage::on_insert(const TraceEvent& event) {
  if (event.op == Op::flush) return;
  forget(event.request);
  for (const Waiting& rq : waiting_) {
    if (rq.process == event.process) continue;
    if (rq.ioprio == event.ioprio && rq.ioprio.io_class != IoClass::none) mark(Corner::prio_tie);
    if (rq.ioprio.io_class != event.ioprio.io_class) mark(Corner::prio_mix);
  }
  waiting_.push_back({event.request, event.sector, event.sectors, event.process, event.ioprio,
                      clock_.jiffies(event.at) + expire_ticks_[is_write(event.op)]});
}

void RunCoverage::on_issue(const TraceEvent& event) {
  if (event.op == Op::flush) mark(Corner::flush);
  if (++at_device_ + 1 == queue_depth_) mark(Corner::one_tag_left);
  if (at_end_ && event.op != Op::flush) mark(Corner::wrap);
  at_end_ = event.sector + event.sectors == capacity_;
  if (has_deadlines_) {
    const auto rq = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return w.id == event.request; });
    if (rq != waiting_.end()) {
      const std::uint64_t now = clock_.jiffies(event.at);
      if (now + 1 == rq->deadline) mark(Corner::expiry_before);
      if (now == rq->deadline) mark(Corner::expiry_exact);
      if (now == rq->deadline + 1) mark(Corner::expiry_after);
    }
  }
  forget(event.request);
}

void RunCoverage::forget(RequestId request) {
  std::erase_if(waiting_, [request](const Waiting& rq) { return rq.id == request; });
}

}  // namespace elvcheck
