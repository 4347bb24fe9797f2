// SPDX-License-Identifier: GPL-2.0-or-later
// What deadline's documents say about the start of reads: the claim that holds, and the popular one that does not.
#include <fmt/format.h>

#include "properties/definitions.hpp"
#include "properties/wait_bound.hpp"

namespace elvcheck::property {

namespace {

class OneBatch : public QueueMonitor {
 public:
  explicit OneBatch(const RunFacts& run)
      : QueueMonitor(run),
        bound_(batch_limit(run)),
        expire_(clock().msecs_to_jiffies(static_cast<std::uint64_t>(tunable(run, "read_expire")))),
        after_tick_(run.scheduler->flavour == BlockFlavour::single_queue_2_6_35 ? 1 : 0) {}

  EventKinds wants() const override { return event_kinds(EventKind::issue); }

 private:
  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr) return;
    for (const auto& [id, read] : queued()) {
      if (read.write || read.mixed || clock().jiffies(now()) < read.inserted_tick + expire_ + after_tick_) continue;
      std::int64_t& passed = own(read).passed;
      if (id != rq->id)
        ++passed;
      else
        judge(passed);
      if (passed > bound_) {
        violate({"more-than-a-batch",
                 fmt::format("read {} was past its deadline and {} others were issued before it", id, passed), now(), id,
                 passed, bound_});
      }
    }
  }

  std::int64_t bound_;
  std::uint64_t expire_;
  std::uint64_t after_tick_;
};

bool bounded_reads(const RunFacts& facts) { return is_deadline(facts) && tunable(facts, "writes_starved") >= 1; }

}  // namespace

Property deadline_read_latency() {
  return {"deadline.read-latency",
          "A read is issued within read_expire, and then the services of its rank: the running batch, a batch for each "
          "older read, the write batches "
          "between.",
          "Documentation/block/deadline-iosched.rst: read_expire; theorem deadline.read-latency",
          "read_expire + 1 tick + (rank + 2) longest services, in ns",
          bounded_reads,
          [](const RunFacts& facts) -> std::unique_ptr<Monitor> {
            return std::make_unique<LateStart>(facts, true, "started-late");
          },
          nullptr};
}

Property deadline_one_batch() {
  return {"deadline.one-batch",
          "A read past its deadline waits for one batch at most. (Refuted: a write batch and batches for older reads may "
          "come before it.)",
          "Documentation/block/deadline-iosched.rst, as it is often read: read_expire plus one batch",
          "fifo_batch dispatches of other requests from the deadline on",
          is_deadline,
          make_monitor<OneBatch>,
          nullptr,
          true};
}

}  // namespace elvcheck::property
