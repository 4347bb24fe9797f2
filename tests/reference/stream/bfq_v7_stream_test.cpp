// SPDX-License-Identifier: GPL-2.0-or-later
// BFQ v7r4 and v7r5 against the patches' own code, issue by issue. Expected values: recorded (docs/recorded-streams.md) from
// the patches of 2014 in the block layer of 4.4.155; "base" without the patch Early Queue Merge, "tunables" with random
// ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "reference/stream/stream.hpp"

namespace elvcheck {
namespace {

struct Recording {
  const char* file;
  const char* model;
};

constexpr std::array recordings{
    Recording{"bfq-v7r4-hz1000-tunables", "bfq-v7r4"}, Recording{"bfq-v7r4-hz250-tunables", "bfq-v7r4"},
    Recording{"bfq-v7r4-hz250-base", "bfq-v7r4"},      Recording{"bfq-v7r5-hz1000-tunables", "bfq-v7r5"},
    Recording{"bfq-v7r5-hz250-tunables", "bfq-v7r5"},  Recording{"bfq-v7r5-hz1000-base-tunables", "bfq-v7r5"}};

const std::vector<StreamRecording>& streams_of(std::size_t recording) {
  static std::array<std::vector<StreamRecording>, recordings.size()> all;
  std::vector<StreamRecording>& streams = all.at(recording);
  if (streams.empty())
    streams = read_streams(std::string(ELVCHECK_TEST_DATA "/streams/") + recordings.at(recording).file + ".jsonl.gz");
  return streams;
}

class BfqV7Streams : public testing::TestWithParam<std::size_t> {};

TEST_P(BfqV7Streams, EveryIssueEqual) {
  const auto& streams = streams_of(GetParam());
  ASSERT_EQ(streams.size(), 40U);
  const SchedulerInfo* scheduler = find_scheduler(recordings.at(GetParam()).model);
  ASSERT_NE(scheduler, nullptr);
  for (const StreamRecording& stream : streams) {
    const auto issues = run_stream(stream, *scheduler);
    const auto differ = std::mismatch(issues.begin(), issues.end(), stream.issues.begin(), stream.issues.end());
    EXPECT_TRUE(issues == stream.issues) << "stream " << stream.id << " differs at issue " << differ.first - issues.begin();
  }
}

INSTANTIATE_TEST_SUITE_P(, BfqV7Streams, testing::Range(std::size_t{0}, recordings.size()), [](const auto& parameter) {
  std::string name(recordings.at(parameter.param).file);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// Whether some recorded stream comes out otherwise with this stored over what it was recorded with.
bool changes_a_stream(const NamedValue& setting) {
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const SchedulerInfo* scheduler = find_scheduler(recordings[i].model);
    for (StreamRecording stream : streams_of(i)) {
      stream.tunables.push_back(setting);
      if (run_stream(stream, *scheduler) != stream.issues) return true;
    }
  }
  return false;
}

/// A tunable or feature, and a value that is not the usual one.
struct Other {
  const char* name;
  std::int64_t value;
};
std::ostream& operator<<(std::ostream& out, const Other& other) { return out << other.name << " = " << other.value; }

class BfqV7Settings : public testing::TestWithParam<Other> {};

TEST_P(BfqV7Settings, AnotherValueChangesAStream) { EXPECT_TRUE(changes_a_stream({GetParam().name, GetParam().value})); }

INSTANTIATE_TEST_SUITE_P(, BfqV7Settings,
                         testing::Values(Other{"quantum", 1}, Other{"fifo_expire_sync", 5}, Other{"fifo_expire_async", 5},
                                         Other{"back_seek_max", 0}, Other{"back_seek_penalty", 50}, Other{"slice_idle", 0},
                                         Other{"max_budget", 64}, Other{"max_budget_async_rq", 1}, Other{"timeout_sync", 5},
                                         Other{"timeout_async", 1}, Other{"low_latency", 0}, Other{"wr_coeff", 1},
                                         Other{"wr_max_time", 20}, Other{"wr_rt_max_time", 1}, Other{"wr_min_idle_time", 1},
                                         Other{"wr_min_inter_arr_async", 1}, Other{"wr_max_softrt_rate", 0},
                                         Other{"io-bound", 0}, Other{"cooperation-limit", 0}, Other{"early-queue-merge", 0},
                                         Other{"queue-splitting", 0}, Other{"repaired-search", 1},
                                         Other{"idle-class-turn", 0}, Other{"budget-feedback", 0},
                                         Other{"full-budget-charge", 0}, Other{"peak-rate", 0}, Other{"fifo-expiry", 0},
                                         Other{"think-time", 0}, Other{"small-request-rule", 0},
                                         Other{"interactive-raising", 0}, Other{"soft-rt-raising", 0},
                                         Other{"async-raising", 0}, Other{"kind-known-late", 0}));

TEST(BfqV7, TheOtherReleaseDiffers) {
  const SchedulerInfo* other = find_scheduler("bfq-v7r4");
  const auto& streams = streams_of(3);  // of v7r5
  EXPECT_TRUE(std::any_of(streams.begin(), streams.end(),
                          [&](const StreamRecording& stream) { return run_stream(stream, *other) != stream.issues; }));
}

}  // namespace
}  // namespace elvcheck
