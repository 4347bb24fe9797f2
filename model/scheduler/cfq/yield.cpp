// SPDX-License-Identifier: GPL-2.0-or-later
// The journal yield: a process that will wait for another one's I/O lets it go first.
//
// Mirrors, as far as it is known, the patch series "ext3/4: enhance fsync performance when using CFQ", RFC v5 of 22 June
// 2010, which was never merged: jbd calls blk_yield(queue, journal thread) before it waits for a commit. Without it CFQ
// idles on the queue of the process, which cannot submit anything until the journal thread, whose request is held up by the
// idling, has done its part. The text of v5 is not at hand; the idea, the call site and the guard are documented in its
// cover letter, the rest is reconstructed. Three points are open, and each is a feature:
// - yield-guard (on): the cover letter says that only currently active sequential readers are guarded against. Here: while
// the
//   sync-noidle tree is served, a queue other than the two was expired from it less than slice_idle ago. Such a reader
//   relies on the idling that the yield would end.
// - yield-ends-on-own-request (off): a request of the yielding process itself could end the yield. It need not: a queue that
// has
//   requests is served first anyway.
// - yield-keeps-residual (off): the yielding queue could keep the rest of its slice. Like a queue that a cooperator takes
// over
//   from, it forfeits it: it gave its time away.
// What a yield does not do: dispatch anything itself, let in a queue of another group, outlast the slice. If the target
// never comes, the idle timer ends the wait as it would have without.
#include "model/scheduler/cfq/rules.hpp"
#include "model/scheduler/cfq/scheduler.hpp"

namespace elvcheck::cfq {

void Cfq::yield(ProcessId process, ProcessId target) {
  if (!features_.journal_yield || process == target) return;
  IoContext* from = known_context(process);
  IoContext* to = known_context(target);
  if (from == nullptr || to == nullptr || !to->alive || from->queues[true] == nullptr) return;
  Queue& queue = *from->queues[true];
  Time age = 0;
  ProcessId reader = 0;
  if (features_.yield_guard && reader_on_noidle_tree(queue, target, age, reader)) {
    note(rules::yield_refused, queue, target, reader, age);
    return;
  }
  queue.yield_to = to;
  note(rules::yield_marked, queue, target);
}

/// Whether the idling on this queue belongs to a tree on which somebody else was served just now.
bool Cfq::reader_on_noidle_tree(const Queue& queue, ProcessId target, Time& age, ProcessId& reader) {
  if (&queue != active_ || serving_type_ != Type::sync_noidle || queue.service_tree == nullptr) return false;
  const ServiceTree& tree = *queue.service_tree;
  age = now() - tree.expired_at;
  reader = tree.expired_pid;
  return reader != 0 && reader != queue.pid && reader != target && age < slice_.slice_idle;
}

/// The sync queue of the process that the queue has yielded to, if that process still lives.
Queue* Cfq::yield_target(const Queue& queue) const {
  if (planted(Mutant::cfq_yield_forgets_target)) return nullptr;
  return queue.yield_to->alive ? queue.yield_to->queues[true] : nullptr;
}

}  // namespace elvcheck::cfq
