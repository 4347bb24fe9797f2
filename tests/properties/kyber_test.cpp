// SPDX-License-Identifier: GPL-2.0-or-later
// Each property of kyber holds on its saved case and is broken there by a planted bug.
#include <gtest/gtest.h>

#include "properties/case_file.hpp"
#include "properties/property.hpp"

namespace elvcheck {
namespace {

struct Breach {
  const char* file;
  const char* property;
  const char* mutant;
};
void PrintTo(const Breach& breach, std::ostream* out) { *out << breach.mutant << " against " << breach.property; }

class KyberProperties : public testing::TestWithParam<Breach> {};

TEST_P(KyberProperties, APlantedBugBreaksWhatHolds) {
  Scenario scenario = read_case(std::string(ELVCHECK_TEST_CASES "/") + GetParam().file).scenario;
  const Property& property = *find_property(GetParam().property);
  const auto sound = judge_property(scenario, property);
  ASSERT_TRUE(sound);
  EXPECT_FALSE(sound->violation);
  EXPECT_GT(sound->judged, 0U);
  scenario.mutant = GetParam().mutant;
  const auto broken = judge_property(scenario, property);
  ASSERT_TRUE(broken);
  EXPECT_TRUE(broken->violation);
}

INSTANTIATE_TEST_SUITE_P(, KyberProperties,
                         testing::Values(Breach{"kyber-batch.toml", "kyber.batch", "kyber.batch-without-end"},
                                         Breach{"kyber-batch.toml", "kyber.batch", "kyber.reads-first"},
                                         Breach{"kyber-batch.toml", "kyber.turn", "kyber.batch-without-end"},
                                         Breach{"kyber-batch.toml", "kyber.order", "kyber.last-first"},
                                         Breach{"kyber-tokens.toml", "kyber.tokens", "kyber.token-invented"},
                                         Breach{"kyber-throttle.toml", "kyber.throttle", "kyber.target-of-reads"},
                                         Breach{"kyber-throttle.toml", "kyber.throttle", "kyber.always-congested"}));

}  // namespace
}  // namespace elvcheck
