// SPDX-License-Identifier: GPL-2.0-or-later
// Models against the kernel's own code, issue by issue. Expected values: recorded from the named kernels
// (docs/recorded-streams.md).
#include "reference/stream/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace elvcheck {
namespace {

struct Expectation {
  const char* file;
  const char* model;
};

std::ostream& operator<<(std::ostream& out, const Expectation& e) { return out << e.file << " on " << e.model; }

class RecordedStreams : public testing::TestWithParam<Expectation> {};

std::string describe(const std::vector<StreamIssue>& issues, std::size_t at) {
  if (at >= issues.size()) return "nothing";
  std::ostringstream text;
  text << issues[at].at.count() << " ns pid " << issues[at].process << ' ' << issues[at].sector << '+' << issues[at].sectors
       << (issues[at].write ? " write" : " read");
  return text.str();
}

TEST_P(RecordedStreams, EveryIssueEqual) {
  const auto streams = read_streams(std::string(ELVCHECK_TEST_DATA "/streams/") + GetParam().file);
  ASSERT_FALSE(streams.empty());
  const SchedulerInfo* scheduler = find_scheduler(GetParam().model);
  ASSERT_NE(scheduler, nullptr);
  for (const StreamRecording& stream : streams) {
    const auto issues = run_stream(stream, *scheduler);
    const auto differ = std::mismatch(issues.begin(), issues.end(), stream.issues.begin(), stream.issues.end());
    const auto at = static_cast<std::size_t>(differ.first - issues.begin());
    EXPECT_EQ(issues, stream.issues) << "stream " << stream.id << ", issue " << at << ": model " << describe(issues, at)
                                     << ", kernel " << describe(stream.issues, at);
  }
}

INSTANTIATE_TEST_SUITE_P(, RecordedStreams,
                         testing::Values(Expectation{"noop-2.6.34-hz1000.jsonl.gz", "noop-2.6.35"},
                                         Expectation{"deadline-2.6.34-hz1000.jsonl.gz", "deadline-2.6.35"},
                                         Expectation{"deadline-4.19.48-hz1000.jsonl.gz", "deadline-4.19"},
                                         Expectation{"deadlinetun-4.19.48-hz1000.jsonl.gz", "deadline-4.19"},
                                         Expectation{"mq-deadline-6.1-hz1000.jsonl.gz", "mq-deadline-6.1"},
                                         Expectation{"kyber-6.1-hz1000.jsonl.gz", "kyber-6.1"},
                                         Expectation{"kyberx-6.1-hz1000.jsonl.gz", "kyber-6.1"},
                                         Expectation{"kyberx-6.1-hz1000-pb.jsonl.gz", "kyber-6.1"},
                                         Expectation{"kyberx-6.12-hz1000.jsonl.gz", "kyber-6.12"},
                                         Expectation{"cfq-2.6.34-hz100.jsonl.gz", "cfq-2.6.34"},
                                         Expectation{"cfq-2.6.34-hz1000.jsonl.gz", "cfq-2.6.34"},
                                         Expectation{"cfqreq-2.6.34-hz1000.jsonl.gz", "cfq-2.6.34"},
                                         // Where 2.6.35 differs from 2.6.34, these streams do not go.
                                         Expectation{"cfq-2.6.34-hz100.jsonl.gz", "cfq-2.6.35"},
                                         Expectation{"cfq-2.6.34-hz1000.jsonl.gz", "cfq-2.6.35"},
                                         Expectation{"cfq-4.4.155-hz1000.jsonl.gz", "cfq-4.4"},
                                         Expectation{"cfq-4.19.48-hz1000.jsonl.gz", "cfq-4.19"},
                                         Expectation{"cfq-2.6.35-hz250-short.jsonl.gz", "cfq-2.6.35"},
                                         Expectation{"cfq-4.19-hz250-short.jsonl.gz", "cfq-4.19"},
                                         Expectation{"cfqgrp-4.19.48-hz1000.jsonl.gz", "cfq-4.19"}));

// The comparison must be able to fail: the wrong model and a wrong tunable do not pass.
TEST(RecordedStreamsTest, TheWrongVersionDiffers) {
  const auto streams = read_streams(ELVCHECK_TEST_DATA "/streams/deadline-2.6.34-hz1000.jsonl.gz");
  const SchedulerInfo* other = find_scheduler("deadline-4.19");
  EXPECT_TRUE(std::any_of(streams.begin(), streams.end(),
                          [&](const StreamRecording& stream) { return run_stream(stream, *other) != stream.issues; }));
}

TEST(RecordedStreamsTest, AWrongTunableDiffers) {
  auto streams = read_streams(ELVCHECK_TEST_DATA "/streams/deadlinetun-4.19.48-hz1000.jsonl.gz");
  const SchedulerInfo* scheduler = find_scheduler("deadline-4.19");
  std::size_t different = 0;
  for (StreamRecording& stream : streams) {
    stream.tunables.push_back({"fifo_batch", 3});
    if (run_stream(stream, *scheduler) != stream.issues) ++different;
  }
  EXPECT_GT(different, 10U);
}

}  // namespace
}  // namespace elvcheck
