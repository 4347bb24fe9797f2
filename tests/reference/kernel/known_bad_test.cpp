// SPDX-License-Identifier: GPL-2.0-or-later
// Known-bad edits of the installed tree's schedulers, made here at test time: each is caught, by the property that is named, with a
// small case; the same case passes on the tree as it is.
#include "reference/kernel/campaign.hpp"
#include "tests/reference/kernel/support.hpp"

namespace elvcheck::kernel {
namespace {

struct KnownBad {
  const char* name;
  const char* scheduler;
  const char* file;
  const char* function;  ///< whose call is replaced
  const char* to;
  const char* property;  ///< that catches it
  int occurrence = 1;
};

std::ostream& operator<<(std::ostream& out, const KnownBad& bad) { return out << bad.name; }

class KnownBadEdit : public testing::TestWithParam<KnownBad> {};

TEST_P(KnownBadEdit, IsCaughtByASmallCase) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  const KnownBad& bad = GetParam();
  const SchedulerInfo* model = model_for(bad.scheduler, tree.version);
  if (model == nullptr) GTEST_SKIP() << "there is no model of " << bad.scheduler;
  const TemporaryFolder folder;
  const KernelTree changed = edited(tree, folder, bad.file, bad.function, bad.to, bad.occurrence);
  BuildOptions options = test_options();
  KernelSet base(tree, tree, bad.scheduler, options);
  KernelSet patched(tree, changed, bad.scheduler, options);
  CampaignPlan plan;
  plan.base = &base;
  plan.changed = &patched;
  plan.model = model;
  plan.devices = {{"flat", {}}, {"seek", {}}};
  plan.streams = 60;
  plan.shrink_budget = 120;
  plan.limits.cpu_for_each = std::chrono::milliseconds(1000);
  const CampaignOutcome outcome = run_campaign(plan);
  std::string found;
  for (const Finding& finding : outcome.findings) {
    found += finding.property + " (" + finding.rule + "): " + finding.message + "\n";
    if (finding.property == bad.property) {
      std::size_t steps = 0;
      for (const ProcessSpec& process : finding.scenario.processes) steps += process.ops.size();
      EXPECT_LE(steps, 20U);
    }
  }
  EXPECT_TRUE(std::any_of(outcome.findings.begin(), outcome.findings.end(),
                          [&](const Finding& finding) { return finding.property == bad.property; }))
      << "caught by:\n" << found;
}

constexpr const char* deadline = "block/mq-deadline.c";
constexpr const char* bfq_file = "block/bfq-iosched.c";

INSTANTIATE_TEST_SUITE_P(
    , KnownBadEdit,
    testing::Values(
        KnownBad{"LockKeptAfterDispatch", "mq-deadline", deadline, "spin_unlock", "(void)0", "kernel.locks"},
        KnownBad{"QueueDataLeaked", "mq-deadline", deadline, "kfree", "(void)0", "kernel.no-leak"},
        KnownBad{"EndlessLoopInDispatch", "mq-deadline", deadline, "lockdep_assert_held", "if (dd->starved) for (;;)",
                 "kernel.no-hang", 3},
        KnownBad{"ExpiryNeverSeen", "mq-deadline", deadline, "time_after_eq", "(0)", "tunable.effect"},
        KnownBad{"DepthLimitForgotten", "mq-deadline", deadline, "dd_to_word_depth", "0", "tunable.effect", 2},
        KnownBad{"NeverInTheTree", "mq-deadline", deadline, "elv_rb_add", "(void)root", "kernel.no-bug"},
        KnownBad{"QueueReferenceKept", "bfq", bfq_file, "bfq_put_queue", "(void)0", "kernel.no-leak"},
        KnownBad{"LostOnInsertion", "bfq", bfq_file, "elv_rb_add", "(void)0", "kernel.no-bug"},
        KnownBad{"LockKept", "bfq", bfq_file, "spin_unlock_irq", "(void)0", "kernel.locks", 6},
        KnownBad{"WorkNeverSeen", "bfq", bfq_file, "READ_ONCE", "0", "conservation"}),
    [](const auto& given) { return std::string(given.param.name); });

}  // namespace
}  // namespace elvcheck::kernel
