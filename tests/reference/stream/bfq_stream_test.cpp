// SPDX-License-Identifier: GPL-2.0-or-later
// BFQ against the kernel's own code, issue by issue. Expected values: recorded from the named kernels
// (docs/recorded-streams.md); of each recorded set the streams were picked in which queues are merged, split, wake each
// other, time out or lack tags. "tunables" has random tunables, "crowd" 7 to 12 processes that run for seconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "model/scheduler/bfq/bfq.hpp"
#include "reference/stream/stream.hpp"

namespace elvcheck {
namespace {

std::vector<StreamRecording> streams_of(const std::string& name) {
  return read_streams(std::string(ELVCHECK_TEST_DATA "/streams/") + name + ".jsonl.gz");
}

struct Expectation {
  const char* file;
  const char* model;
};
std::ostream& operator<<(std::ostream& out, const Expectation& e) { return out << e.file << " on " << e.model; }

class MultiQueueStreams : public testing::TestWithParam<Expectation> {};

TEST_P(MultiQueueStreams, EveryIssueEqual) {
  const auto streams = streams_of(GetParam().file);
  ASSERT_EQ(streams.size(), 60U);
  const SchedulerInfo* scheduler = find_scheduler(GetParam().model);
  ASSERT_NE(scheduler, nullptr);
  for (const StreamRecording& stream : streams) {
    const auto issues = run_stream(stream, *scheduler);
    const auto differ = std::mismatch(issues.begin(), issues.end(), stream.issues.begin(), stream.issues.end());
    EXPECT_TRUE(issues == stream.issues) << "stream " << stream.id << " differs at issue " << differ.first - issues.begin();
  }
}

INSTANTIATE_TEST_SUITE_P(
    , MultiQueueStreams,
    testing::Values(Expectation{"bfq-6.1-hz1000-ll0", "bfq-6.1"}, Expectation{"bfq-6.1-hz1000-ll1", "bfq-6.1"},
                    Expectation{"bfq-6.1-hz250-ll1", "bfq-6.1"}, Expectation{"bfq-6.1-hz1000-tunables", "bfq-6.1"},
                    Expectation{"bfq-6.1-hz1000-crowd", "bfq-6.1"}, Expectation{"bfq-6.12-hz1000-ll0", "bfq-6.12"},
                    Expectation{"bfq-6.12-hz1000-ll1", "bfq-6.12"},
                    Expectation{"mq-deadline-6.12-hz1000", "mq-deadline-6.12"},
                    Expectation{"kyber-6.12-hz1000", "kyber-6.12"}));

// The comparison must be able to fail: each heuristic, switched off, changes a recorded stream.

const std::vector<StreamRecording>& all_streams() {
  static const std::vector<StreamRecording> streams = [] {
    std::vector<StreamRecording> all;
    for (const char* file :
         {"bfq-6.1-hz1000-crowd", "bfq-6.1-hz1000-ll0", "bfq-6.1-hz1000-ll1", "bfq-6.1-hz1000-tunables"}) {
      for (StreamRecording& stream : streams_of(file)) all.push_back(std::move(stream));
    }
    return all;
  }();
  return streams;
}

bfq::Features features_under_test;

bool changes_a_stream(const std::vector<StreamRecording>& streams, const bfq::Features& features) {
  features_under_test = features;
  SchedulerInfo scheduler = *find_scheduler("bfq-6.1");
  scheduler.make_multi_queue = [](ElevatorHost& host, const TunableValues& tunables) {
    return make_bfq(host, tunables, features_under_test);
  };
  return std::any_of(streams.begin(), streams.end(),
                     [&](const StreamRecording& stream) { return run_stream(stream, scheduler) != stream.issues; });
}

/// Those whose effect no recorded stream of 6.1 shows.
bool seen_in_recordings(const bfq::FeatureInfo& feature) {
  constexpr std::array<std::string_view, 3> unseen{"inject-skips-large", "stable-ref-held-to-end", "split-always-resumes"};
  return std::find(unseen.begin(), unseen.end(), feature.name) == unseen.end();
}

std::vector<bfq::FeatureInfo> seen_features() {
  std::vector<bfq::FeatureInfo> features;
  std::copy_if(bfq::feature_table().begin(), bfq::feature_table().end(), std::back_inserter(features), seen_in_recordings);
  return features;
}

class BfqFeatures : public testing::TestWithParam<bfq::FeatureInfo> {};

TEST_P(BfqFeatures, SwitchingItChangesAStream) {
  const auto& streams = all_streams();
  bfq::Features features = bfq::features_6_1();
  features.*GetParam().member = !(features.*GetParam().member);
  EXPECT_TRUE(changes_a_stream(streams, features));
}

INSTANTIATE_TEST_SUITE_P(, BfqFeatures, testing::ValuesIn(seen_features()), [](const auto& parameter) {
  std::string name(parameter.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(BfqStreams, TheOtherVersionDiffers) {
  const auto streams = streams_of("bfq-6.12-hz1000-ll1");
  const SchedulerInfo* other = find_scheduler("bfq-6.1");
  EXPECT_TRUE(std::any_of(streams.begin(), streams.end(),
                          [&](const StreamRecording& stream) { return run_stream(stream, *other) != stream.issues; }));
}

}  // namespace
}  // namespace elvcheck
