// SPDX-License-Identifier: GPL-2.0-or-later
// The deadline and mq-deadline monitors against traces written by hand. Bounds are computed by hand from the statements; HZ
// is 1000, so a tick is a millisecond, and every service takes 1 ms.
#include <gtest/gtest.h>

#include "tests/properties/trace_builder.hpp"

namespace elvcheck {
namespace {

constexpr Op R = Op::read;
constexpr Op W = Op::write;
constexpr IoPrio rt{IoClass::rt, 0};
constexpr IoPrio idle{IoClass::idle, 7};

const DecisionRule start_batch{"deadline.start-batch", "", {"write", "from_fifo", "expired", "starved"}};
const DecisionRule continue_batch{"deadline.continue-batch", "", {"write", "batching", "fifo_batch"}};

TEST(DeadlineMonitors, WritesStarvedCountsReadsInARow) {
  // fifo_batch 2, writes_starved 1: at most 4 reads in a row while a write waits.
  const RunFacts facts = facts_of("deadline-4.19", {{"fifo_batch", 2}, {"writes_starved", 1}});
  for (const int reads : {5, 6}) {  // the first read is chosen before the write can be seen
    TraceBuilder trace("deadline.writes-starved", facts);
    trace.insert(100, W, 50000);
    for (RequestId id = 1; id <= 6; ++id) trace.insert(id, R, id * 1000);
    for (RequestId id = 1; id <= static_cast<RequestId>(reads); ++id) trace.serve(id, R, id * 1000);
    EXPECT_EQ(trace.verdict(), reads == 5 ? "held" : "starved");
    EXPECT_EQ(trace.monitor().worst(), reads - 1);
  }
}

TEST(DeadlineMonitors, ExpiredHeadIsPassedByTheRunningBatchOnly) {
  const RunFacts facts = facts_of("deadline-4.19", {{"fifo_batch", 3}, {"read_expire", 10}});
  for (const int passing : {2, 3}) {
    TraceBuilder trace("deadline.expiry-at-batch-start", facts);
    trace.insert(1, R, 900).insert(2, R, 1000).insert(3, R, 2000).insert(4, R, 3000).insert(5, R, 4000).insert(6, R, 5000);
    // 1 is the oldest after this issue; from 11 ms on it is expired. Chosen before that: request 2.
    trace.at(12).serve(2, R, 1000);
    for (RequestId id = 3; id < 3 + static_cast<RequestId>(passing); ++id) trace.serve(id, R, id * 1000 - 1000);
    EXPECT_EQ(trace.verdict(), passing == 2 ? "held" : "passed-over") << passing;
  }
  TraceBuilder note("deadline.expiry-at-batch-start", facts);
  note.note(start_batch, 1, R, 900, {0, 1, 1, 0});
  EXPECT_EQ(note.verdict(), "held");
  EXPECT_EQ(note.note(start_batch, 2, R, 1000, {0, 0, 1, 0}).verdict(), "started-elsewhere");
}

TEST(DeadlineMonitors, BatchesAreShortOneWayAndAscending) {
  const RunFacts facts = facts_of("deadline-4.19", {{"fifo_batch", 2}});
  const auto batch = [&] { return TraceBuilder("deadline.fifo-batch", facts); };
  EXPECT_EQ(
      batch().note(start_batch, 1, R, 100, {}).note(continue_batch, 2, R, 200, {}).note(start_batch, 3, W, 50, {}).verdict(),
      "held");
  EXPECT_EQ(batch()
                .note(start_batch, 1, R, 100, {})
                .note(continue_batch, 2, R, 200, {})
                .note(continue_batch, 3, R, 300, {})
                .verdict(),
            "too-long");
  EXPECT_EQ(batch().note(start_batch, 1, R, 100, {}).note(continue_batch, 2, W, 200, {}).verdict(), "turned");
  EXPECT_EQ(batch().note(start_batch, 1, R, 100, {}).note(continue_batch, 2, R, 50, {}).verdict(), "descended");
  // The noted successor overlaps the first request and has grown at its front since.
  auto grown = batch();
  grown.insert(2, R, 104).note(start_batch, 1, R, 100, {}).merge(EventKind::front_merge, 3, 2, R, 96);
  EXPECT_EQ(grown.note(continue_batch, 2, R, 96, {}).verdict(), "held");
}

TEST(DeadlineMonitors, OrderIsOldestOrNextBySector) {
  const RunFacts facts = facts_of("deadline-4.19");
  const auto queue = [&] {
    TraceBuilder trace("deadline.order", facts);
    trace.insert(9, R, 10).serve(9, R, 10);
    trace.insert(1, R, 500).insert(2, R, 100).insert(3, R, 600).insert(4, R, 700).insert(5, R, 550);
    trace.serve(1, R, 500).serve(5, R, 550);
    return trace;
  };
  EXPECT_EQ(queue().serve(3, R, 600).serve(4, R, 700).serve(2, R, 100).verdict(), "held");
  EXPECT_EQ(queue().serve(2, R, 100).verdict(), "held");     // the oldest
  EXPECT_EQ(queue().serve(4, R, 700).verdict(), "skipped");  // 600 lies between
  // Request 3 overlaps request 1 and is noted as its successor; what is put in front of it afterwards does not change that.
  TraceBuilder grown("deadline.order", facts);
  grown.insert(9, R, 10).serve(9, R, 10).insert(1, R, 500).insert(2, R, 100).insert(3, R, 504).serve(1, R, 500);
  EXPECT_EQ(grown.merge(EventKind::front_merge, 7, 3, R, 496).serve(3, R, 496, 16).verdict(), "held");
  TraceBuilder back("deadline.order", facts);
  back.insert(9, R, 10).serve(9, R, 10).insert(1, R, 500).insert(2, R, 300).insert(3, R, 100).insert(4, R, 200).serve(1, R,
                                                                                                                      500);
  EXPECT_EQ(back.serve(3, R, 100).verdict(), "out-of-order");  // neither the oldest (300) nor behind 500
}

TEST(DeadlineMonitors, FirstComeWithBatchesOfOne) {
  const auto run = [](const char* property, std::vector<NamedValue> settings, bool in_order) {
    TraceBuilder trace(property, facts_of("deadline-4.19", settings));
    trace.insert(9, R, 0).serve(9, R, 0).insert(1, R, 300).insert(2, R, 200).insert(3, R, 400).serve(1, R, 300);
    in_order ? trace.serve(2, R, 200) : trace.serve(3, R, 400);
    return trace.verdict();
  };
  EXPECT_EQ(run("deadline.fifo-batch-one", {{"fifo_batch", 1}}, true), "held");
  EXPECT_EQ(run("deadline.fifo-batch-one", {{"fifo_batch", 1}}, false), "overtaken");
  EXPECT_EQ(run("deadline.first-come", {{"fifo_batch", 1}, {"read_expire", 0}}, true), "held");
  EXPECT_EQ(run("deadline.first-come", {{"fifo_batch", 1}, {"read_expire", 0}}, false), "overtaken");
}

TEST(DeadlineMonitors, RankBoundsThePassesAfterTheDeadline) {
  // fifo_batch 2, writes_starved 2, no older read: rank 2 x (2 + 0 + 0) = 4 dispatches.
  const RunFacts facts = facts_of("deadline-4.19", {{"fifo_batch", 2}, {"writes_starved", 2}, {"read_expire", 10}});
  const auto passes = [&](const char* property, RequestId count) {
    TraceBuilder trace(property, facts);
    trace.insert(1, R, 100);
    for (RequestId id = 2; id < 12; ++id) trace.insert(id, R, id * 1000);
    trace.at(20).serve(2, R, 2000);  // chosen before the deadline, for all that can be seen
    for (RequestId id = 3; id < 3 + count; ++id) trace.serve(id, R, id * 1000);
    trace.serve(1, R, 100);
    return trace;
  };
  EXPECT_EQ(passes("bounded-wait.overtakings", 4).verdict(), "held");
  EXPECT_EQ(passes("bounded-wait.overtakings", 5).verdict(), "overtaken-too-often");
  // In time: the deadline and its tick are over at 11 ms; 4 + 2 services of 1 ms later, at 17 ms, the read must start.
  EXPECT_EQ(passes("bounded-wait.time", 0).verdict(), "waited-too-long");  // started at 21 ms
  EXPECT_EQ(passes("deadline.read-latency", 0).verdict(), "started-late");
  for (const char* property : {"bounded-wait.time", "deadline.read-latency"}) {
    TraceBuilder trace(property, facts);
    trace.insert(2, R, 2000).issue(2, R, 2000).at(5).insert(1, R, 100).at(10).complete(2, R, 2000).issue(1, R, 100);
    EXPECT_EQ(trace.verdict(), "held");
    EXPECT_EQ(trace.monitor().worst(), 5'000'000);
  }
}

TEST(DeadlineMonitors, OneBatchCountsDispatchesFromTheDeadlineOn) {
  const RunFacts facts = facts_of("deadline-4.19", {{"fifo_batch", 2}, {"read_expire", 10}});
  for (const RequestId others : {2U, 3U}) {
    TraceBuilder trace("deadline.one-batch", facts);
    trace.insert(1, R, 100);
    for (RequestId id = 2; id < 9; ++id) trace.insert(id, W, id * 1000);
    trace.at(9).serve(2, W, 2000);  // at 9 ms the deadline is not yet reached; at 10 ms it is
    for (RequestId id = 3; id < 3 + others; ++id) trace.serve(id, W, id * 1000);
    trace.serve(1, R, 100);
    EXPECT_EQ(trace.verdict(), others == 2 ? "held" : "more-than-a-batch");
  }
}

TEST(DeadlineMonitors, FrontMergesOnlyThroughTheOneHitCache) {
  const RunFacts facts = facts_of("mq-deadline-6.1", {{"front_merges", 0}});
  const auto queue = [&] {
    TraceBuilder trace("deadline.front-merges", facts);
    trace.insert(1, R, 1000).insert(2, R, 5000);
    return trace;
  };
  EXPECT_EQ(queue().merge(EventKind::front_merge, 3, 1, R, 992).verdict(), "held");  // the first inserted is in the cache
  EXPECT_EQ(queue().merge(EventKind::front_merge, 3, 2, R, 4992).verdict(), "front-merged");
  EXPECT_EQ(queue().merge(EventKind::back_merge, 3, 2, R, 5008).merge(EventKind::front_merge, 4, 2, R, 4992).verdict(),
            "held");
}

TEST(MqDeadlineMonitors, ClassesInOrderUnlessAged) {
  const RunFacts facts = facts_of("mq-deadline-6.1", {{"prio_aging_expire", 100}});
  const auto run = [&](std::int64_t at) {
    TraceBuilder trace("mq-deadline.priority", facts);
    trace.insert(1, R, 100, 8, idle).at(at).insert(2, R, 200).insert(3, R, 300, 8, rt).serve(2, R, 200);
    return trace.serve(1, R, 100).verdict();
  };
  EXPECT_EQ(run(10), "class-order");  // request 3 was there when request 1 was chosen
  EXPECT_EQ(run(99), "held");         // aged at 100 ms
}

TEST(MqDeadlineMonitors, AgedRequestsAreNotPassed) {
  const RunFacts facts = facts_of("mq-deadline-6.1", {{"prio_aging_expire", 10}, {"fifo_batch", 2}});
  const auto run = [&](const char* property, RequestId younger, bool company) {
    TraceBuilder trace(property, facts);
    trace.insert(1, R, 100);
    trace.at(9);
    if (company) trace.insert(50, R, 5000);
    for (RequestId id = 2; id < 9; ++id) trace.insert(id, R, id * 1000, 8, rt);
    trace.serve(2, R, 2000);  // from its issue at 9 ms until 10 ms: the next is chosen at 9 ms at the earliest
    trace.serve(3, R, 3000);  // chosen after 9 ms
    for (RequestId id = 4; id < 4 + younger; ++id) trace.serve(id, R, id * 1000);
    return trace.verdict();
  };
  EXPECT_EQ(run("mq-deadline.aging", 0, false), "held");
  EXPECT_EQ(run("mq-deadline.aging", 1, false), "aged-passed");
  EXPECT_EQ(run("mq-deadline.aging", 1, true), "held");  // not alone in its class
  EXPECT_EQ(run("mq-deadline.aging-any", 2, true), "held");
  EXPECT_EQ(run("mq-deadline.aging-any", 3, true), "aged-passed");
}

TEST(MqDeadlineMonitors, AgingZeroShowsTheReversal) {
  const RunFacts facts = facts_of("mq-deadline-6.1", {{"prio_aging_expire", 0}});
  const auto run = [&](bool reversed) {
    TraceBuilder trace("mq-deadline.aging-zero", facts);
    trace.insert(9, R, 0).insert(1, R, 100, 8, rt).insert(2, R, 200).serve(9, R, 0);
    reversed ? trace.serve(2, R, 200) : trace.serve(1, R, 100).serve(2, R, 200);
    return trace.verdict();
  };
  EXPECT_EQ(run(false), "held");
  EXPECT_EQ(run(true), "lower-class-first");
}

TEST(MqDeadlineMonitors, AsyncDepthIsAShareOfEveryWord) {
  // 64 tags are 4 words of 16; async_depth 6 is ceil(6 x 16 / 64) = 2 of each word: 8 writes.
  const RunFacts facts = facts_of("mq-deadline-6.1", {{"async_depth", 6}});
  for (const RequestId writes : {8U, 9U}) {
    TraceBuilder trace("mq-deadline.async-depth", facts);
    for (RequestId id = 1; id <= writes; ++id) trace.get(id, W, id * 100);
    for (RequestId id = 50; id < 60; ++id) trace.get(id, R, id * 100);
    EXPECT_EQ(trace.verdict(), writes == 8 ? "held" : "too-many-async");
  }
}

TEST(QueueMonitorMuting, ARequeueSilencesUntilAllIsEmpty) {
  const RunFacts facts = facts_of("noop-4.19");
  TraceBuilder trace("noop.fifo-order", facts);
  trace.insert(1, R, 0)
      .insert(2, R, 8)
      .insert(3, R, 16)
      .issue(1, R, 0)
      .requeue(1, R, 0)
      .serve(2, R, 8)
      .serve(3, R, 16)
      .serve(1, R, 0);
  EXPECT_EQ(trace.verdict(), "held");
  trace.insert(4, R, 0).insert(5, R, 8).insert(6, R, 16).serve(4, R, 0).serve(6, R, 16);
  EXPECT_EQ(trace.verdict(), "overtaken");
}

}  // namespace
}  // namespace elvcheck
