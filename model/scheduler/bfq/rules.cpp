// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/bfq/rules.hpp"

#include <array>

namespace elvcheck::bfq {

namespace rules {
const DecisionRule select{"bfq.select", "A queue is put in service.", {"pid", "budget_sectors", "weight", "wr_coeff"}};
const DecisionRule stamps{"bfq.stamps",
                          "The time stamps with which it was chosen, and its tree's virtual time.",
                          {"pid", "start", "finish", "vtime"}};
const DecisionRule expire{
    "bfq.expire",
    "A slot ends; reason 0 too idle, 1 budget timeout, 2 budget exhausted, 3 no more requests, 4 preempted.",
    {"pid", "reason", "service_sectors", "max_budget_sectors"}};
const DecisionRule preempt{"bfq.preempt",
                           "A newly busy queue ends the slot of the one in service.",
                           {"pid", "preempted_pid", "resumed_budget", "higher_class_or_weight"}};
const DecisionRule resume_budget{"bfq.resume-budget",
                                 "A queue came back in time and goes on with what is left of its budget.",
                                 {"pid", "budget_sectors"}};
const DecisionRule idle_armed{"bfq.idle-armed", "The device idles for the queue in service.", {"pid", "slice_idle_ns"}};
const DecisionRule idle_fired{"bfq.idle-fired", "Nothing came in time.", {"pid"}};
const DecisionRule raised{"bfq.raised",
                          "A queue's weight is raised; kind 0 interactive, 1 soft real-time, 2 asynchronous.",
                          {"pid", "kind", "wr_coeff", "duration_jiffies"}};
const DecisionRule raise_ended{"bfq.raise-ended", "Weight raising ends.", {"pid"}};
const DecisionRule large_burst{
    "bfq.large-burst", "A queue belongs to a large burst of new queues and is not raised.", {"pid", "burst_size"}};
const DecisionRule merge_scheduled{
    "bfq.merge-scheduled", "A queue is to be merged into another.", {"pid", "into_pid", "processes"}};
const DecisionRule merged{"bfq.merged", "A process was moved to another queue.", {"pid", "into_pid"}};
const DecisionRule split{"bfq.split", "A process leaves a shared queue.", {"pid", "was_alone"}};
const DecisionRule waker_found{"bfq.waker-found", "A queue is known to wake another.", {"pid", "waker_pid"}};
const DecisionRule injected{
    "bfq.injected",
    "A request of another queue is served while the one in service is empty; why 0 own async queue, 1 "
    "waker, 2 woken queue, 3 scan.",
    {"pid", "in_service_pid", "why", "inject_limit"}};
const DecisionRule time_charged{
    "bfq.time-charged", "A slow queue is charged for its time.", {"pid", "extra_sectors", "time_ms"}};
const DecisionRule fifo_expired{"bfq.fifo-expired", "An expired request goes before the next by sector.", {"pid"}};
const DecisionRule peak_rate{"bfq.peak-rate",
                             "The device's rate was estimated anew, in 2^-16 sectors a microsecond.",
                             {"peak_rate", "max_budget_sectors"}};
const DecisionRule head_inserted{"bfq.head-inserted", "A request inserted at the head goes before everything else."};
}  // namespace rules

std::span<const DecisionRule* const> rule_table() {
  using namespace rules;
  static constexpr std::array<const DecisionRule*, 19> table{
      &select,   &stamps,       &expire,       &preempt,         &resume_budget, &idle_armed, &idle_fired,
      &raised,   &raise_ended,  &large_burst,  &merge_scheduled, &merged,        &split,      &waker_found,
      &injected, &time_charged, &fifo_expired, &peak_rate,       &head_inserted};
  return table;
}

}  // namespace elvcheck::bfq
