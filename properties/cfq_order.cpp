// SPDX-License-Identifier: GPL-2.0-or-later
// Whom CFQ serves: classes in strict order, sync before async, a preempting queue at once, nothing outside the slice.
//
// These are judged at the moment of the decision, which the model's notes tell. Some promises were not kept by every
// version; each such version is named with the property and shown by a case, and the feature that mends it is what the case
// switches.
#include <fmt/format.h>

#include "properties/cfq_monitor.hpp"
#include "properties/definitions.hpp"

namespace elvcheck::property {

namespace {

class ClassOrder : public CfqMonitor {
 public:
  using CfqMonitor::CfqMonitor;

 private:
  static bool before(const CfqRequest& a, const CfqRequest& b) { return a.io_class < b.io_class; }  // rt, be, idle

  // A queue whose process has left its class may still hand the disk to a cooperator of the new one: cfq_close_cooperator()
  // compares the classes of the two queues, not that of the tree which is served.
  void on_note(const TraceEvent& event) override {
    const std::string_view name = event.rule->name;
    if (name == "cfq.select.cooperator")
      handed_over_ = last_was_odd_;
    else if (name == "cfq.select.next")
      handed_over_ = false;
  }
  void on_choice(const CfqRequest& rq, Way way, const TraceEvent&) override {
    last_was_odd_ = rq.odd || handed_over_;
    if (way == Way::alias || way == Way::forced || last_was_odd_) return;
    judge(0);
    for (const auto& [id, other] : waiting()) {
      if (other.odd || !before(other, rq)) continue;
      violate({"class-order", fmt::format("request {} was chosen while request {} of a higher class waited", rq.id, id),
               now(), id, 1, 0});
      return;
    }
  }

  bool last_was_odd_ = false;
  bool handed_over_ = false;  // the active queue is a cooperator of one whose class is not sure
};

class SyncEndsAsyncSlice : public CfqMonitor {
 public:
  using CfqMonitor::CfqMonitor;

 private:
  void on_slice() override { newcomer_ = 0; }
  void on_insert(const CfqRequest& rq) override {
    if (rq.queue.sync && !rq.odd && rq.io_class != IoClass::idle && newcomer_ == 0) {
      newcomer_ = rq.id;
      newcomer_class_ = rq.io_class;
    }
  }
  void on_choice(const CfqRequest& rq, Way way, const TraceEvent&) override {
    if (rq.id == newcomer_) newcomer_ = 0;
    // What is expired goes first in 4.x, whoever comes; an RT queue is not preempted by another class.
    if (way != Way::next || rq.queue.sync || rq.odd) return;
    judge(0);
    if (newcomer_ == 0 || rq.io_class < newcomer_class_) return;
    violate({"async-went-on",
             fmt::format("async request {} was chosen in a slice that sync request {} should have ended", rq.id, newcomer_),
             now(), newcomer_, 1, 0});
  }

  RequestId newcomer_ = 0;  // a sync request that came in this slice
  IoClass newcomer_class_ = IoClass::be;
};

class PreemptionTakes : public CfqMonitor {
 public:
  using CfqMonitor::CfqMonitor;

 private:
  void on_note(const TraceEvent& event) override {
    const std::string_view name = event.rule->name;
    if (name.starts_with("cfq.preempt."))
      preemptor_ = event.numbers[0];
    else if (name == "cfq.merge.take" || name == "cfq.split.take")
      preemptor_ = 0;
  }
  void on_choice(const CfqRequest& rq, Way way, const TraceEvent& note) override {
    if (way == Way::alias || way == Way::forced) {
      if (way == Way::forced) preemptor_ = 0;
      return;
    }
    if (preemptor_ == 0) return;
    judge(0);
    if (note.numbers[0] != preemptor_ && !rq.odd) {
      violate({"preempted-for-nothing",
               fmt::format("queue {} had preempted, and then request {} of queue {} was chosen", preemptor_, rq.id,
                           note.numbers[0]),
               now(), rq.id, 1, 0});
    }
    preemptor_ = 0;
  }

  std::int64_t preemptor_ = 0;
};

class NoAlias : public CfqMonitor {
 public:
  using CfqMonitor::CfqMonitor;

 private:
  void on_choice(const CfqRequest& rq, Way way, const TraceEvent&) override {
    judge(0);
    if (way != Way::alias) return;
    violate({"out-of-turn", fmt::format("request {} left because another came to its sector, whoever's turn it was", rq.id),
             now(), rq.id, 1, 0});
  }
};

}  // namespace

Property cfq_class_order() {
  return {"cfq.class-order",
          "While a realtime request waits no other class is served, and the idle class only when nobody else waits. (Not so "
          "with the journal yield: a realtime process lets a best-effort one in, past others of its class.)",
          "Documentation/block/ioprio.txt; block/cfq-iosched.c (2.6.34 to 4.20): choose_service_tree, cfq_should_preempt",
          "0 requests out of class order",
          is_plain_cfq,
          make_monitor<ClassOrder>,
          nullptr,
          false,
          false,
          [](const RunFacts& facts) { return cfq_value(facts, "journal-yield") == 0; }};
}

Property cfq_sync_ends_async() {
  return {"cfq.sync-ends-async-slice",
          "A sync request ends the slice of an async queue when it comes.",
          "block/cfq-iosched.c (2.6.34 to 4.20): cfq_should_preempt, sync against async",
          "0 async requests chosen behind it in that slice",
          is_plain_cfq,
          make_monitor<SyncEndsAsyncSlice>,
          nullptr};
}

Property cfq_preemption_takes() {
  return {
      "cfq.preemption-takes",
      "The queue that has preempted the active one is served next. (Refuted: up to 2.6.37 a preemption across workload "
      "types comes to nothing while the old workload has queues; later the types are compared by what the queues are now, "
      "not by the trees on which they wait.)",
      "block/cfq-iosched.c: cfq_preempt_queue; commit f8ae6e3eb825 (2.6.38)",
      "0 requests of others chosen next",
      is_plain_cfq,
      make_monitor<PreemptionTakes>,
      nullptr,
      true};
}

Property cfq_no_alias() {
  return {"cfq.no-alias",
          "No request goes out of turn because another comes to its sector. (Not so before 3.2.)",
          "block/cfq-iosched.c: cfq_add_rq_rb",
          "0 requests out of turn",
          is_plain_cfq,
          make_monitor<NoAlias>,
          nullptr,
          false,
          false,
          [](const RunFacts& facts) { return cfq_value(facts, "alias-dispatch") == 0; }};
}

}  // namespace elvcheck::property
