// SPDX-License-Identifier: GPL-2.0-or-later
// The journal yield, on a loop of write + fsync with a journal thread: how long a file takes, with and without.
//
// The loop: a process writes 64 KiB (one sync NOIDLE request, sequential); 30 us after its end it yields to the journal
// thread, which 20 us later writes its blocks far away and, when those are done, its commit record; 150 us after that the
// next file begins. A request takes 0.6 ms, HZ = 1000. Expected times follow by hand from the rules: without idling 3 x 0.6
// + 0.22 = about 2.0 ms. Each idle window of 8 ticks, armed in mid-tick, adds 7 to 8 ms: in 2.6.35 one for the process and,
// unless the commit record is a barrier that empties the scheduler by force, one for the journal thread. 4.x preempts within
// the sync-noidle tree.
#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <string>

#include "model/device/preset.hpp"
#include "model/scheduler/make_block_layer.hpp"

namespace elvcheck {
namespace {

constexpr ProcessId writer = 1;
constexpr ProcessId journal = 2;

class FsyncLoop final : public BlockLayerHost, private Actor {
 public:
  FsyncLoop(EventQueue& events, bool barrier) : events_(events), barrier_(barrier) {}
  void start(BlockLayer& layer) {
    layer_ = &layer;
    events_.schedule(Nanoseconds(0), Rank::host, *this, write_file);
  }
  void bio_done(Bio& bio) override {
    const auto after = [this](Nanoseconds delay, Step step) {
      events_.schedule(events_.now() + delay, Rank::host, *this, step);
    };
    switch (static_cast<Step>(bio.cookie)) {
      case write_file:
        after(30us, yield_now);
        break;
      case write_blocks:
        after(20us, write_record);
        break;
      default:
        ++files;
        after(150us, write_file);
    }
  }
  void wake(ProcessId) override {}
  unsigned files = 0;

 private:
  enum Step : std::uint64_t { write_file, yield_now, write_blocks, write_record };
  void on_event(std::uint64_t what) override {
    const auto step = static_cast<Step>(what);
    if (step == yield_now) {
      layer_->yield(writer, journal);
      events_.schedule(events_.now() + 20us, Rank::host, *this, write_blocks);
      return;
    }
    Bio& bio = bios_.emplace_back();
    bio.id = static_cast<BioId>(bios_.size());
    bio.process = step == write_file ? writer : journal;
    bio.op = Op::write;
    bio.flags = REQ_SYNC;
    bio.cookie = what;
    bio.sectors = step == write_file ? 128 : step == write_blocks ? 24 : 8;
    bio.sector = step == write_file ? data_ : log_;
    (step == write_file ? data_ : log_) += bio.sectors;
    if (step == write_record && barrier_) bio.flags |= REQ_FUA;
    layer_->submit(bio);
  }

  EventQueue& events_;
  bool barrier_;
  BlockLayer* layer_ = nullptr;
  std::deque<Bio> bios_;
  Sector data_ = 0;
  Sector log_ = 10'000'000;
};

struct Rules final : TraceListener {
  void on_event(const TraceEvent& event) override {
    if (event.rule != nullptr) seen.insert(event.rule->name);
  }
  std::set<std::string> seen;
};

/// Milliseconds a file in the steady state.
double ms_per_file(const char* name, bool barrier, bool yield, Rules* rules = nullptr) {
  const SchedulerInfo& scheduler = *find_scheduler(name);
  const auto device = make_device(DeviceSpec{
      "flat",
      {{"service_ns", 600'000}, {"capacity_sectors", 20'000'000}, {"volatile_cache", barrier ? 1 : 0}, {"flush_ns", 1000}}});
  EventQueue events;
  Trace trace;
  if (rules != nullptr) trace.add(*rules);
  FsyncLoop loop(events, barrier);
  BlockSettings settings;
  settings.hz = 1000;
  settings.nr_requests = 128;
  TunableValues tunables = resolve_tunables(scheduler, {}, settings, device->info());
  tunables.store("journal-yield", yield);
  const auto layer = make_block_layer(scheduler, tunables, settings, events, trace, *device, loop);
  loop.start(*layer);
  while (events.step(1s)) {
  }
  const unsigned before = loop.files;
  while (events.step(3s)) {
  }
  return 2000.0 / (loop.files - before);
}

TEST(CfqYield, WithABarrierItSavesTheOneIdleWindow) {
  const double without = ms_per_file("cfq-2.6.35", true, false);
  EXPECT_GE(without, 8.9);
  EXPECT_LE(without, 10.1);
  Rules rules;
  const double with = ms_per_file("cfq-2.6.35", true, true, &rules);
  EXPECT_GE(with, 1.75);
  EXPECT_LE(with, 2.25);
  EXPECT_TRUE(rules.seen.contains("cfq.yield.mark"));
  EXPECT_TRUE(rules.seen.contains("cfq.expire.yield"));
}

TEST(CfqYield, WithoutABarrierItSavesOneOfTwo) {
  const double without = ms_per_file("cfq-2.6.35", false, false);
  EXPECT_GE(without, 15.9);
  EXPECT_LE(without, 18.1);
  const double with = ms_per_file("cfq-2.6.35", false, true);
  EXPECT_GE(with, 8.9);
  EXPECT_LE(with, 10.1);
}

TEST(CfqYield, NothingIsLeftToSaveIn4_19) {
  for (const bool yield : {false, true}) {
    EXPECT_GE(ms_per_file("cfq-4.19", false, yield), 1.75) << yield;
    EXPECT_LE(ms_per_file("cfq-4.19", false, yield), 2.25) << yield;
  }
}

TEST(CfqYield, OtherSchedulersIgnoreIt) { EXPECT_LE(ms_per_file("deadline-2.6.35", false, false), 2.25); }

}  // namespace
}  // namespace elvcheck
