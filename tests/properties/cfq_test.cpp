// SPDX-License-Identifier: GPL-2.0-or-later
// Monitors of CFQ on traces written by hand; the verdicts follow from the properties' sentences.
#include "model/scheduler/cfq/cfq.hpp"

#include <gtest/gtest.h>

#include "model/scheduler/registry.hpp"
#include "tests/properties/trace_builder.hpp"

namespace elvcheck {
namespace {

constexpr Op R = Op::read;
constexpr Op W = Op::write;
constexpr IoPrio rt{IoClass::rt, 4};
constexpr IoPrio best_effort{IoClass::be, 4};
constexpr IoPrio idle{IoClass::idle, 7};

const DecisionRule& rule(std::string_view name) {
  for (const DecisionRule* each : cfq_rules()) {
    if (each->name == name) return *each;
  }
  throw std::logic_error("no such rule");
}

/// The request is chosen by place, from the queue of that pid.
TraceBuilder& choose(TraceBuilder& trace, RequestId id, Op op, std::int64_t queue = 101) {
  return trace.note(rule("cfq.dispatch.next"), id, op, id * 1000, {queue, 0, 0, 0});
}

TEST(CfqMonitors, ClassesAreServedInOrder) {
  const RunFacts facts = facts_of("cfq-4.19");
  const auto run = [&](IoPrio waiting, IoPrio chosen) {
    TraceBuilder trace("cfq.class-order", facts);
    trace.process(101).insert(1, R, 1000, 8, waiting).process(102).insert(2, R, 2000, 8, chosen);
    return choose(trace, 2, R).verdict();
  };
  EXPECT_EQ(run(rt, best_effort), "class-order");
  EXPECT_EQ(run(best_effort, idle), "class-order");
  EXPECT_EQ(run(best_effort, IoPrio{}), "held");  // no priority is best-effort
  EXPECT_EQ(run(idle, best_effort), "held");
}

TEST(CfqMonitors, ASyncRequestEndsAnAsyncSlice) {
  const RunFacts facts = facts_of("cfq-2.6.35");
  const auto run = [&](bool new_slice) {
    TraceBuilder trace("cfq.sync-ends-async-slice", facts);
    trace.process(101).insert(1, W, 1000).insert(2, W, 2000).note(rule("cfq.select.next"), 0, R, 0, {101, 0, 0, 0});
    choose(trace, 1, W).process(102).insert(3, R, 3000);
    if (new_slice) trace.note(rule("cfq.select.next"), 0, R, 0, {101, 0, 0, 0});
    return choose(trace, 2, W).verdict();
  };
  EXPECT_EQ(run(false), "async-went-on");
  EXPECT_EQ(run(true), "held");
}

TEST(CfqMonitors, AQueueHasItsQuantumInsideWhileOthersWait) {
  const RunFacts facts = facts_of("cfq-2.6.35", {{"quantum", 2}});
  const auto run = [&](bool others) {
    TraceBuilder trace("cfq.quantum", facts);
    if (others) trace.process(102).insert(9, R, 9000);
    trace.process(101);
    for (RequestId id = 1; id <= 3; ++id) trace.insert(id, R, id * 1000);
    for (RequestId id = 1; id <= 3; ++id) choose(trace, id, R).issue(id, R, id * 1000);
    return trace.verdict();
  };
  EXPECT_EQ(run(true), "too-deep");
  EXPECT_EQ(run(false), "held");
}

// slice_async_rq 1, level 4: 2 x 1 x (8 - 4) = 8 requests.
TEST(CfqMonitors, AnAsyncSliceHasItsQuota) {
  const RunFacts facts = facts_of("cfq-4.19", {{"slice_async_rq", 1}});
  for (const RequestId sent : {8U, 9U}) {
    TraceBuilder trace("cfq.async-quota", facts);
    trace.process(102).insert(50, R, 9000).process(101);
    for (RequestId id = 1; id <= sent; ++id) trace.insert(id, W, id * 1000);
    for (RequestId id = 1; id <= sent; ++id) choose(trace, id, W);
    EXPECT_EQ(trace.verdict(), sent == 8 ? "held" : "slice-too-full");
  }
}

// HZ 1000: 8 ms and two ticks.
TEST(CfqMonitors, TheDeviceIdlesForSliceIdleAtMost) {
  const RunFacts facts = facts_of("cfq-4.19", {{"slice_idle", 8}});
  for (const std::int64_t until : {10, 11}) {
    TraceBuilder trace("cfq.idle-bounded", facts);
    trace.insert(1, R, 1000).at(until);
    choose(trace, 1, R).issue(1, R, 1000).at(until + 1).complete(1, R, 1000);
    EXPECT_EQ(trace.verdict(), until == 10 ? "held" : "idle");
  }
}

TEST(CfqMonitors, OnlyWhatIsExpiredGoesOutOfOrder) {
  const RunFacts facts = facts_of("cfq-4.19", {{"fifo_expire_sync", 50}});
  for (const std::int64_t age : {40, 60}) {
    TraceBuilder trace("cfq.fifo", facts);
    trace.insert(1, R, 9000).at(age).insert(2, R, 2000).note(rule("cfq.select.next"), 0, R, 0, {101, 0, 0, 0});
    EXPECT_EQ(choose(trace, 2, R).verdict(), age == 40 ? "held" : "passed-over");
    TraceBuilder early("cfq.fifo", facts);
    early.insert(1, R, 9000).at(age).note(rule("cfq.dispatch.expired"), 1, R, 9000, {101, 0, 0, 0});
    EXPECT_EQ(early.verdict(), age == 40 ? "not-expired" : "held");
  }
}

TEST(CfqMonitors, CooperatorsAreCloseToTheHead) {
  const RunFacts facts = facts_of("cfq-4.19");
  for (const Sector place : {Sector{1008 + 8192}, Sector{1008 + 8193}}) {
    TraceBuilder trace("cfq.cooperators-close", facts);
    trace.insert(1, R, 1000);
    choose(trace, 1, R).issue(1, R, 1000).insert(2, R, place);
    trace.note(rule("cfq.merge.schedule"), 0, R, 0, {101, 102, 0, 0});
    EXPECT_EQ(trace.verdict(), place == 1008 + 8192 ? "held" : "far");
  }
}

}  // namespace
}  // namespace elvcheck
