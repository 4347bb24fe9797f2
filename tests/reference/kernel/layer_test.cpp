// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel behind the seam: recorded streams come out as they were recorded (by an independent harness,
// docs/recorded-streams.md), tunables have the kernel's defaults and ranges, runs are deterministic, and nothing is left
// behind.
#include "model/device/preset.hpp"
#include "properties/case_file.hpp"
#include "reference/kernel/kernel_layer.hpp"
#include "reference/kernel/record.hpp"
#include "reference/stream/stream.hpp"
#include "tests/reference/kernel/support.hpp"

namespace elvcheck::kernel {
namespace {

class NobodyHost final : public BlockLayerHost {
 public:
  void bio_done(Bio&) override { ++done; }
  void wake(ProcessId) override {}
  int done = 0;
};

/// A kernel layer on a device, without processes.
struct Bench {
  explicit Bench(KernelModule& module, const std::vector<NamedValue>& tunables = {}, BlockSettings settings = {})
      : device(make_device({"flat", {}})) {
    settings.hz = module.hz();
    layer = std::make_unique<KernelLayer>(module, settings, tunables, events, trace, *device, host);
  }
  EventQueue events;
  Trace trace;
  NobodyHost host;
  std::unique_ptr<Device> device;
  std::unique_ptr<KernelLayer> layer;
};

KernelModule& module_of(const KernelTree& tree, const char* scheduler) {
  return KernelModule::load(build_scheduler(tree, scheduler, tree, test_options()).object);
}

void expect_recorded(const KernelTree& tree, const char* scheduler, const std::string& file) {
  KernelSet kernel(tree, tree, scheduler, test_options());
  const auto streams = read_streams(std::string(ELVCHECK_TEST_DATA "/streams/") + file);
  ASSERT_FALSE(streams.empty());
  KernelModule& module = kernel.module(streams.front().hz);
  for (const StreamRecording& stream : streams) {
    const auto before = module.statistics();
    ASSERT_EQ(run_stream_on_kernel(kernel, stream), stream.issues) << file << ", stream " << stream.id;
    const auto after = module.statistics();
    ASSERT_EQ(after.live_objects, before.live_objects) << file << ", stream " << stream.id;
    ASSERT_EQ(after.scheduled - before.scheduled, after.issued - before.issued) << "requests went past the scheduler";
  }
  EXPECT_EQ(module.statistics().warnings, 0U);
}

TEST(KernelLayer, MqDeadlineOf6_1IsAsRecorded) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  expect_recorded(tree, "mq-deadline", "mq-deadline-6.1-hz1000.jsonl.gz");
}

TEST(KernelLayer, KyberOf6_1IsAsRecorded) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  expect_recorded(tree, "kyber", "kyber-6.1-hz1000.jsonl.gz");
}

TEST(KernelLayer, BfqOf6_1IsAsRecorded) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  for (const char* file : {"bfq-6.1-hz1000-ll0.jsonl.gz", "bfq-6.1-hz1000-ll1.jsonl.gz", "bfq-6.1-hz250-ll1.jsonl.gz"})
    expect_recorded(tree, "bfq", file);
}

TEST(KernelLayer, SchedulersOf6_12AreAsRecorded) {
  ELVCHECK_NEED_TREE(tree, "6.12");
  expect_recorded(tree, "mq-deadline", "mq-deadline-6.12-hz1000.jsonl.gz");
  expect_recorded(tree, "bfq", "bfq-6.12-hz1000-ll1.jsonl.gz");
}

// The comparison must be able to fail.
TEST(KernelLayer, AnotherSchedulerDoesOtherwise) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  KernelSet kernel(tree, tree, "kyber", test_options());
  const auto streams = read_streams(ELVCHECK_TEST_DATA "/streams/mq-deadline-6.1-hz1000.jsonl.gz");
  EXPECT_TRUE(std::any_of(streams.begin(), streams.end(), [&](const StreamRecording& stream) {
    return run_stream_on_kernel(kernel, stream) != stream.issues;
  }));
}

