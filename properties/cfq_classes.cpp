// SPDX-License-Identifier: GPL-2.0-or-later
// cfq.rt-starves-be: what CFQ does not promise its best-effort class.
//
// The claim is what round-robin among processes would give: a read waits for at most one slot of every process. It is kept
// because it is false as soon as a real-time process goes on reading.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "properties/definitions.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck::property {

namespace {

class BestEffortWait : public Monitor {
 public:
  explicit BestEffortWait(const RunFacts& facts)
      // A slot: the longest slice, which is that of level 0, and the idling after it.
      : slot_(milliseconds(tunable(facts, "slice_sync")) * 9 / 5 + milliseconds(tunable(facts, "slice_idle"))) {}

  void on_event(const TraceEvent& event) override {
    switch (event.kind) {
      case EventKind::queue:
        processes_.insert(event.process);
        break;
      case EventKind::insert:
        if (event.op == Op::read && event.ioprio.io_class != IoClass::rt && event.ioprio.io_class != IoClass::idle) {
          waiting_[event.request] = event.at;
        }
        break;
      case EventKind::request_merge:
        waiting_.erase(event.other);
        break;
      case EventKind::issue:
        check(event.at);
        waiting_.erase(event.request);
        issued_[event.request] = event.at;
        break;
      case EventKind::complete:
        if (const auto it = issued_.find(event.request); it != issued_.end()) {
          longest_service_ = std::max(longest_service_, event.at - it->second);
          issued_.erase(it);
        }
        break;
      default:
        break;
    }
  }

  void finish(Nanoseconds end, bool) override { check(end); }

 private:
  static Nanoseconds milliseconds(std::int64_t n) { return std::chrono::milliseconds(n); }

  void check(Nanoseconds now) {
    for (const auto& [id, since] : waiting_) {
      const Nanoseconds bound = static_cast<std::int64_t>(processes_.size()) * (slot_ + longest_service_);
      judge((now - since).count());
      if (now - since <= bound) continue;
      violate({"starved",
               fmt::format("read {} of the best-effort class waited {} ns; one slot of each of the {} processes is {} ns",
                           id, (now - since).count(), processes_.size(), bound.count()),
               now, id, (now - since).count(), bound.count()});
    }
  }

  Nanoseconds slot_;
  Nanoseconds longest_service_{0};
  std::set<ProcessId> processes_;
  std::map<RequestId, Nanoseconds> waiting_;
  std::map<RequestId, Nanoseconds> issued_;
};

}  // namespace

Property cfq_rt_starves_be() {
  return {"cfq.rt-starves-be",
          "A best-effort read waits for at most one slot of every process. (Refuted: nothing is left to it while a "
          "real-time process "
          "goes on.)",
          "block/cfq-iosched.c (2.6.34 to 4.19): choose_service_tree, choose_wl_class_and_type",
          "processes * (9/5 * slice_sync + slice_idle + longest service); in ns",
          [](const RunFacts& facts) { return runs(facts, "cfq") && facts.tunables.has_value(); },
          make_monitor<BestEffortWait>,
          nullptr,
          true};
}

}  // namespace elvcheck::property
