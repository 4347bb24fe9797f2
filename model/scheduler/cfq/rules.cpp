// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/cfq/rules.hpp"

namespace elvcheck::cfq::rules {

const DecisionRule keep_queue{"cfq.select.keep", "The active queue has requests and slice left.", {"queue", "slice_left"}};
const DecisionRule keep_to_drain{"cfq.select.keep-to-drain",
                                 "The slice is over, but the group's only queue has requests inside and is worth idling on.",
                                 {"queue", "inside"}};
const DecisionRule wait_idle_timer{"cfq.select.wait-idle-timer", "The active queue is empty and is idled on.", {"queue"}};
const DecisionRule wait_in_flight{"cfq.select.wait-in-flight",
                                  "The active queue is empty, has requests inside, and is worth idling on.",
                                  {"queue", "inside"}};
const DecisionRule wait_group{"cfq.select.wait-group",
                              "The group's only queue is empty, and the group has requests inside.",
                              {"queue", "group_inside"}};
const DecisionRule select_next{
    "cfq.select.next", "The first queue of the served tree becomes active.", {"queue", "class", "type", "key"}};
const DecisionRule select_cooperator{
    "cfq.select.cooperator", "A queue whose next request is close becomes active.", {"queue"}};
const DecisionRule nothing_to_select{
    "cfq.select.nothing", "The served tree has no queue, or nothing is queued.", {"class", "type"}};

const DecisionRule workload_continues{
    "cfq.workload.continue", "The workload's slice is not over and its tree has queues.", {"class", "type", "left"}};
const DecisionRule workload_new{"cfq.workload.new",
                                "The type whose first key is the smallest is served for a new workload slice.",
                                {"class", "type", "slice"}};
const DecisionRule workload_idle_class{"cfq.workload.idle-class", "Only idle-class queues are busy.", {}};

const DecisionRule expire_slice_used{"cfq.expire.slice-used",
                                     "The slice was found to be over when a request was asked for.",
                                     {"queue", "residual", "charge"}};
const DecisionRule expire_wait_busy{
    "cfq.expire.wait-busy", "The request that the prolonged slice waited for has come.", {"queue", "residual", "charge"}};
const DecisionRule expire_nothing_queued{
    "cfq.expire.nothing-queued", "The queue is empty and nothing says to wait for it.", {"queue", "residual", "charge"}};
const DecisionRule expire_cooperator{
    "cfq.expire.cooperator", "The queue is empty and a close one takes over.", {"queue", "residual", "charge"}};
const DecisionRule expire_completion{"cfq.expire.completion",
                                     "The slice was found to be over when a request was completed.",
                                     {"queue", "residual", "charge"}};
const DecisionRule expire_preempted{"cfq.expire.preempted", "Another queue preempted it.", {"queue", "residual", "charge"}};
const DecisionRule expire_idle_timer{
    "cfq.expire.idle-timer", "The idle timer fired and no request had come.", {"queue", "residual", "charge"}};
const DecisionRule expire_async_quota{
    "cfq.expire.async-quota", "An async queue has dispatched as many as its level allows.", {"queue", "residual", "charge"}};
const DecisionRule expire_idle_class{
    "cfq.expire.idle-class", "An idle-class queue has dispatched one request.", {"queue", "residual", "charge"}};
const DecisionRule expire_forced{
    "cfq.expire.forced", "The scheduler was emptied by force.", {"queue", "residual", "charge"}};
const DecisionRule expire_exit{
    "cfq.expire.exit", "The last process of the queue has ended.", {"queue", "residual", "charge"}};
const DecisionRule expire_freed{
    "cfq.expire.freed", "Neither a process nor a request uses the queue any more.", {"queue", "residual", "charge"}};

const DecisionRule idle_armed{"cfq.idle.arm", "The idle timer is armed for the empty active queue.", {"queue", "wait"}};
const DecisionRule idle_armed_group{"cfq.idle.arm-group", "The idle timer is armed for the group.", {"queue", "wait"}};
const DecisionRule idle_cancelled{"cfq.idle.cancel", "The request that the idle timer waited for has come.", {"queue"}};
const DecisionRule idle_small_request{
    "cfq.idle.small-request",
    "A small request has come to a lone queue; it may wait for more until the timer fires.",
    {"queue"}};
const DecisionRule idle_fired_must_dispatch{
    "cfq.idle.fire-must-dispatch", "The idle timer fired on a queue that must dispatch.", {"queue"}};
const DecisionRule idle_fired_used{
    "cfq.idle.fire-slice-used", "The idle timer fired after the end of the slice.", {"queue"}};
const DecisionRule idle_fired_queued{
    "cfq.idle.fire-queued", "The idle timer fired on a queue that has requests.", {"queue"}};
const DecisionRule idle_fired_expire{"cfq.idle.fire", "The idle timer fired in vain: the queue is given up.", {"queue"}};
const DecisionRule idle_window_on{
    "cfq.idle-window.on", "The queue is worth idling on: it thinks briefly.", {"queue", "mean_think"}};
const DecisionRule idle_window_off{
    "cfq.idle-window.off", "The queue is not worth idling on.", {"queue", "mean_think", "seeky", "noidle"}};
const DecisionRule deep_seeky_stopped{
    "cfq.idle-window.deep-seeky", "A seeky queue that has used less than half of its slice is not idled on.", {"queue"}};
const DecisionRule wait_busy{"cfq.idle.wait-busy",
                             "The slice of the group's only queue is prolonged so that the group stays busy.",
                             {"queue", "until"}};

const DecisionRule preempt_idle_class{
    "cfq.preempt.idle-class", "Whatever comes preempts an idle-class queue.", {"queue", "preempted"}};
const DecisionRule preempt_async{"cfq.preempt.async", "A sync request preempts an async queue.", {"queue", "preempted"}};
const DecisionRule preempt_slice_used{"cfq.preempt.slice-used", "The active queue's slice is over.", {"queue", "preempted"}};
const DecisionRule preempt_rt{"cfq.preempt.rt", "An RT queue preempts another class.", {"queue", "preempted"}};
const DecisionRule preempt_noidle{
    "cfq.preempt.noidle", "A sync-noidle queue preempts an empty one.", {"queue", "preempted"}};
const DecisionRule preempt_urgent{
    "cfq.preempt.urgent", "An urgent request preempts a queue that has none.", {"queue", "preempted"}};
const DecisionRule preempt_unidled{
    "cfq.preempt.unidled", "The active queue is empty and is not idled on.", {"queue", "preempted"}};
const DecisionRule preempt_close{"cfq.preempt.close",
                                 "The request is close to the head while the active queue is idled on.",
                                 {"queue", "preempted", "distance"}};

const DecisionRule merge_scheduled{
    "cfq.merge.schedule", "Two queues with close requests are to become one.", {"queue", "into"}};
const DecisionRule merge_taken{
    "cfq.merge.take", "A process goes over to the queue that its own was merged into.", {"queue", "into"}};
const DecisionRule split_marked{"cfq.split.mark", "A shared queue has become seeky and is to be split.", {"queue"}};
const DecisionRule split_taken{"cfq.split.take", "A process leaves the shared queue for one of its own.", {"queue"}};
const DecisionRule split_undone{"cfq.split.keep", "The last process of a shared queue keeps it.", {"queue"}};

const DecisionRule dispatch_next{"cfq.dispatch.next", "The queue's next request by place.", {"queue", "inside", "in_slice"}};
const DecisionRule dispatch_expired{
    "cfq.dispatch.expired", "The queue's oldest request, which is expired.", {"queue", "inside", "in_slice", "late"}};
const DecisionRule dispatch_alias{"cfq.dispatch.alias", "A request went out because another came to its sector.", {"queue"}};
const DecisionRule dispatch_forced{
    "cfq.dispatch.forced", "A request went out because the scheduler was emptied by force.", {"queue"}};
const DecisionRule dispatch_refused{"cfq.dispatch.refused",
                                    "The active queue has enough inside the device, or must wait for others.",
                                    {"queue", "inside", "async_inside", "sync_inside"}};
const DecisionRule dispatch_bug{"cfq.dispatch.bug",
                                "An empty queue was selected: the kernel stops here (BUG_ON); the model gives the queue up.",
                                {"queue"}};
const DecisionRule delayed_sync{"cfq.async-ramp.reset",
                                "A sync request took longer than fifo_expire_sync: async depth starts at one.",
                                {"queue", "age"}};
const DecisionRule queueing_detected{
    "cfq.hw-tag", "The device was found to queue commands, or not to.", {"queues", "depth"}};

const DecisionRule yield_marked{
    "cfq.yield.mark", "The queue will let the process that its own waits for go first.", {"queue", "target"}};
const DecisionRule yield_refused{
    "cfq.yield.refuse", "Another reader lives on the sync-noidle tree: no yield.", {"queue", "target", "reader", "age"}};
const DecisionRule yield_taken{
    "cfq.yield.take", "The empty queue has yielded, and its target has requests.", {"queue", "target"}};
const DecisionRule yield_elsewhere{
    "cfq.yield.elsewhere", "The empty queue has yielded to a process of another group.", {"queue", "target"}};
const DecisionRule preempt_yield{
    "cfq.preempt.yield", "The process that the active queue has yielded to has come.", {"queue", "preempted"}};
const DecisionRule expire_yield{"cfq.expire.yield", "The queue has yielded.", {"queue", "residual", "charge"}};

const DecisionRule bind_new{"cfq.bind.new", "A process gets a queue.", {"queue", "sync", "class", "level"}};
const DecisionRule prio_boosted{"cfq.boost", "An urgent request lifts its queue.", {"queue", "class", "level"}};

namespace {
constexpr const DecisionRule* table[]{&keep_queue,
                                      &keep_to_drain,
                                      &wait_idle_timer,
                                      &wait_in_flight,
                                      &wait_group,
                                      &select_next,
                                      &select_cooperator,
                                      &nothing_to_select,
                                      &workload_continues,
                                      &workload_new,
                                      &workload_idle_class,
                                      &expire_slice_used,
                                      &expire_wait_busy,
                                      &expire_nothing_queued,
                                      &expire_cooperator,
                                      &expire_completion,
                                      &expire_preempted,
                                      &expire_idle_timer,
                                      &expire_async_quota,
                                      &expire_idle_class,
                                      &expire_forced,
                                      &expire_exit,
                                      &expire_freed,
                                      &idle_armed,
                                      &idle_armed_group,
                                      &idle_cancelled,
                                      &idle_small_request,
                                      &idle_fired_must_dispatch,
                                      &idle_fired_used,
                                      &idle_fired_queued,
                                      &idle_fired_expire,
                                      &idle_window_on,
                                      &idle_window_off,
                                      &deep_seeky_stopped,
                                      &wait_busy,
                                      &preempt_idle_class,
                                      &preempt_async,
                                      &preempt_slice_used,
                                      &preempt_rt,
                                      &preempt_noidle,
                                      &preempt_urgent,
                                      &preempt_unidled,
                                      &preempt_close,
                                      &merge_scheduled,
                                      &merge_taken,
                                      &split_marked,
                                      &split_taken,
                                      &split_undone,
                                      &dispatch_next,
                                      &dispatch_expired,
                                      &dispatch_alias,
                                      &dispatch_forced,
                                      &dispatch_refused,
                                      &dispatch_bug,
                                      &delayed_sync,
                                      &queueing_detected,
                                      &yield_marked,
                                      &yield_refused,
                                      &yield_taken,
                                      &yield_elsewhere,
                                      &preempt_yield,
                                      &expire_yield,
                                      &bind_new,
                                      &prio_boosted};
}  // namespace

std::span<const DecisionRule* const> all() { return table; }

}  // namespace elvcheck::cfq::rules
