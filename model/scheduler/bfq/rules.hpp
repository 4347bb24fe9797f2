// SPDX-License-Identifier: GPL-2.0-or-later
// The decisions that BFQ reports. Queues are named by the pid of their process (-1: shared), as in the kernel's own log.
#pragma once

#include <span>

#include "model/core/trace.hpp"

namespace elvcheck::bfq {

namespace rules {
extern const DecisionRule select;
extern const DecisionRule stamps;
extern const DecisionRule expire;
extern const DecisionRule preempt;
extern const DecisionRule resume_budget;
extern const DecisionRule idle_armed;
extern const DecisionRule idle_fired;
extern const DecisionRule raised;
extern const DecisionRule raise_ended;
extern const DecisionRule large_burst;
extern const DecisionRule merge_scheduled;
extern const DecisionRule merged;
extern const DecisionRule split;
extern const DecisionRule waker_found;
extern const DecisionRule injected;
extern const DecisionRule time_charged;
extern const DecisionRule fifo_expired;
extern const DecisionRule peak_rate;
extern const DecisionRule head_inserted;
}  // namespace rules

std::span<const DecisionRule* const> rule_table();

}  // namespace elvcheck::bfq
