// SPDX-License-Identifier: GPL-2.0-or-later
// What deadline and mq-deadline share beside the decision core: reading the tunables, the step from a dispatched request to
// its successor, and the merge of deadlines. Each place where a slip is classic is also a planted bug here, once for both.
#pragma once

#include <array>
#include <cassert>

#include "model/block/request.hpp"
#include "model/core/mutant.hpp"
#include "model/scheduler/deadline_core.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck {

/// The core with its tunables.
inline DeadlineCore<Concrete> make_deadline_core(const TunableValues& tunables) {
  DeadlineCore<Concrete> core{};
  core.fifo_batch = tunables.get("fifo_batch");
  core.writes_starved = tunables.get("writes_starved");
  if (planted(Mutant::deadline_writes_starved_ignored)) core.writes_starved = 16;
  if (planted(Mutant::deadline_fifo_batch_ignored)) core.fifo_batch = 16;
  if (planted(Mutant::deadline_batch_one_more)) ++core.fifo_batch;
  return core;
}

/// read_expire and write_expire in jiffies.
inline std::array<std::uint64_t, 2> expiry_jiffies(const TunableValues& tunables, const KernelClock& clock) {
  const char* const of_reads = planted(Mutant::deadline_read_expire_ignored) ? "write_expire" : "read_expire";
  return {clock.msecs_to_jiffies(static_cast<std::uint64_t>(tunables.get(of_reads))),
          clock.msecs_to_jiffies(static_cast<std::uint64_t>(tunables.get("write_expire")))};
}

inline bool front_merges_wanted(const TunableValues& tunables) {
  return tunables.get("front_merges") != 0 || planted(Mutant::deadline_front_merges_ignored);
}

/// What the core may know of a direction. `passed` tells whether a request is past its deadline.
template <class Passed>
DeadlineQueueView<Concrete> deadline_view(const RequestList& fifo, const RequestList& other_fifo, const Request* next,
                                          Passed passed) {
  const RequestList& aged = !other_fifo.empty() && planted(Mutant::deadline_expiry_of_other_list) ? other_fifo : fifo;
  DeadlineQueueView<Concrete> view;
  view.pending = !fifo.empty();
  view.next = next != nullptr;
  view.expired = view.pending && passed(*aged.front()) && !planted(Mutant::deadline_expiry_ignored);
  return view;
}

/// DeadlineCore::commit().
inline void commit_choice(DeadlineCore<Concrete>& core, const DeadlineQueueView<Concrete>& reads,
                          const DeadlineQueueView<Concrete>& writes, const DeadlineChoice<Concrete>& choice,
                          bool dispatched) {
  const auto starved = core.starved;
  core.commit(reads, writes, choice, dispatched);
  assert(core.writes_starved < 0 || core.invariant());
  if (core.starved > starved && planted(Mutant::deadline_starved_never_counted)) core.starved = starved;
  if (core.starved < starved && planted(Mutant::deadline_starved_never_reset)) core.starved = starved;
}

/// Where a batch goes on after `rq`, which is still in the tree: the next one by sector, or null.
inline Request* batch_successor(const RequestTree& sorted, Request& rq) {
  Request* next = RequestTree::next(rq);
  return next == nullptr && planted(Mutant::deadline_batch_wraps) ? sorted.first() : next;
}

/// `rq` has absorbed `next`, both in fifos: it takes over the place and deadline of an earlier one.
inline void inherit_deadline(Request& rq, Request& next) {
  if (next.fifo_time >= rq.fifo_time || planted(Mutant::deadline_not_inherited)) return;
  rq.queuelist.list->remove(rq);
  next.queuelist.list->insert_after(rq, next);
  rq.fifo_time = next.fifo_time;
}

}  // namespace elvcheck
