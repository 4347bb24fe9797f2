// SPDX-License-Identifier: GPL-2.0-or-later
// The meter on traces written by hand; the latencies are differences that can be read off.
#include "checker/report/meter.hpp"

#include <gtest/gtest.h>

namespace elvcheck {
namespace {

TraceEvent event(Nanoseconds at, EventKind kind, BioId bio, RequestId request, Op op = Op::read, RequestId other = 0) {
  TraceEvent out;
  out.at = at;
  out.kind = kind;
  out.bio = bio;
  out.request = request;
  out.other = other;
  out.op = op;
  out.sectors = 8;
  return out;
}

TEST(Meter, FollowsSubmissionsThroughMerges) {
  Meter meter;
  for (const TraceEvent& each : {
           event(10us, EventKind::queue, 1, 0),
           event(10us, EventKind::get_request, 1, 1),  // request 1: bio 1
           event(20us, EventKind::queue, 2, 0),
           event(20us, EventKind::back_merge, 2, 1),  // and bio 2
           event(30us, EventKind::queue, 3, 0),
           event(30us, EventKind::get_request, 3, 2),                 // request 2: bio 3
           event(35us, EventKind::request_merge, 0, 1, Op::read, 2),  // absorbed by request 1
           event(40us, EventKind::queue, 4, 0, Op::write),
           event(40us, EventKind::get_request, 4, 3, Op::write),
           event(50us, EventKind::complete, 0, 3, Op::write),
           event(110us, EventKind::complete, 0, 1),
       }) {
    meter.on_event(each);
  }
  const LatencyFigures reads = meter.reads();
  EXPECT_EQ(reads.operations, 3U);
  EXPECT_EQ(reads.bytes, 3U * 4096U);
  EXPECT_EQ(reads.mean, 90us);  // (100 + 90 + 80) / 3
  EXPECT_EQ(reads.max, 100us);
  EXPECT_EQ(reads.p99, 100us);
  EXPECT_EQ(meter.writes().mean, 10us);
  EXPECT_EQ(meter.all().operations, 4U);
  EXPECT_EQ(meter.span(), 100us);
}

TEST(Meter, NinetyNinthPercentileIsTheNearestRank) {
  Meter meter;
  for (BioId i = 1; i <= 200; ++i) {
    meter.on_event(event(0us, EventKind::queue, i, 0));
    meter.on_event(event(0us, EventKind::get_request, i, i));
  }
  for (BioId i = 1; i <= 200; ++i) meter.on_event(event(Nanoseconds(i), EventKind::complete, 0, i));
  EXPECT_EQ(meter.all().p99, Nanoseconds(198));  // rank ceil(0.99 x 200)
}

TEST(Meter, WhatDoesNotCompleteDoesNotCount) {
  Meter meter;
  meter.on_event(event(0us, EventKind::queue, 1, 0));
  meter.on_event(event(0us, EventKind::get_request, 1, 1));
  EXPECT_EQ(meter.all().operations, 0U);
  EXPECT_EQ(meter.all().mean, 0us);
}

}  // namespace
}  // namespace elvcheck
