// SPDX-License-Identifier: GPL-2.0-or-later
// The general monitors against traces written by hand: each has one that keeps the property and, for each of its rules, one
// that breaks it. Expected verdicts follow from the statements of the properties.
#include <gtest/gtest.h>

#include "tests/properties/trace_builder.hpp"

namespace elvcheck {
namespace {

constexpr Op R = Op::read;
constexpr Op W = Op::write;

TraceBuilder watch(const char* property, const char* scheduler = "noop-4.19") { return {property, facts_of(scheduler)}; }

TEST(Conservation, WholeLifeOfMergedRequestsHolds) {
  auto trace = watch("conservation");
  trace.get(1, R, 100).get(2, R, 116).insert(1, R, 100).insert(2, R, 116);
  trace.merge(EventKind::front_merge, 3, 1, R, 92).merge(EventKind::back_merge, 4, 1, R, 108);
  trace.absorb(1, 2, R, 92, 32).issue(1, R, 92, 32).requeue(1, R, 92, 32).issue(1, R, 92, 32).complete(1, R, 92, 32);
  EXPECT_EQ(trace.verdict(), "held");
  EXPECT_EQ(trace.monitor().judged(), 4U);
}

TEST(Conservation, EachKindOfLossIsNamed) {
  EXPECT_EQ(watch("conservation").get(1, R, 0).insert(1, R, 0).verdict(), "lost-request");
  EXPECT_EQ(watch("conservation").get(1, R, 0).issue(1, R, 0).verdict(), "lost-request");
  EXPECT_EQ(watch("conservation").get(1, R, 0).verdict(false), "held");  // the run was stopped
  EXPECT_EQ(watch("conservation").get(1, R, 0).issue(1, R, 0).issue(1, R, 0).verdict(), "issued-twice");
  EXPECT_EQ(watch("conservation").get(1, R, 0).serve(1, R, 0).complete(1, R, 0).verdict(), "unknown-request");
  EXPECT_EQ(watch("conservation").get(1, R, 0).complete(1, R, 0).verdict(), "completed-unissued");
  EXPECT_EQ(watch("conservation").get(1, R, 0).issue(1, R, 0, 16).verdict(), "sectors-differ");
  EXPECT_EQ(watch("conservation").get(1, R, 0).issue(1, R, 8).verdict(), "sectors-differ");
  EXPECT_EQ(watch("conservation").get(1, R, 0).merge(EventKind::back_merge, 2, 1, R, 16).verdict(), "not-adjacent");
  EXPECT_EQ(watch("conservation").get(1, R, 0).issue(1, R, 0).merge(EventKind::back_merge, 2, 1, R, 8).verdict(),
            "merged-after-issue");
  EXPECT_EQ(watch("conservation").get(1, R, 0).get(2, R, 8).absorb(1, 2, R, 0, 16).issue(2, R, 8).verdict(),
            "unknown-request");
  EXPECT_EQ(watch("conservation").get(1, R, 0).get(1, R, 0).verdict(), "request-twice");
  EXPECT_EQ(watch("conservation").get(1, R, 0).requeue(1, R, 0).verdict(), "requeued-unissued");
}

TEST(TraceOrder, StagesAndTime) {
  EXPECT_EQ(watch("trace.order")
                .get(1, R, 0)
                .insert(1, R, 0)
                .issue(1, R, 0)
                .requeue(1, R, 0)
                .issue(1, R, 0)
                .at(2)
                .complete(1, R, 0)
                .verdict(),
            "held");
  EXPECT_EQ(watch("trace.order").at(2).get(1, R, 0).at(1).insert(1, R, 0).verdict(), "time-ran-back");
  EXPECT_EQ(watch("trace.order").get(1, R, 0).issue(1, R, 0).insert(1, R, 0).verdict(), "stage-order");
  EXPECT_EQ(watch("trace.order").insert(1, R, 0).verdict(), "stage-order");
  EXPECT_EQ(watch("trace.order").get(1, R, 0).insert(1, R, 0).complete(1, R, 0).verdict(), "stage-order");
}

TEST(DeviceDepth, OneAtATime) {
  EXPECT_EQ(watch("device.depth").serve(1, R, 0).serve(2, R, 8).verdict(), "held");
  EXPECT_EQ(watch("device.depth").issue(1, R, 0).issue(2, R, 8).verdict(), "too-deep");
}

TEST(QueueDepth, PoolsByFlavour) {
  RunFacts facts = facts_of("mq-deadline-6.1");
  facts.block.nr_requests = 4;
  const auto with = [&](RequestId requests, Op op) {
    TraceBuilder trace("queue.depth", facts);
    for (RequestId id = 1; id <= requests; ++id) trace.get(id, op, id * 100);
    return trace.verdict();
  };
  EXPECT_EQ(with(4, R), "held");
  EXPECT_EQ(with(5, R), "too-many");
  facts.scheduler = find_scheduler("deadline-4.19");  // 1.5 x 4 of each kind
  EXPECT_EQ(with(6, W), "held");
  EXPECT_EQ(with(7, W), "too-many");
}

TEST(MergeLimits, LengthSegmentsKindAndSwitch) {
  RunFacts facts = facts_of("noop-4.19");
  facts.block.max_sectors = 16;
  facts.block.max_segments = 2;
  const auto merged = [&](unsigned bios, SectorCount each, Op second = R) {
    TraceBuilder trace("merge.limits", facts);
    trace.get(1, R, 0, each);
    for (unsigned i = 1; i < bios; ++i) trace.merge(EventKind::back_merge, i + 1, 1, second, i * each, each);
    return trace.verdict();
  };
  EXPECT_EQ(merged(2, 8), "held");
  EXPECT_EQ(merged(2, 9), "too-long");
  EXPECT_EQ(merged(3, 4), "too-many-segments");
  EXPECT_EQ(merged(2, 8, W), "mixed");
  facts.block.nomerges = 2;
  EXPECT_EQ(merged(2, 8), "nomerges");
}

TEST(FifoOrder, ArrivalDecides) {
  EXPECT_EQ(watch("noop.fifo-order").insert(1, R, 900).insert(2, R, 100).serve(1, R, 900).serve(2, R, 100).verdict(),
            "held");
  auto broken = watch("noop.fifo-order");
  broken.insert(9, R, 0).serve(9, R, 0).insert(1, R, 900).insert(2, R, 100).insert(3, R, 200);
  // The first issue may have been chosen when nothing else was there; the second was not.
  EXPECT_EQ(broken.serve(1, R, 900).serve(3, R, 200).verdict(), "overtaken");
}

TEST(BoundedWait, ArrivalsFoundAreTheBound) {
  auto good = watch("bounded-wait.overtakings");
  good.insert(1, R, 0).insert(2, R, 8).insert(3, R, 16).serve(1, R, 0).serve(2, R, 8).serve(3, R, 16);
  EXPECT_EQ(good.verdict(), "held");
  EXPECT_EQ(good.monitor().worst(), 1);  // request 3 was passed by 2; whether by 1 cannot be seen

  auto bad = watch("bounded-wait.overtakings");
  bad.insert(1, R, 0).insert(2, R, 8).serve(1, R, 0).insert(3, R, 16).insert(4, R, 24).serve(3, R, 16).serve(4, R, 24);
  EXPECT_EQ(bad.verdict(), "overtaken-too-often");
}

TEST(BoundedWait, TimeOfThoseFound) {
  auto good = watch("bounded-wait.time");
  good.insert(1, R, 0).issue(1, R, 0).insert(2, R, 8).insert(3, R, 16).at(1).complete(1, R, 0).serve(2, R, 8).serve(3, R,
                                                                                                                    16);
  EXPECT_EQ(good.verdict(), "held");
  EXPECT_EQ(good.monitor().worst(), 2'000'000);  // request 3 waited for 1 and 2
  auto bad = watch("bounded-wait.time");
  bad.insert(1, R, 0).serve(1, R, 0).insert(2, R, 8).at(3).issue(2, R, 8);
  EXPECT_EQ(bad.verdict(), "waited-too-long");
  // Never issued at all: the end of the run tells.
  EXPECT_EQ(watch("bounded-wait.time").insert(1, R, 0).serve(1, R, 0).insert(2, R, 8).at(9).verdict(false),
            "waited-too-long");
}

TEST(BoundedIdleness, BusyWhileQueued) {
  auto good = watch("bounded-idleness");
  good.insert(1, R, 0).insert(2, R, 8).serve(1, R, 0).serve(2, R, 8).at(50).insert(3, R, 16).serve(3, R, 16);
  EXPECT_EQ(good.verdict(), "held");
  EXPECT_EQ(watch("bounded-idleness").insert(1, R, 0).insert(2, R, 8).serve(1, R, 0).at(2).issue(2, R, 8).verdict(), "idle");
  EXPECT_EQ(watch("bounded-idleness").insert(1, R, 0).verdict(), "idle");  // left over at the end
  // A plug of 2.6.35 may hold a request for 3 ms and the rounding of its timer.
  EXPECT_EQ(watch("bounded-idleness", "noop-2.6.35").insert(1, R, 0).at(5).serve(1, R, 0).verdict(), "held");
  EXPECT_EQ(watch("bounded-idleness", "noop-2.6.35").insert(1, R, 0).at(6).serve(1, R, 0).verdict(), "idle");
}

TEST(Glob, AsInTheShell) {
  EXPECT_TRUE(glob_match("", "anything"));
  EXPECT_TRUE(glob_match("deadline.*", "deadline.fifo-batch"));
  EXPECT_TRUE(glob_match("*batch*", "deadline.fifo-batch-one"));
  EXPECT_TRUE(glob_match("d?adline*", "deadline.order"));
  EXPECT_TRUE(glob_match("**", ""));
  EXPECT_FALSE(glob_match("deadline", "deadline.order"));
  EXPECT_FALSE(glob_match("?", ""));
  EXPECT_FALSE(glob_match("*.order.*", "deadline.order"));
}

TEST(Registry, EveryPropertyIsWhole) {
  for (const Property& property : properties()) {
    EXPECT_EQ(find_property(property.name), &property) << property.name << " is there twice";
    EXPECT_NE(property.applies, nullptr) << property.name;
    EXPECT_NE(property.monitor == nullptr, property.relation == nullptr)
        << property.name << " must be either a monitor or a relation";
    for (const char* text : {property.statement, property.source, property.bound})
      EXPECT_GT(std::string_view(text).size(), 5U) << property.name;
  }
  EXPECT_EQ(find_property("no-such-property"), nullptr);
}

}  // namespace
}  // namespace elvcheck
