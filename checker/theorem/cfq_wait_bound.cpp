// SPDX-License-Identifier: GPL-2.0-or-later
// cfq.wait-bound, cfq.same-prio-wait: how long a queue of one service tree of CFQ waits for its slice.
//
// N queues of one class, type and group, as rules with a guard and an effect: a queue becomes busy, the first of the tree
// becomes active, time passes, the active queue's slot ends. The place of a queue in the tree is SliceCore::place, which the
// simulation uses; offsets and residuals are arbitrary as long as a queue is not put before now. D_j is the longest time
// queue j may hold the device in one slot: its slice, the idling at its end, and a request in flight. The invariant, for a
// waiting queue w:
//
//   now + sum over the others of [what is left of the active one's D, or D_j if j waits before w] <= key_w + sum of the
//   others' D_j
//
// Left out: other classes, types and groups (the workload slices), preemption, cooperators, forced dispatch; and queues that
// are put before now, which a residual larger than the offset does, and the negative offset of the first queue of a group.
// The order of the tree itself is abstracted to "nobody with a lesser key is chosen later than one with a greater".
#include <fmt/format.h>

#include <array>

#include "checker/theorem/catalogue.hpp"
#include "model/scheduler/cfq/slice_core.hpp"

namespace elvcheck {

namespace {

using Num = Symbolic::Num;
using Bool = Symbolic::Bool;
using Slices = cfq::SliceCore<Symbolic>;

constexpr std::array<std::size_t, 5> queue_counts{2, 3, 4, 8, 16};
constexpr std::size_t bug_queues = 4;

/// The key does not count from now: a queue that comes late with a small offset is put before all that wait.
struct NowForgotten : Slices {
  static Num place(const Num&, const Num& offset, const Num& residual) { return offset - residual; }
};
/// The offset pulls a queue forward.
struct OffsetInverted : Slices {
  static Num place(const Num& now, const Num& offset, const Num& residual) { return now - offset + residual; }
};

/// What else may go wrong around the core.
enum class Defect {
  none,
  stale_key,      ///< a queue whose slot ended keeps its old place
  preempts,       ///< a queue that becomes busy takes over at once
  endless_slice,  ///< a slot may last longer than D
  any_order,      ///< any waiting queue may become active
};

template <class Core>
class CfqTree {
 public:
  struct Queue {
    Num key;
    Num since;    ///< when it was put there
    Num offset;   ///< key - since
    Num longest;  ///< D
    Bool busy;
    Bool active;
  };

  CfqTree(Obligation& obligation, std::size_t count, Defect defect, bool no_offsets)
      : defect_(defect), no_offsets_(no_offsets), now_(Symbolic::variable("now")), left_(Symbolic::variable("left")) {
    for (std::size_t j = 0; j < count; ++j) {
      const std::string suffix = std::to_string(j);
      Queue queue{Symbolic::variable("key" + suffix),    Symbolic::variable("since" + suffix),
                  Symbolic::variable("offset" + suffix), Symbolic::variable("longest" + suffix),
                  Symbolic::condition("busy" + suffix),  Symbolic::condition("active" + suffix)};
      obligation.assume(Num(0) <= queue.longest, "D >= 0");
      queues_.push_back(queue);
    }
    obligation.assume(well_formed(),
                      "at most one queue is active, within its D; keys are offsets from when they were given");
    obligation.assume(invariant(), "the invariant");
  }

  void arrive(Obligation& obligation, std::size_t j) {
    obligation.assume(!queues_[j].busy, "the queue was idle");
    put(obligation, queues_[j], Bool(true));
    queues_[j].busy = true;
    if (defect_ != Defect::preempts) return;
    for (std::size_t i = 0; i < queues_.size(); ++i) queues_[i].active = Bool(i == j);
    left_ = queues_[j].longest;
  }

  void select(Obligation& obligation, std::size_t k) {
    obligation.assume(queues_[k].busy && !some_active(), "a queue is chosen only when none is active");
    for (const Queue& other : queues_) {
      if (defect_ == Defect::any_order) break;
      obligation.assume(!other.busy || queues_[k].key <= other.key, "the least key is chosen");
    }
    queues_[k].active = true;
    left_ = queues_[k].longest;
  }

  void run(Obligation& obligation) {
    const Num time = Symbolic::variable("time");
    obligation.assume(some_active() && Num(0) < time, "time passes in a slot");
    if (defect_ != Defect::endless_slice) obligation.assume(time <= left_, "a slot lasts at most D");
    now_ = now_ + time;
    left_ = left_ - time;
  }

  void expire(Obligation& obligation, std::size_t k) {
    obligation.assume(queues_[k].active, "the active queue's slot ends");
    const Bool backlogged = Symbolic::condition("backlogged");
    if (defect_ == Defect::stale_key) {
      queues_[k].since = Symbolic::select(backlogged, now_, queues_[k].since);
      queues_[k].offset = Symbolic::select(backlogged, queues_[k].key - now_, queues_[k].offset);
    } else {
      put(obligation, queues_[k], backlogged);
    }
    queues_[k].active = false;
    queues_[k].busy = backlogged;
    left_ = Num(0);
  }

  Bool well_formed() const {
    Bool all(true);
    for (std::size_t j = 0; j < queues_.size(); ++j) {
      const Queue& queue = queues_[j];
      all = all && (!queue.active || (queue.busy && Num(0) <= left_ && left_ <= queue.longest)) &&
            (!queue.busy || queue.key == queue.since + queue.offset);
      if (no_offsets_) all = all && (!queue.busy || queue.offset == Num(0));
      for (std::size_t i = 0; i < j; ++i) all = all && !(queue.active && queues_[i].active);
    }
    return all;
  }