// The generator's draws are those of the recordings: same scenario, same line.
TEST(KernelLayer, AStreamIsDrawnWrittenAndReadAgain) {
  const auto recorded = read_streams(ELVCHECK_TEST_DATA "/streams/mq-deadline-6.1-hz1000.jsonl.gz");
  const TemporaryFolder folder;
  std::string text;
  for (std::uint64_t id = 0; id < recorded.size(); ++id) {
    StreamRecording drawn = draw_stream(id);
    drawn.issues = recorded[id].issues;
    drawn.version = recorded[id].version;
    text += format_stream(drawn, "mq-deadline");
  }
  const auto read = read_streams(folder.write("drawn.jsonl", text));
  ASSERT_EQ(read.size(), recorded.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].service, recorded[i].service);
    EXPECT_EQ(read[i].duration, recorded[i].duration);
    EXPECT_EQ(read[i].depth, recorded[i].depth);
    EXPECT_EQ(read[i].prio_change.has_value(), recorded[i].prio_change.has_value());
    ASSERT_EQ(read[i].processes.size(), recorded[i].processes.size());
    for (std::size_t p = 0; p < read[i].processes.size(); ++p) {
      EXPECT_EQ(read[i].processes[p].seed, recorded[i].processes[p].seed);
      EXPECT_EQ(read[i].processes[p].base, recorded[i].processes[p].base);
      EXPECT_EQ(read[i].processes[p].start, recorded[i].processes[p].start);
    }
    EXPECT_EQ(read[i].issues, recorded[i].issues);
  }
}

// Defaults: Documentation/block/deadline-iosched.rst and bfq-iosched.rst of 6.1.
TEST(KernelLayer, TunablesHaveTheirDocumentedDefaults) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  Bench deadline(module_of(tree, "mq-deadline"));
  EXPECT_EQ(deadline.layer->show("read_expire"), "500");
  EXPECT_EQ(deadline.layer->show("write_expire"), "5000");
  EXPECT_EQ(deadline.layer->show("writes_starved"), "2");
  EXPECT_EQ(deadline.layer->show("fifo_batch"), "16");
  EXPECT_EQ(deadline.layer->show("front_merges"), "1");
  Bench bfq(module_of(tree, "bfq"));
  EXPECT_EQ(bfq.layer->show("slice_idle"), "8");
  EXPECT_EQ(bfq.layer->show("timeout_sync"), "125");
  EXPECT_EQ(bfq.layer->show("low_latency"), "1");
  Bench kyber(module_of(tree, "kyber"));
  EXPECT_EQ(kyber.layer->tunables(), (std::vector<std::string>{"read_lat_nsec", "write_lat_nsec"}));
}

TEST(KernelLayer, TunablesAreStoredAndRefusedAsInSysfs) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  Bench bench(module_of(tree, "mq-deadline"), {{"fifo_batch", 4}});
  EXPECT_EQ(bench.layer->show("fifo_batch"), "4");
  EXPECT_EQ(bench.layer->store("read_expire", "20\n"), 0);
  EXPECT_EQ(bench.layer->show("read_expire"), "20");
  EXPECT_EQ(bench.layer->store("front_merges", "7"), 0);
  EXPECT_EQ(bench.layer->show("front_merges"), "1");  // clamped
  EXPECT_LT(bench.layer->store("read_expire", "soon"), 0);
  EXPECT_LT(bench.layer->store("no_such", "1"), 0);
  EXPECT_THROW(bench.layer->show("no_such"), std::invalid_argument);
  EXPECT_THROW(Bench(module_of(tree, "mq-deadline"), {{"slice_idle", 1}}), std::invalid_argument);
}

