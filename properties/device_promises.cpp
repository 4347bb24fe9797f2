// SPDX-License-Identifier: GPL-2.0-or-later
// What a simulated device promises whatever the scheduler does: no command is faster than its medium, its books agree, and
// what it has acknowledged as safe is safe.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "model/device/medium_view.hpp"
#include "properties/definitions.hpp"
#include "properties/flat_map.hpp"

namespace elvcheck::property {

namespace {

bool simulated(const RunFacts& facts) { return facts.simulated; }

class ServiceTime : public Monitor {
 public:
  explicit ServiceTime(const RunFacts&) {}
  EventKinds wants() const override { return event_kinds(EventKind::issue, EventKind::complete, EventKind::requeue); }
  void watch(const Machine& machine) override { device_ = &machine.device(); }

  void on_event(const TraceEvent& event) override {
    if (event.kind == EventKind::issue) {
      issued_[event.request] = event.at;
    } else if (event.kind == EventKind::requeue) {
      issued_.erase(event.request);
    } else if (event.kind == EventKind::complete) {
      complete(event);
    }
  }

 private:
  void complete(const TraceEvent& event) {
    const auto found = issued_.find(event.request);
    if (found == issued_.end()) return;
    const Nanoseconds took = event.at - found->second;
    issued_.erase(found);
    if (device_ == nullptr) return;
    const SectorCount sectors = event.op == Op::flush ? 0 : event.sectors;
    const Nanoseconds least = device_->least_time({0, event.op, (event.flags & REQ_FUA) != 0, event.sector, sectors});
    judge(took.count());
    if (took >= least) return;
    violate({"too-fast",
             fmt::format("request {} took {} ns, but overhead and transfer alone take {} ns", event.request, took.count(),
                         least.count()),
             event.at, event.request, took.count(), least.count()});
  }

  const Device* device_ = nullptr;
  FlatMap<RequestId, Nanoseconds> issued_;
};

class Books : public Monitor {
 public:
  explicit Books(const RunFacts&) {}
  EventKinds wants() const override { return event_kinds(EventKind::complete); }
  void watch(const Machine& machine) override { machine_ = &machine; }
  void on_event(const TraceEvent& event) override {
    if (event.kind == EventKind::complete) judge(0);
  }
  void finish(Nanoseconds end, bool) override {
    if (machine_ == nullptr) return;
    if (const std::string& broken = machine_->result().broken; !broken.empty())
      violate({"broken-invariant", broken, end, 0, 1, 0});
    if (const std::string difference = machine_->device().check(); !difference.empty())
      violate({"books-differ", difference, end, 0, 1, 0});
  }

 private:
  const Machine* machine_ = nullptr;
};

/// After each flush and FUA write it asks the device whether what must be on the medium is there. Of the writes that no
/// flush has covered the latest are remembered.
class Durability : public Monitor {
 public:
  explicit Durability(const RunFacts& run) : fua_(run.device.fua) {}
  EventKinds wants() const override { return event_kinds(EventKind::issue, EventKind::complete, EventKind::requeue); }
  void watch(const Machine& machine) override { medium_ = dynamic_cast<const MediumView*>(&machine.device()); }

  void on_event(const TraceEvent& event) override {
    ++events_;
    if (medium_ == nullptr) return;
    switch (event.kind) {
      case EventKind::issue:
        issued_[event.request] = events_;
        if (is_write(event.op) && event.op != Op::flush)
          writes_.push_back({event.request, event.sector, event.sectors, events_, 0});
        if (writes_.size() > most_remembered) writes_.pop_front();
        break;
      case EventKind::requeue:
        std::erase_if(writes_, [&](const Write& write) { return write.request == event.request && write.completed == 0; });
        break;
      case EventKind::complete:
        if (event.op == Op::flush)
          flushed(event, issued_[event.request]);
        else if (event.op != Op::read)
          written(event);
        issued_.erase(event.request);
        break;
      default:
        break;
    }
  }

 private:
  struct Write {
    RequestId request;
    Sector sector;
    SectorCount sectors;
    std::uint64_t issued;     // event numbers
    std::uint64_t completed;  // 0: not yet
  };

  void written(const TraceEvent& event) {
    const auto found = std::find_if(writes_.rbegin(), writes_.rend(), [&](const Write& write) {
      return write.request == event.request && write.completed == 0;
    });
    if (found == writes_.rend()) return;
    found->completed = events_;
    if (fua_ && event.op == Op::write && (event.flags & REQ_FUA) != 0)
      require(*found, found->issued, "fua-not-durable", event.at);
  }

  void flushed(const TraceEvent& event, std::uint64_t began) {
    for (const Write& write : writes_) {
      if (write.completed != 0 && write.completed < began) require(write, began, "flush-not-durable", event.at);
    }
    std::erase_if(writes_, [&](const Write& write) { return write.completed != 0 && write.completed < began; });
  }

  /// The write must be on the medium, unless another one of the same place may be newer than what had to be there at
  /// `began`.
  void require(const Write& write, std::uint64_t began, const char* rule, Nanoseconds at) {
    const bool rewritten = std::any_of(writes_.begin(), writes_.end(), [&](const Write& other) {
      const bool overlaps = other.sector / page < page_end(write) && write.sector / page < page_end(other);
      return &other != &write && overlaps && (other.completed == 0 || other.completed >= began);
    });
    if (rewritten) return;
    judge(0);
    if (medium_->on_medium(write.sector, write.sectors)) return;
    violate({rule,
             fmt::format("request {} ({} + {}) is acknowledged as durable, but a power cut would lose it", write.request,
                         write.sector, write.sectors),
             at, write.request, 1, 0});
  }

  // Flash is written and kept in pages of 4 KiB, so a neighbour in the page counts as a rewrite.
  static constexpr Sector page = 8;
  static Sector page_end(const Write& write) { return (write.sector + write.sectors + page - 1) / page; }

  static constexpr std::size_t most_remembered = 256;
  const MediumView* medium_ = nullptr;
  bool fua_;
  std::uint64_t events_ = 0;
  std::deque<Write> writes_;
  FlatMap<RequestId, std::uint64_t> issued_;
};

}  // namespace

Property device_service_time() {
  return {"device.service-time",
          "No command takes less than its overhead and its transfer.",
          "the configuration of the device: fixed times, bus and link rates",
          "the device's least time for the command, in ns (a lower bound)",
          simulated,
          make_monitor<ServiceTime>,
          nullptr};
}

Property device_books() {
  return {"device.books",
          "The device's books agree with a recount at the end of the run, and no model finds its own invariant broken.",
          "page-level mapping: a bijection between written slots and live pages (MQSim, FAST 2018)",
          "0 differences",
          simulated,
          make_monitor<Books>,
          nullptr};
}

Property device_durability() {
  return {"device.durability",
          "When a flush completes, every write completed before its issue is on the medium; so is a completed FUA write.",
          "Documentation/block/writeback_cache_control.rst",
          "0 sectors that a power cut would lose",
          [](const RunFacts& facts) { return facts.simulated && facts.device.volatile_cache; },
          make_monitor<Durability>,
          nullptr};
}

}  // namespace elvcheck::property