  /// Of queue 0.
  Bool invariant() const {
    const Queue& watched = queues_.front();
    Num ahead = now_;
    for (std::size_t j = 1; j < queues_.size(); ++j) {
      const Queue& queue = queues_[j];
      const Num waits_before = Symbolic::select(queue.busy && queue.key <= watched.key, queue.longest, Num(0));
      ahead = ahead + Symbolic::select(queue.active, left_, waits_before);
    }
    return !waits(watched) || ahead <= watched.key + others();
  }

  /// now - since <= offset + sum of the others' D, for queue 0.
  Bool bound() const {
    const Queue& watched = queues_.front();
    return !waits(watched) || now_ - watched.since <= (no_offsets_ ? others() : watched.offset + others());
  }

 private:
  static Bool waits(const Queue& queue) { return queue.busy && !queue.active; }

  Num others() const {
    Num sum(0);
    for (std::size_t j = 1; j < queues_.size(); ++j) sum = sum + queues_[j].longest;
    return sum;
  }

  Bool some_active() const {
    Bool some(false);
    for (const Queue& queue : queues_) some = some || queue.active;
    return some;
  }

  /// Gives the queue its place in the tree.
  void put(Obligation& obligation, Queue& queue, const Bool& applies) {
    const Num offset = no_offsets_ ? Num(0) : Symbolic::variable("new-offset");
    const Num residual = no_offsets_ ? Num(0) : Symbolic::variable("residual");
    obligation.assume(Num(0) <= offset - residual, "no queue is put before now");
    queue.key = Symbolic::select(applies, Core::place(now_, offset, residual), queue.key);
    queue.since = Symbolic::select(applies, now_, queue.since);
    queue.offset = Symbolic::select(applies, offset - residual, queue.offset);
  }

  Defect defect_;
  bool no_offsets_;
  Num now_;
  Num left_;  ///< of the active queue's D
  std::vector<Queue> queues_;
};

template <class Core>
std::vector<Condition> conditions(std::size_t count, bool no_offsets, Defect defect = Defect::none) {
  using Tree = CfqTree<Core>;
  const auto rule = [&](const char* name, void (*apply)(Tree&, Obligation&)) {
    return Condition{fmt::format("{}.n{}", name, count),
                     fmt::format("With {} queues: the rule keeps the invariant, and the bound follows.", count),
                     [count, no_offsets, defect, apply](Obligation& obligation) {
                       Tree tree(obligation, count, defect, no_offsets);
                       apply(tree, obligation);
                       obligation.conclude(tree.well_formed() && tree.invariant() && tree.bound());
                     }};
  };
  return {
      rule("arrive.own", [](Tree& tree, Obligation& o) { tree.arrive(o, 0); }),
      rule("arrive.other", [](Tree& tree, Obligation& o) { tree.arrive(o, 1); }),
      rule("select.own", [](Tree& tree, Obligation& o) { tree.select(o, 0); }),
      rule("select.other", [](Tree& tree, Obligation& o) { tree.select(o, 1); }),
      rule("run", [](Tree& tree, Obligation& o) { tree.run(o); }),
      rule("expire.own", [](Tree& tree, Obligation& o) { tree.expire(o, 0); }),
      rule("expire.other", [](Tree& tree, Obligation& o) { tree.expire(o, 1); }),
  };
}

Theorem wait_theorem(bool no_offsets) {
  Theorem theorem;
  theorem.core = "cfq::SliceCore";
  theorem.abstraction =
      "One class, type and group. A queue is never put before now (its residual is at most its offset). No preemption, no "
      "cooperators. "
      "D is the longest time that a queue may hold the device in one slot.";
  theorem.flows = "2, 3, 4, 8 or 16 queues";
  for (const std::size_t count : queue_counts) {
    for (Condition& condition : conditions<Slices>(count, no_offsets)) theorem.conditions.push_back(std::move(condition));
  }
  theorem.planted_bugs = {
      {"stale-key", "A queue whose slot ended keeps its old place.",
       conditions<Slices>(bug_queues, no_offsets, Defect::stale_key)},
      {"preempts", "A queue that becomes busy takes over at once.",
       conditions<Slices>(bug_queues, no_offsets, Defect::preempts)},
      {"endless-slice", "A slot may last longer than D.", conditions<Slices>(bug_queues, no_offsets, Defect::endless_slice)},
      {"any-order", "Any waiting queue may be chosen.", conditions<Slices>(bug_queues, no_offsets, Defect::any_order)},
  };
  return theorem;
}

}  // namespace

Theorem cfq_wait_bound() {
  Theorem theorem = wait_theorem(false);
  theorem.name = "cfq.wait-bound";
  theorem.statement =
      "A queue waits for its slice at most its offset, less its residual, and one slot D of every other queue of its "
      "service tree.";
  theorem.symbolic = "slots D >= 0, offsets, residuals, times";
  theorem.planted_bugs.push_back(
      {"now-forgotten", "Keys do not count from now.", conditions<NowForgotten>(bug_queues, false)});
  theorem.planted_bugs.push_back(
      {"offset-inverted", "The offset pulls forward.", conditions<OffsetInverted>(bug_queues, false)});
  return theorem;
}

Theorem cfq_same_prio_wait() {
  Theorem theorem = wait_theorem(true);
  theorem.name = "cfq.same-prio-wait";
  theorem.statement =
      "Without offsets (best level, no residuals) a queue waits at most one slot D of every other queue of its service "
      "tree.";
  theorem.symbolic = "slots D >= 0, times";
  theorem.planted_bugs.push_back(
      {"now-forgotten", "Keys do not count from now.", conditions<NowForgotten>(bug_queues, true)});
  return theorem;
}

}  // namespace elvcheck
