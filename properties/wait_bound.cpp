// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/wait_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace elvcheck {

namespace {

// Values of tunables reach 2^31; a rank beyond this is none that a run could violate.
constexpr std::int64_t highest_rank = std::int64_t{1} << 40;

std::int64_t limited_product(std::int64_t a, std::int64_t b) {
  return b != 0 && a > highest_rank / b ? highest_rank : a * b;
}

}  // namespace

std::optional<std::int64_t> expired_rank(const RunFacts& facts, bool write, std::int64_t older) {
  const std::int64_t batch = batch_limit(facts);
  const std::int64_t starved = tunable(facts, "writes_starved");
  if (write) {
    const std::int64_t read_batches = limited_product(older + 1, std::max<std::int64_t>(0, starved));
    return limited_product(1 + older + read_batches, batch);
  }
  if (starved < 1) return std::nullopt;
  return limited_product(2 + older + older / starved, batch);
}

ExpiredMonitor::ExpiredMonitor(const RunFacts& facts) : QueueMonitor(facts) {
  for (const bool write : {false, true}) {
    expire_ticks_[write] =
        clock().msecs_to_jiffies(static_cast<std::uint64_t>(tunable(facts, write ? "write_expire" : "read_expire")));
  }
}

Nanoseconds ExpiredMonitor::deadline(const WaitingRequest& rq) const { return clock().tick_start(deadline_tick(rq)); }

std::uint64_t ExpiredMonitor::earliest_deadline() const {
  std::uint64_t earliest = std::numeric_limits<std::uint64_t>::max();
  for (const bool write : {false, true}) {
    if (const std::uint64_t tick = earliest_tick(write); tick != earliest) {
      earliest = std::min(earliest, tick + expire_ticks_[write] + 1);
    }
  }
  return earliest;
}

void ExpiredMonitor::watch(const WaitingRequest& rq) {
  const auto older = std::count_if(queued().begin(), queued().end(), [&](const auto& entry) {
    const WaitingRequest& other = entry.second;
    return other.id != rq.id && other.io_class == rq.io_class && other.write == rq.write && other.fifo_place < rq.fifo_place;
  });
  own(rq).allowance = expired_rank(facts(), rq.write, older).value_or(unbounded);
  own(rq).passed = 0;
}

void ExpiredMonitor::on_issue(const WaitingRequest* rq) {
  const std::uint64_t now_tick = clock().jiffies(now());
  if (rq == nullptr) {
    ++bypassed_;
    for (const auto& [id, waiting] : queued()) {
      if (now_tick < deadline_tick(waiting)) own(waiting).mark = bypassed_;
    }
    return;
  }
  if (now_tick < earliest_deadline()) {  // the usual case: nobody is late
    if (!rq->mixed) on_in_time(*rq);
    return;
  }
  const std::uint64_t chosen_tick = clock().jiffies(chosen_after());
  for (const auto& [id, waiting] : queued()) {
    const bool issued = id == rq->id;
    if (waiting.mixed || (!issued && !visible(waiting))) continue;
    Marks& marks = own(waiting);
    const bool expired = chosen_tick >= deadline_tick(waiting) || marks.allowance != unwatched;
    if (!expired && !(issued && now_tick >= deadline_tick(waiting))) {
      if (issued) on_in_time(waiting);
      continue;
    }
    if (marks.allowance == unwatched) watch(waiting);
    if (marks.allowance == unbounded) continue;
    if (!issued) ++marks.passed;
    on_expired(waiting, now(), issued);
  }
}

void ExpiredMonitor::finish(Nanoseconds end, bool complete_run) {
  (void)complete_run;  // a run that was stopped has its starving requests left
  if (!facts().simulated || muted()) return;
  for (const auto& [id, waiting] : queued()) {
    if (waiting.mixed || end < deadline(waiting)) continue;
    if (own(waiting).allowance == unwatched) watch(waiting);
    if (own(waiting).allowance != unbounded) on_expired(waiting, end, false);
  }
}

LateStart::LateStart(const RunFacts& facts, bool reads_only, const char* rule)
    : ExpiredMonitor(facts), reads_only_(reads_only), rule_(rule), slack_(queue_delay(facts)) {}

void LateStart::on_in_time(const WaitingRequest& rq) {
  if (!reads_only_ || !rq.write) judge((now() - rq.inserted_at).count());
}

void LateStart::on_expired(const WaitingRequest& rq, Nanoseconds at, bool issued) {
  if (reads_only_ && rq.write) return;
  const Nanoseconds waited = at - rq.inserted_at;
  if (issued) judge(waited.count());
  // A slot for what is at the device, one for a request that the driver holds, one for each dispatch of the rank.
  const std::int64_t dispatches = own(rq).allowance + 2 + bypassed(rq);
  const std::int64_t service = std::max<std::int64_t>(longest_service().count(), 1);
  // A merge may hand down a deadline that had passed before the request was there.
  const std::int64_t late = (at - std::max(deadline(rq), rq.inserted_at) - slack_).count();
  if (late / service < dispatches || (late / service == dispatches && late % service == 0)) return;
  const Nanoseconds bound = waited - Nanoseconds(late - service * dispatches);
  violate({rule_,
           fmt::format("request {} waited {} ns; its deadline and {} services of at most {} ns allow {} ns", rq.id,
                       waited.count(), dispatches, service, bound.count()),
           at, rq.id, waited.count(), bound.count()});
}

Nanoseconds queue_delay(const RunFacts& facts) {
  if (!facts.simulated) return 1ms;
  if (facts.scheduler->flavour != BlockFlavour::single_queue_2_6_35) return 0ms;
  return 3ms + Nanoseconds(2'000'000'000 / facts.block.hz);
}

}  // namespace elvcheck
