// SPDX-License-Identifier: GPL-2.0-or-later
// Limits that a queue and a device have by their settings: commands in the device, requests allocated, size of merged
// requests.
#include <fmt/format.h>

#include <array>

#include "properties/definitions.hpp"
#include "properties/flat_map.hpp"

namespace elvcheck::property {

namespace {

class DeviceDepth : public Monitor {
 public:
  explicit DeviceDepth(const RunFacts& facts) : depth_(facts.device.queue_depth) {}

  EventKinds wants() const override { return event_kinds(EventKind::issue, EventKind::complete, EventKind::requeue); }

  void on_event(const TraceEvent& event) override {
    if (event.kind == EventKind::issue) {
      inside_.insert(event.request);
      const auto inside = static_cast<std::int64_t>(inside_.size());
      judge(inside);
      if (inside > depth_) {
        violate({"too-deep", fmt::format("{} commands in a device of depth {}", inside, depth_), event.at, event.request,
                 inside, depth_});
      }
    } else if (event.kind == EventKind::complete || event.kind == EventKind::requeue) {
      inside_.erase(event.request);
    }
  }

 private:
  std::int64_t depth_;
  FlatSet<RequestId> inside_;
};

class QueueDepth : public Monitor {
 public:
  explicit QueueDepth(const RunFacts& facts)
      : split_(!is_multi_queue(facts.scheduler->flavour)), nr_requests_(facts.block.nr_requests) {}

  EventKinds wants() const override {
    return event_kinds(EventKind::get_request, EventKind::complete, EventKind::request_merge);
  }

  void on_event(const TraceEvent& event) override {
    if (event.kind == EventKind::get_request) {
      if (event.op == Op::flush || event.sectors == 0) return;  // it has no completion of its own in a trace
      const bool sync = !split_ || op_is_sync(event.op, event.flags);
      forget(event.request);
      allocated_.emplace(event.request, sync);
      const std::int64_t count = ++counts_[sync];
      judge(count);
      // Single queue: one pool for sync and one for async, and batching processes may exceed it by half (get_request).
      const std::int64_t bound = split_ ? 3 * nr_requests_ / 2 : nr_requests_;
      if (count > bound) {
        violate({"too-many", fmt::format("{} requests are allocated at once, more than {}", count, bound), event.at,
                 event.request, count, bound});
      }
    } else if (event.kind == EventKind::complete) {
      forget(event.request);
    } else if (event.kind == EventKind::request_merge) {
      forget(event.other);
    }
  }

 private:
  void forget(RequestId request) {
    const auto found = allocated_.find(request);
    if (found == allocated_.end()) return;
    --counts_[found->second];
    allocated_.erase(found);
  }

  bool split_;
  std::int64_t nr_requests_;
  FlatMap<RequestId, bool> allocated_;    // sync?
  std::array<std::int64_t, 2> counts_{};  // of async and sync ones
};

class MergeLimits : public Monitor {
 public:
  explicit MergeLimits(const RunFacts& facts)
      : block_(facts.block),
        same_ioprio_(facts.scheduler != nullptr && facts.scheduler->flavour == BlockFlavour::multi_queue_6_1) {}

  EventKinds wants() const override {
    using enum EventKind;
    return event_kinds(queue, get_request, back_merge, front_merge, request_merge, complete);
  }

  void on_event(const TraceEvent& event) override {
    switch (event.kind) {
      case EventKind::queue:
        if (same_ioprio_) ioprios_[event.bio] = event.ioprio;
        break;
      case EventKind::get_request:
        if (same_ioprio_) ioprios_.erase(event.bio);
        requests_.insert_or_assign(event.request, Shape{event.op, event.sectors, 1});
        break;
      case EventKind::back_merge:
      case EventKind::front_merge:
        check_ioprio(event);
        grow(event, Shape{event.op, event.sectors, 1});
        break;
      case EventKind::request_merge:
        if (const auto other = requests_.find(event.other); other != requests_.end()) {
          const Shape shape = other->second;
          requests_.erase(other);
          grow(event, shape);
        }
        break;
      case EventKind::complete:
        requests_.erase(event.request);
        break;
      default:
        break;
    }
  }

