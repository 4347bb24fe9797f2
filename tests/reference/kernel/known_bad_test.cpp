// SPDX-License-Identifier: GPL-2.0-or-later
// Known-bad edits of the installed tree's schedulers: each is caught, by the property that is named, with a small case that
// replays, and the same case passes on the tree as it is. Bugs of the mailing lists are named by their mail; of those about
// bfq's groups none is here, since the harness builds bfq without them, and the reset of requests inserted at the head is
// the tree's own state.
#include <algorithm>

#include "properties/minimize.hpp"
#include "reference/kernel/campaign.hpp"
#include "tests/reference/kernel/edit.hpp"

namespace elvcheck::kernel {
namespace {

using Kind = Edit::Kind;

struct KnownBad {
  const char* name;
  const char* scheduler;
  Edit edit;
  const char* property;  ///< that catches it
};

std::ostream& operator<<(std::ostream& out, const KnownBad& bad) { return out << bad.name; }

class KnownBadEdit : public testing::TestWithParam<KnownBad> {};

TEST_P(KnownBadEdit, IsCaughtByASmallCase) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  const KnownBad& bad = GetParam();
  const SchedulerInfo* model = model_for(bad.scheduler, tree.version);
  if (model == nullptr) GTEST_SKIP() << "there is no model of " << bad.scheduler;
  const TemporaryFolder folder;
  const KernelTree changed = edited(tree, folder, bad.edit);
  KernelSet base(tree, tree, bad.scheduler, test_options());
  KernelSet patched(tree, changed, bad.scheduler, test_options());
  CampaignPlan plan;
  plan.base = &base;
  plan.changed = &patched;
  plan.model = model;
  plan.devices = {{"flat", {}}, {"seek", {}}};
  for (const auto& file : std::filesystem::directory_iterator(ELVCHECK_TEST_CASES)) {
    Scenario scenario = read_case(file.path()).scenario;
    if (!fits_model(scenario, *model)) continue;
    scenario.scheduler = model->name;
    plan.cases.push_back(std::move(scenario));
  }
  plan.streams = 400;
  plan.glob = bad.property;
  plan.minimize_runs = 400;
  plan.limits.cpu_for_each = std::chrono::milliseconds(1000);
  plan.limits.jobs = 2;
  const CampaignOutcome outcome = run_campaign(plan);
  for (const CampaignRow& row : outcome.rows) EXPECT_EQ(row.base.violated, 0U) << "the tree as it is: " << row.property;
  // Code that goes wrong may break what the harness itself watches (hangs, crashes) beside the property.
  const auto found = std::find_if(outcome.findings.begin(), outcome.findings.end(),
                                  [&](const Finding& each) { return each.property == bad.property; });
  ASSERT_NE(found, outcome.findings.end());
  const Finding& finding = *found;
  EXPECT_TRUE(finding.alone);
  const ScenarioSize size = size_of(finding.scenario);
  EXPECT_LE(size.ops, 12U) << finding.rule << ": " << finding.message;
  EXPECT_TRUE(violates_on_kernel(patched, finding.scenario, finding.property, finding.rule, plan.limits));
  EXPECT_FALSE(violates_on_kernel(base, finding.scenario, finding.property, finding.rule, plan.limits));
  RecordProperty("rule", finding.rule);
  RecordProperty("size", finding.size);
}

constexpr const char* deadline = "block/mq-deadline.c";
constexpr const char* kyber = "block/kyber-iosched.c";
constexpr const char* bfq = "block/bfq-iosched.c";
constexpr const char* wf2q = "block/bfq-wf2q.c";

INSTANTIATE_TEST_SUITE_P(
    Decisions, KnownBadEdit,
    testing::Values(
        KnownBad{"BatchOneMore",
                 "mq-deadline",
                 {deadline, "__dd_dispatch_request", Kind::token, "<", "<="},
                 "deadline.writes-starved"},
        KnownBad{"BatchNeverEnds",
                 "mq-deadline",
                 {deadline, "__dd_dispatch_request", Kind::token, "fifo_batch", "fifo_batch + 1000000"},
                 "deadline.writes-starved"},
        KnownBad{"WritesStarve",
                 "mq-deadline",
                 {deadline, "__dd_dispatch_request", Kind::token, "writes_starved", "writes_starved + 1000000"},
                 "deadline.writes-starved"},
        KnownBad{"ExpiryNeverSeen",
                 "mq-deadline",
                 {deadline, "deadline_check_fifo", Kind::begin, "", "return 0;"},
                 "tunable.effect"},
        KnownBad{"FifoBatchHasNoEffect",
                 "mq-deadline",
                 {deadline, "__dd_dispatch_request", Kind::token, "fifo_batch", "fifo_batch * 0 + 16"},
                 "tunable.effect"},
        KnownBad{"AgedNeverServed",
                 "mq-deadline",
                 {deadline, "dd_dispatch_prio_aged_requests", Kind::begin, "", "return NULL;"},
                 "mq-deadline.aging"},
        KnownBad{"LowerClassFirst",
                 "mq-deadline",
                 {deadline, "dd_dispatch_prio_aged_requests", Kind::token, "prio_aging_expire", "prio_aging_expire * 0"},
                 "mq-deadline.priority"},
        KnownBad{"DepthLimitForgotten",
                 "mq-deadline",
                 {deadline, "dd_limit_depth", Kind::begin, "", "return;"},
                 "tunable.effect"},
        KnownBad{"FrontMergesAlways",
                 "mq-deadline",
                 {deadline, "dd_request_merge", Kind::token, "front_merges", "fifo_batch"},
                 "tunable.effect"},
        KnownBad{"WorkNeverSeen",
                 "mq-deadline",
                 {deadline, "dd_has_work", Kind::begin, "", "return false;"},
                 "operations.answered"},
        // Linux-block 57b197f2.440d.1896e5d2c48.Coremail.zbsdta@126.com: fifo_expire_sync has no effect.
        KnownBad{"BfqFifoNeverExpires", "bfq", {bfq, "bfq_check_fifo", Kind::begin, "", "return NULL;"}, "tunable.effect"},
        KnownBad{"BfqNeverIdles", "bfq", {bfq, "bfq_better_to_idle", Kind::begin, "", "return false;"}, "tunable.effect"},
        KnownBad{"BfqSlicesNeverTimeOut",
                 "bfq",
                 {bfq, "bfq_bfqq_budget_timeout", Kind::begin, "", "return false;"},
                 "tunable.effect"},
        KnownBad{"BfqWeightsAreAlike", "bfq", {wf2q, "bfq_ioprio_to_weight", Kind::begin, "", "return 40;"}, "bfq.shares"},
        KnownBad{"BfqDistanceIgnored",
                 "bfq",
                 {bfq, "bfq_choose_req", Kind::token, "bfq_back_max", "bfq_back_max * 0"},
                 "tunable.effect"},
        KnownBad{"BfqWorkNeverSeen", "bfq", {bfq, "bfq_has_work", Kind::begin, "", "return false;"}, "operations.answered"},
        KnownBad{"KyberWorkNeverSeen",
                 "kyber",
                 {kyber, "kyber_has_work", Kind::begin, "", "return false;"},
                 "operations.answered"},
        KnownBad{"KyberNeverThrottles", "kyber", {kyber, "kyber_timer_fn", Kind::begin, "", "return;"}, "tunable.effect"}),
    [](const auto& given) { return std::string(given.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Safety, KnownBadEdit,
    testing::Values(
        KnownBad{"LockKeptAfterDispatch",
                 "mq-deadline",
                 {deadline, "dd_dispatch_request", Kind::call, "spin_unlock", "(void)0"},
                 "kernel.locks"},
        KnownBad{
            "QueueDataLeaked", "mq-deadline", {deadline, "dd_exit_sched", Kind::call, "kfree", "(void)0"}, "kernel.no-leak"},
        KnownBad{
            "EndlessLoop", "mq-deadline", {deadline, "dd_dispatch_request", Kind::begin, "", "for (;;);"}, "kernel.no-hang"},
        KnownBad{"NullIsWritten",
                 "mq-deadline",
                 {deadline, "dd_finish_request", Kind::begin, "", "*(volatile int *)rq->bio = 0;"},
                 "kernel.no-crash"},
        KnownBad{"NeverInTheTree",
                 "mq-deadline",
                 {deadline, "deadline_add_rq_rb", Kind::call, "elv_rb_add", "(void)root"},
                 "kernel.no-bug"},
        KnownBad{"Warns",
                 "mq-deadline",
                 {deadline, "dd_insert_request", Kind::begin, "", "WARN_ON(at_head == 0);"},
                 "kernel.no-warning"},
        KnownBad{
            "BfqLostOnInsertion", "bfq", {bfq, "bfq_add_request", Kind::call, "elv_rb_add", "(void)0"}, "kernel.no-bug"},
        KnownBad{
            "BfqLockKept", "bfq", {bfq, "bfq_dispatch_request", Kind::call, "spin_unlock_irq", "(void)0"}, "kernel.locks"},
        KnownBad{"KyberLockKept",
                 "kyber",
                 {kyber, "kyber_dispatch_request", Kind::call, "spin_unlock", "(void)0"},
                 "kernel.locks"}),
    [](const auto& given) { return std::string(given.param.name); });

}  // namespace
}  // namespace elvcheck::kernel
