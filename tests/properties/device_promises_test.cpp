// SPDX-License-Identifier: GPL-2.0-or-later
// Monitors that look at the machine beside the trace. For each rule a run that keeps it and a planted bug that breaks it in
// one or two steps; the scenarios are small enough to see on paper that the promise is broken.
#include <gtest/gtest.h>

#include "model/device/preset.hpp"
#include "properties/case_file.hpp"
#include "tests/properties/trace_builder.hpp"

namespace elvcheck {
namespace {

constexpr Op R = Op::read;
constexpr Op W = Op::write;

/// The violated rule of a property on a run of one process, "held" otherwise.
std::string judge(const char* property, const char* mutant, const char* scheduler, const DeviceSpec& device,
                  const std::vector<const char*>& ops, const BlockSettings& block = {}) {
  Scenario scenario;
  scenario.scheduler = scheduler;
  scenario.device = device;
  scenario.block = block;
  scenario.mutant = mutant;
  ProcessSpec process;
  process.name = "p";
  for (const char* op : ops) process.ops.push_back(parse_op(op, {}));
  scenario.processes.push_back(process);
  for (const Verdict& verdict : judge_scenario(scenario, property)) {
    if (verdict.violation) return verdict.violation->rule;
    EXPECT_GT(verdict.judged, 0U) << property << " had nothing to judge";
  }
  return "held";
}

TEST(OperationsAnswered, ALostBioAndAKeptRequest) {
  // The second and third write are appended to the first, which waits behind the read.
  const std::vector<const char*> ops = {"read 50000 +8 nowait", "write 0 +8 nowait", "write 8 +8 nowait",
                                        "write 16 +8 nowait"};
  EXPECT_EQ(judge("operations.answered", "", "noop", {"flat", {}}, ops), "held");
  EXPECT_EQ(judge("operations.answered", "merge.drops-bio", "noop", {"flat", {}}, ops), "unanswered");
  // A read closes the gap between two queued ones: the one behind is absorbed.
  const std::vector<const char*> gap = {"read 50000 +8 nowait", "read 60000 +8 nowait", "read 0 +8 nowait",
                                        "read 16 +8 nowait", "read 8 +8 nowait"};
  BlockSettings enough;
  enough.nr_requests = 64;  // else two requests for a device of depth 1, and nothing waits together
  EXPECT_EQ(judge("operations.answered", "", "mq-deadline", {"flat", {}}, gap, enough), "held");
  EXPECT_EQ(judge("operations.answered", "multi-queue.absorbed-keeps-tag", "mq-deadline", {"flat", {}}, gap, enough),
            "request-kept");
}

TEST(DeviceServiceTime, OverheadAndTransferAreNotSkipped) {
  const std::vector<const char*> ops = {"write 0 +64", "read 100000 +64"};
  for (const DevicePreset& preset : device_presets())
    EXPECT_EQ(judge("device.service-time", "", "none", {preset.name, {}}, ops), "held") << preset.name;
  EXPECT_EQ(judge("device.service-time", "seek.free-transfer", "none", {"seek", {}}, ops), "too-fast");
  EXPECT_EQ(judge("device.service-time", "rotational.write-without-overhead", "none", {"sata-7200-2007", {}}, ops),
            "too-fast");
  EXPECT_EQ(
      judge("device.service-time", "ssd.read-skips-link", "none", {"sata-ssd-2014", {}}, {"write 0 +64", "read 0 +64"}),
      "too-fast");
  EXPECT_EQ(judge("device.service-time", "array.write-at-once", "none", {"enterprise-array-2010", {}}, ops), "too-fast");
}

TEST(DeviceDurability, FlushAndFua) {
  const DeviceSpec cached{"uml-hdd1c", {}};
  EXPECT_EQ(judge("device.durability", "", "none", cached, {"write 0 +8", "fsync"}), "held");
  EXPECT_EQ(judge("device.durability", "fifo-device.flush-keeps-dirty", "none", cached, {"write 0 +8", "fsync"}),
            "flush-not-durable");
  EXPECT_EQ(judge("device.durability", "", "none", cached, {"write 0 +8 fua"}), "held");
  EXPECT_EQ(judge("device.durability", "fifo-device.fua-in-cache", "none", cached, {"write 0 +8 fua"}), "fua-not-durable");
  // More slots than one program takes, so the first has reached the flash before the others.
  const DeviceSpec ssd{"sata-ssd-2014", {{"channels", 1}, {"dies_per_channel", 1}, {"blocks_per_die", 200}}};
  EXPECT_EQ(judge("device.durability", "", "none", ssd, {"write 0 +256", "fsync"}), "held");
  EXPECT_EQ(judge("device.durability", "ssd.flush-early", "none", ssd, {"write 0 +256", "fsync"}), "flush-not-durable");
}

TEST(DeviceBooks, CollectionKeepsWhatIsLive) {
  const DeviceSpec tiny{"sata-ssd-2014",
                        {{"channels", 1},
                         {"dies_per_channel", 1},
                         {"planes", 1},
                         {"page_kib", 4},
                         {"pages_per_block", 4},
                         {"blocks_per_die", 36},
                         {"spare_percent", 50},
                         {"buffer_kib", 32}}};
  const std::vector<const char*> twice = {"write 0 +8 x96", "write 0 +8 x300 random 768 seed 1"};
  EXPECT_EQ(judge("device.books", "", "none", tiny, twice), "held");
  EXPECT_EQ(judge("device.books", "ssd.erases-live-block", "none", tiny, twice), "broken-invariant");
  EXPECT_EQ(judge("device.books", "ssd.old-place-lives", "none", tiny, {"write 0 +8", "fsync", "write 0 +8", "fsync"}),
            "books-differ");
}

TEST(DeviceRotationalChoice, TheOverheadBelongsToTheEstimate) {
  const std::vector<const char*> ops = {"read 0 +8"};
  EXPECT_EQ(judge("device.rotational-choice", "rotational.estimate-without-overhead", "none", {"sata-7200-2007", {}}, ops),
            "extra-turns");
  for (const DevicePreset& preset : device_presets()) {
    if (std::string_view(preset.model) != "rotational") continue;
    EXPECT_EQ(judge("device.rotational-choice", "", "none", {preset.name, {}}, ops), "held") << preset.name;
  }
}

RunFacts cached_facts(bool fua) {
  RunFacts facts = facts_of("none-6.1");
  facts.device.volatile_cache = true;
  facts.device.fua = fua;
  return facts;
}

TEST(FlushCovers, AnFsyncNeedsALaterFlush) {
  const auto begin = [] {
    TraceBuilder trace("flush.covers", cached_facts(false));
    trace.get(1, W, 0).serve(1, W, 0);
    return trace;
  };
  // Request 2 is the fsync's own, 3 the command that serves it.
  EXPECT_EQ(begin().get(2, Op::flush, 0, 0).serve(3, Op::flush, 0, 0).get(4, R, 0).verdict(), "held");
  EXPECT_EQ(begin().get(2, Op::flush, 0, 0).get(4, R, 0).verdict(), "acknowledged-early");
  EXPECT_EQ(begin().issue(3, Op::flush, 0, 0).get(2, Op::flush, 0, 0).complete(3, Op::flush, 0, 0).get(4, R, 0).verdict(),
            "acknowledged-early");
}

TEST(FlushCovers, FuaAndPreflushWrites) {
  const auto fua = [](bool device_has_fua, bool flush) {
    TraceBuilder trace("flush.covers", cached_facts(device_has_fua));
    trace.get(1, W, 0, 8, REQ_FUA).serve(1, W, 0);
    if (flush) trace.serve(2, Op::flush, 0, 0);
    return trace.verdict();
  };
  EXPECT_EQ(fua(true, false), "held");
  EXPECT_EQ(fua(false, true), "held");
  EXPECT_EQ(fua(false, false), "no-postflush");
  TraceBuilder late("flush.covers", cached_facts(false));
  EXPECT_EQ(late.get(1, W, 0, 8, REQ_PREFLUSH).issue(1, W, 0).verdict(), "data-before-preflush");
}

TEST(MergeLimits, OnePriorityOnBlkMq) {
  for (const char* scheduler : {"mq-deadline-6.1", "deadline-4.19"}) {
    TraceBuilder trace("merge.limits", facts_of(scheduler));
    trace.get(1, R, 0).merge(EventKind::back_merge, 2, 1, R, 8);
    EXPECT_EQ(trace.verdict(), "held");
    TraceBuilder mixed("merge.limits", facts_of(scheduler));
    mixed.get(1, R, 0).merge_into_prio(2, 1, R, 8, {IoClass::rt, 0}, {IoClass::idle, 7});
    EXPECT_EQ(mixed.verdict(), std::string_view(scheduler).starts_with("mq") ? "mixed-ioprio" : "held");
  }
}

}  // namespace
}  // namespace elvcheck