/// What is shown can be stored and is shown again; what is no number is refused; a number out of range is refused or brought
/// into the range, so that what is shown then can be stored.
void expect_round_trip(KernelLayer& layer, const std::string& name) {
  const std::string shown = layer.show(name);
  EXPECT_EQ(layer.store(name, shown), 0) << name;
  EXPECT_EQ(layer.show(name), shown) << name;
  EXPECT_LT(layer.store(name, "soon"), 0) << name;
  EXPECT_EQ(layer.show(name), shown) << name;
  for (const char* extreme : {"0", "-5", "2147483647", "4294967296", "18446744073709551615"}) {
    if (layer.store(name, extreme) != 0) continue;
    const std::string kept = layer.show(name);
    EXPECT_EQ(kept.find_first_not_of("-0123456789"), std::string::npos) << name << ": " << kept;
    EXPECT_EQ(layer.store(name, kept), 0) << name << ": " << kept;
    EXPECT_EQ(layer.show(name), kept) << name;
  }
  EXPECT_EQ(layer.store(name, shown), 0) << name;
}

void expect_round_trips(const KernelTree& tree) {
  for (const char* scheduler : {"mq-deadline", "kyber", "bfq"}) {
    Bench bench(module_of(tree, scheduler));
    ASSERT_FALSE(bench.layer->tunables().empty()) << scheduler;
    for (const std::string& name : bench.layer->tunables()) expect_round_trip(*bench.layer, name);
  }
}

TEST(KernelLayer, EveryTunableOf6_1GoesRoundAndKeepsItsRange) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  expect_round_trips(tree);
}

TEST(KernelLayer, EveryTunableOf6_12GoesRoundAndKeepsItsRange) {
  ELVCHECK_NEED_TREE(tree, "6.12");
  expect_round_trips(tree);
}

TEST(KernelLayer, QueuesComeAndGoWithoutATrace) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  for (const char* scheduler : {"none", "mq-deadline", "kyber", "bfq"}) {
    KernelModule& module = module_of(tree, scheduler);
    { const Bench warm_up(module); }
    const auto before = module.statistics();
    for (int i = 0; i < 10'000; ++i) {
      Bench bench(module);
      Bio bio;
      bio.id = 1;
      bio.process = 7;
      bio.sector = 8;
      bio.sectors = 8;
      EXPECT_EQ(bench.layer->submit(bio), Submission::accepted);
      // Every other queue goes while its request is in flight.
      while (i % 2 == 0 && bench.events.step()) {
      }
      EXPECT_EQ(bench.host.done, i % 2 == 0 ? 1 : 0);
    }
    EXPECT_EQ(module.statistics().live_objects, before.live_objects) << scheduler;
    EXPECT_EQ(module.statistics().live_bytes, before.live_bytes) << scheduler;
  }
}

TEST(KernelLayer, TwoQueuesOfOneModuleDoNotDisturbEachOther) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  KernelModule& module = module_of(tree, "bfq");
  const auto streams = read_streams(ELVCHECK_TEST_DATA "/streams/bfq-6.1-hz1000-ll1.jsonl.gz");
  // While one queue has a request in flight, streams run on another.
  Bench other(module);
  Bio bio;
  bio.id = 1;
  bio.process = 7;
  bio.sectors = 8;
  other.layer->submit(bio);
  KernelSet kernel(tree, tree, "bfq", test_options());
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(run_stream_on_kernel(kernel, streams[i]), streams[i].issues);
  while (other.events.step()) {
  }
  EXPECT_EQ(other.host.done, 1);
}

TEST(KernelLayer, ATickRateThatWasNotBuiltIsRefused) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  KernelModule& module = module_of(tree, "none");
  EventQueue events;
  Trace trace;
  NobodyHost host;
  const auto device = make_device({"flat", {}});
  BlockSettings settings;
  settings.hz = 250;
  EXPECT_THROW(KernelLayer(module, settings, {}, events, trace, *device, host), std::invalid_argument);
}

}  // namespace
}  // namespace elvcheck::kernel
