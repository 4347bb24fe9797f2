// SPDX-License-Identifier: GPL-2.0-or-later
// What happens in and between CFQ's slices: expired requests, idling, cooperators, and the journal yield.
#include <fmt/format.h>

#include <algorithm>

#include "properties/cfq_monitor.hpp"
#include "properties/definitions.hpp"

namespace elvcheck::property {

namespace {

Nanoseconds tick_of(const RunFacts& run) { return Nanoseconds(1'000'000'000 / run.block.hz); }

class FifoFirst : public CfqMonitor {
 public:
  explicit FifoFirst(const RunFacts& run)
      : CfqMonitor(run), tick_(tick_of(run)), checked_before_refusal_(cfq_value(run, "forced-fifo") != 0) {
    expire_[true] = std::chrono::milliseconds(cfq_value(run, "fifo_expire_sync"));
    expire_[false] = std::chrono::milliseconds(cfq_value(run, "fifo_expire_async"));
  }

 private:
  void on_slice() override { checked_ = false; }
  void on_note(const TraceEvent& event) override {
    if (checked_before_refusal_ && std::string_view(event.rule->name) == "cfq.dispatch.refused") checked_ = true;
  }
  void on_choice(const CfqRequest& rq, Way way, const TraceEvent&) override {
    if (rq.odd || merged() || (way != Way::next && way != Way::expired)) return;
    const Nanoseconds expire = expire_[rq.queue.sync];
    if (way == Way::expired) {
      judge(0);
      if (now() - rq.inserted_at + 2 * tick_ >= expire) return;
      violate({"not-expired",
               fmt::format("request {} went out of order of place after {} ns", rq.id, (now() - rq.inserted_at).count()),
               now(), rq.id, 1, 0});
      return;
    }
    if (in_slice() > 0 || checked_) return;
    const CfqRequest* oldest = &rq;
    for (const auto& [id, other] : waiting()) {
      if (other.queue == rq.queue && other.inserted_at < oldest->inserted_at) oldest = &other;
    }
    if (oldest->odd) return;
    judge(0);
    if (oldest == &rq || now() - oldest->inserted_at <= expire + 2 * tick_) return;
    violate({"passed-over",
             fmt::format("a slice began with request {} although request {} of the same queue had waited for {} ns", rq.id,
                         oldest->id, (now() - oldest->inserted_at).count()),
             now(), oldest->id, 1, 0});
  }

  std::array<Nanoseconds, 2> expire_{};
  Nanoseconds tick_;
  bool checked_before_refusal_;
  bool checked_ = false;  // the fifo was looked at in this slice, earlier than now
};

/// The device stands idle although requests wait.
class IdleBounded : public CfqMonitor {
 public:
  explicit IdleBounded(const RunFacts& run)
      : CfqMonitor(run),
        bound_(std::chrono::milliseconds(std::max(cfq_value(run, "slice_idle"), cfq_value(run, "group_idle"))) +
               2 * tick_of(run)) {
    // A plug of 2.6.35 and the delay after a refusal are the block layer's, 3 ms each, on its own ticks.
    const bool plugs = run.scheduler->flavour == BlockFlavour::single_queue_2_6_35;
    if (plugs || run.block.refuse_every != 0) bound_ += 3ms + 2 * tick_of(run);
  }

  void before(const TraceEvent& event) override {
    if (idle_ && event.at > since_) check(event.at);  // until now the device has been idle
  }
  void after(const TraceEvent& event) override {
    const bool idle = device_load() == 0 && !waiting().empty();
    if (idle && !idle_) since_ = event.at;
    idle_ = idle;
  }
  void finish(Nanoseconds end, bool complete_run) override {
    if (complete_run && idle_) check(std::max(end, since_ + bound_ + 1ns));
  }

 private:
  void check(Nanoseconds at) {
    const Nanoseconds gap = at - since_;
    judge(gap.count());
    if (gap <= bound_) return;
    violate({"idle",
             fmt::format("the device was idle for {} ns although request {} waited", gap.count(), waiting().begin()->first),
             at, waiting().begin()->first, gap.count(), bound_.count()});
  }

  Nanoseconds bound_;
  Nanoseconds since_{0};
  bool idle_ = false;
};

class SliceIdleZero : public CfqMonitor {
 public:
  using CfqMonitor::CfqMonitor;

 private:
  void on_choice(const CfqRequest&, Way, const TraceEvent&) override { judge(0); }
  void on_note(const TraceEvent& event) override {
    const std::string_view name = event.rule->name;
    if (name != "cfq.select.wait-in-flight" && name != "cfq.select.wait-idle-timer" && name != "cfq.idle.arm") return;
    const auto other = std::find_if(waiting().begin(), waiting().end(), [](const auto& entry) { return !entry.second.odd; });
    if (other == waiting().end()) return;
    violate({"held-back",
             fmt::format("request {} waits for an empty queue although slice_idle is 0 ({})", other->first, name), now(),
             other->first, 1, 0});
  }
};

class CooperatorsAreClose : public CfqMonitor {
 public:
  using CfqMonitor::CfqMonitor;

 private:
  static constexpr Sector close_sectors = 8192;  // CFQQ_CLOSE_THR

  void on_note(const TraceEvent& event) override {
    if (std::string_view(event.rule->name) != "cfq.merge.schedule") return;
    Sector nearest = ~Sector{0};
    for (const auto& [id, rq] : waiting()) {
      if (!rq.queue.sync) continue;
      nearest = std::min(nearest, rq.sector < head() ? head() - rq.sector : rq.sector - head());
    }
    judge(static_cast<std::int64_t>(std::min<Sector>(nearest, close_sectors)));
    if (nearest <= close_sectors) return;
    violate({"far",
             fmt::format("queues {} and {} are to be merged, but the nearest request is {} sectors from the head",
                         event.numbers[0], event.numbers[1], nearest),
             now(), 0, static_cast<std::int64_t>(nearest), static_cast<std::int64_t>(close_sectors)});
  }
};

/// While a queue that has yielded is idled on, the target's request does not wait for an idle device. Not judged are yields
/// across classes, which let nobody in, of queues that several processes share, and while a driver refuses.
class YieldDoesNotIdle : public CfqMonitor {
 public:
  using CfqMonitor::CfqMonitor;

  void before(const TraceEvent& event) override {
    if (urgent_ != 0 && event.at > since_ && device_load() == 0) {
      violate(
          {"idle-in-fsync",
           fmt::format("the device was idle for {} ns although request {}, which the active queue had yielded for, waited",
                       (event.at - since_).count(), urgent_),
           event.at, urgent_, (event.at - since_).count(), 0});
    }
    since_ = event.at;
  }
  void after(const TraceEvent& event) override {
    if (event.kind == EventKind::issue && event.request == urgent_) urgent_ = 0;
  }

 private:
  void on_slice() override { yielded_ = idled_on_ = false; }
  void on_choice(const CfqRequest& rq, Way, const TraceEvent&) override {
    active_class_ = rq.io_class;
    idled_on_ = false;
  }
  void on_note(const TraceEvent& event) override {
    const std::string_view name = event.rule->name;
    if (name == "cfq.select.next" || name == "cfq.select.cooperator") active_ = event.numbers[0];
    if (name.starts_with("cfq.expire.")) active_ = 0, yielded_ = idled_on_ = false;
    if (name == "cfq.idle.arm" && event.numbers[0] == active_) idled_on_ = true;
    if (name == "cfq.yield.mark" && event.numbers[0] == active_) {
      yielded_ = true;
      target_ = event.numbers[1];
    }
  }
  void on_insert(const CfqRequest& rq) override {
    if (!yielded_ || !idled_on_ || !rq.queue.sync || rq.odd || rq.process != target_ || rq.io_class != active_class_) return;
    if (merged() || facts().block.refuse_every != 0) return;
    judge(0);
    urgent_ = rq.id;
  }

  std::int64_t active_ = 0;
  IoClass active_class_ = IoClass::be;
  bool yielded_ = false;
  bool idled_on_ = false;
  std::int64_t target_ = 0;
  RequestId urgent_ = 0;
  Nanoseconds since_{0};
};

}  // namespace

Property cfq_fifo() {
  return {"cfq.fifo",
          "A slice begins with the queue's oldest request if that has waited for fifo_expire, and only such a request goes "
          "out of order of place.",
          "Documentation/block/cfq-iosched.txt: fifo_expire_sync, fifo_expire_async; block/cfq-iosched.c: cfq_check_fifo",
          "0 requests, ages give or take 2 ticks",
          is_plain_cfq,
          make_monitor<FifoFirst>,
          nullptr};
}

Property cfq_idle_bounded() {
  return {"cfq.idle-bounded",
          "The device stands idle for slice_idle (group_idle) at most while a request waits.",
          "Documentation/block/cfq-iosched.txt: slice_idle, group_idle",
          "max(slice_idle, group_idle) + 2 ticks; 3 ms and 2 ticks more behind a plug of 2.6.35 or a refusal; in ns",
          is_plain_cfq,
          make_monitor<IdleBounded>,
          nullptr};
}

Property cfq_slice_idle_zero() {
  return {"cfq.slice-idle-zero",
          "With slice_idle = 0 and group_idle = 0 nobody waits for an empty queue. (Not so up to 2.6.35: while requests of "
          "the empty queue are "
          "inside, others are held back.)",
          "Documentation/block/cfq-iosched.txt: slice_idle 0 removes all idling; commit b6508c1618e7 (2.6.36)",
          "0 occasions",
          [](const RunFacts& facts) {
            return is_plain_cfq(facts) && cfq_value(facts, "slice_idle") == 0 && cfq_value(facts, "group_idle") == 0;
          },
          make_monitor<SliceIdleZero>,
          nullptr,
          false,
          false,
          [](const RunFacts& facts) { return cfq_value(facts, "zero-slice-idle-never-idles") != 0; }};
}

Property cfq_cooperators_close() {
  return {"cfq.cooperators-close",
          "Queues are merged only when a request lies close to the head.",
          "block/cfq-iosched.c (2.6.34 to 4.20): CFQQ_CLOSE_THR",
          "8192 sectors from the head to the nearest sync request",
          is_plain_cfq,
          make_monitor<CooperatorsAreClose>,
          nullptr};
}

Property cfq_yield_no_idle() {
  return {
      "cfq.yield-no-idle",
      "With the journal yield, a request that the queue which is idled on has yielded for does not wait for an idle device.",
      "RFC v5 of 22 June 2010, 1277242502-9047-1-git-send-email-jmoyer@redhat.com: no idling inside an fsync",
      "0 ns of an idle device",
      [](const RunFacts& facts) { return is_plain_cfq(facts) && cfq_value(facts, "journal-yield") != 0; },
      make_monitor<YieldDoesNotIdle>,
      nullptr};
}

}  // namespace elvcheck::property
