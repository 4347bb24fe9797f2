// SPDX-License-Identifier: GPL-2.0-or-later
// Models against the kernels' own code on random streams: what the model hands to the device, the kernel does, at the same
// time. Expected values: the kernel's run. `elvcheck conform` does the same on as many streams as one likes.
#include "reference/kernel/conform.hpp"

#include <algorithm>
#include <set>

#include "tests/reference/kernel/support.hpp"

namespace elvcheck::kernel {
namespace {

struct Subject {
  const char* scheduler;
  const char* tree;
};
void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.scheduler << " of " << subject.tree; }

ConformPlan plan_for(KernelSet& kernel, const Subject& subject, std::uint64_t cases) {
  ConformPlan plan;
  plan.kernel = &kernel;
  plan.model = model_for(subject.scheduler, subject.tree);
  plan.devices = conform_devices();
  plan.seed = 20;
  plan.cases = cases;
  return plan;
}

class Conform : public testing::TestWithParam<Subject> {};

// 520 streams: each device has its hundredth, which is a long one for kyber.
TEST_P(Conform, EveryStreamIsExact) {
  const auto tree = installed_tree(GetParam().tree);
  if (!tree) GTEST_SKIP() << "no kernel source: the Debian package linux-source-" << GetParam().tree << " is not installed";
  KernelSet kernel(*tree, *tree, GetParam().scheduler, test_options());
  const ConformOutcome outcome = conform(plan_for(kernel, GetParam(), 520));
  EXPECT_EQ(outcome.streams, 520U);
  EXPECT_EQ(outcome.exact, outcome.streams) << outcome.difference;
}

INSTANTIATE_TEST_SUITE_P(, Conform,
                         testing::Values(Subject{"none", "6.1"}, Subject{"mq-deadline", "6.1"},
                                         Subject{"mq-deadline", "6.12"}, Subject{"kyber", "6.1"}, Subject{"kyber", "6.12"}),
                         [](const auto& parameter) {
                           std::string name = std::string(parameter.param.scheduler) + "_" + parameter.param.tree;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

// The comparison must be able to fail.
TEST(ConformTest, APlantedBugIsSeen) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  const Subject subject{"kyber", "6.1"};
  KernelSet kernel(tree, tree, subject.scheduler, test_options());
  const ConformPlan plan = plan_for(kernel, subject, 1);
  std::uint64_t different = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    Scenario scenario = conform_scenario(plan, i);
    scenario.mutant = "kyber.batch-without-end";
    different += conforms(kernel, scenario) ? 0 : 1;
  }
  EXPECT_GT(different, 0U);
}

// What the streams are made of: every tunable of the scheduler, several devices, few requests, refusals, flushes.
TEST(ConformTest, StreamsVaryInEverythingThatTheSchedulerSees) {
  for (const char* name : {"none-6.1", "mq-deadline-6.1", "kyber-6.1", "bfq-6.1"}) {
    ConformPlan plan;
    plan.model = find_scheduler(name);
    plan.devices = conform_devices();
    std::set<std::string> tunables;
    std::set<unsigned> requests;
    bool refuses = false;
    bool flushes = false;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const Scenario scenario = conform_scenario(plan, i);
      for (const NamedValue& value : scenario.tunables) tunables.insert(value.name);
      requests.insert(scenario.block.nr_requests);
      refuses = refuses || scenario.block.refuse_every != 0;
      for (const ProcessSpec& process : scenario.processes) {
        for (const ProcessOp& op : process.ops) flushes = flushes || op.kind == ProcessOp::Kind::fsync;
      }
    }
    const auto in_sysfs = std::count_if(plan.model->tunables.begin(), plan.model->tunables.end(),
                                        [](const TunableInfo& info) { return !info.feature; });
    EXPECT_EQ(static_cast<std::ptrdiff_t>(tunables.size()), in_sysfs) << name;
    EXPECT_GE(requests.size(), 5U) << name;
    EXPECT_TRUE(refuses && flushes) << name;
  }
}

// kyber changes a depth after 500 latencies at the earliest, and a change matters once tokens run out.
TEST(ConformTest, LongStreamsExhaustTokensOfKyber) {
  class Throttled final : public TraceListener {
   public:
    void on_event(const TraceEvent& event) override {
      seen = seen || (event.rule != nullptr && std::string_view(event.rule->name) == "kyber.throttled");
    }
    bool seen = false;
  };
  ConformPlan plan;
  plan.model = find_scheduler("kyber-6.1");
  plan.devices = conform_devices();
  unsigned count = 0;
  for (std::uint64_t round = 99; round < 1000; round += 100) {
    for (std::uint64_t device = 0; device < plan.devices.size(); ++device) {
      Machine machine(conform_scenario(plan, round * plan.devices.size() + device));
      Throttled throttled;
      machine.trace().add(throttled);
      machine.run();
      count += throttled.seen ? 1 : 0;
    }
  }
  EXPECT_GE(count, 5U) << "of 50";
}

}  // namespace
}  // namespace elvcheck::kernel