 private:
  struct Shape {
    Op op;
    std::uint64_t sectors;
    unsigned segments;
  };

  void check_ioprio(const TraceEvent& event) {
    const auto bio = ioprios_.find(event.bio);
    if (bio == ioprios_.end()) return;
    if (bio->second != event.ioprio) {
      violate({"mixed-ioprio",
               fmt::format("bio {} of priority {} was merged into request {} of priority {}", event.bio,
                           to_string(bio->second), event.request, to_string(event.ioprio)),
               event.at, event.request, 1, 0});
    }
    ioprios_.erase(bio);
  }

  void grow(const TraceEvent& event, const Shape& added) {
    const auto found = requests_.find(event.request);
    if (found == requests_.end()) return;  // allocated before the recording began
    Shape& rq = found->second;
    const auto report = [&](const char* rule, const char* what, std::uint64_t measured, std::uint64_t bound) {
      violate({rule, fmt::format("the merge makes request {} {}: {}, allowed {}", event.request, what, measured, bound),
               event.at, event.request, static_cast<std::int64_t>(measured), static_cast<std::int64_t>(bound)});
    };
    if (block_.nomerges == 2)
      report("nomerges", "grow though queue/nomerges is 2; bios", rq.segments + added.segments, rq.segments);
    if (rq.op != added.op) report("mixed", "a mixture of two kinds of operation", 2, 1);
    rq.sectors += added.sectors;
    rq.segments += added.segments;
    judge(static_cast<std::int64_t>(rq.sectors));
    if (rq.op == Op::discard) return;  // discards have limits of their own
    if (rq.sectors > block_.max_sectors) report("too-long", "too long; sectors", rq.sectors, block_.max_sectors);
    if (rq.segments > block_.max_segments)
      report("too-many-segments", "too fragmented; segments", rq.segments, block_.max_segments);
  }

  BlockSettings block_;
  bool same_ioprio_;
  FlatMap<RequestId, Shape> requests_;
  FlatMap<BioId, IoPrio> ioprios_;  // of bios that are not yet in a request
};

// A recording does not always tell the depth of its device; then the reader leaves the name of the device empty.
bool depth_known(const RunFacts& facts) { return facts.simulated || !facts.device.name.empty(); }
bool pool_known(const RunFacts& facts) { return facts.scheduler != nullptr && facts.block.nr_requests != 0; }

}  // namespace

Property device_depth() {
  return {"device.depth",
          "Never more commands are in the device than it takes.",
          "block/blk-mq-tag.c (6.1): a driver tag for each command; block/blk-tag.c (4.19)",
          "queue_depth of the device, in commands",
          depth_known,
          make_monitor<DeviceDepth>,
          nullptr};
}

Property queue_depth() {
  return {"queue.depth",
          "Never more requests are allocated than queue/nr_requests allows.",
          "block/blk-mq-sched.c (6.1): nr_requests scheduler tags; block/blk-core.c get_request (2.6.35, 4.19): nr_requests "
          "for each of sync and "
          "async, and half as many again for batching processes",
          "nr_requests (blk-mq), 1.5 x nr_requests for each of sync and async (single queue), in requests",
          pool_known,
          make_monitor<QueueDepth>,
          nullptr};
}

Property merge_limits() {
  return {"merge.limits",
          "A merged request is no longer than max_sectors, has no more than max_segments bios of one kind (on blk-mq of one "
          "priority), and does not exist with nomerges = 2.",
          "block/blk-merge.c (2.6.35 to 6.1; blk_rq_merge_ok); Documentation/block/queue-sysfs.rst: max_sectors_kb, "
          "max_segments, nomerges",
          "max_sectors sectors, max_segments bios",
          [](const RunFacts& facts) { return facts.simulated; },
          make_monitor<MergeLimits>,
          nullptr};
}

}  // namespace elvcheck::property
