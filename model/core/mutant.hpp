// SPDX-License-Identifier: GPL-2.0-or-later
// Planted bugs: named slips in the models, to test the properties. Off unless a scenario asks for one by name.
//
// A new planted bug is one line in the table below and one `planted(Mutant::...)` where the slip would be made. The switch
// is a thread-local number, so with every bug off a decision costs one comparison. It is asked where the slip would change
// something, after the conditions that lead there.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace elvcheck {

// X(identifier, "name", "what the slip is, in one sentence")
#define ELVCHECK_MUTANTS(X)                                                                                                 \
  X(noop_last_first, "noop.last-first", "noop inserts at the head of its list")                                             \
  X(deadline_batch_one_more, "deadline.batch-one-more", "a batch has fifo_batch + 1 requests")                              \
  X(deadline_batch_wraps, "deadline.batch-wraps", "behind the last sector a batch goes on at the first")                    \
  X(deadline_fifo_batch_ignored, "deadline.fifo-batch-ignored", "batches have 16 requests, whatever fifo_batch says")       \
  X(deadline_starved_never_counted, "deadline.starved-never-counted", "passing over waiting writes is not counted")         \
  X(deadline_starved_never_reset, "deadline.starved-never-reset",                                                           \
    "a batch of writes does not end the count of those passed over")                                                        \
  X(deadline_writes_starved_ignored, "deadline.writes-starved-ignored",                                                     \
    "reads may pass waiting writes 16 times, whatever writes_starved says")                                                 \
  X(deadline_expiry_of_other_list, "deadline.expiry-of-other-list",                                                         \
    "whether a direction is expired is read from the other one's list")                                                     \
  X(deadline_expiry_ignored, "deadline.expiry-ignored", "no request is ever seen to be past its deadline")                  \
  X(deadline_read_expire_ignored, "deadline.read-expire-ignored", "reads get the deadline of writes")                       \
  X(deadline_not_inherited, "deadline.merge-forgets-deadline",                                                              \
    "a request that absorbs an older one keeps its own, later deadline")                                                    \
  X(deadline_front_merges_ignored, "deadline.front-merges-ignored",                                                         \
    "front merges are looked for even if front_merges is 0")                                                                \
  X(mq_deadline_aging_ignored, "mq-deadline.aging-ignored", "the aging pass is never entered")                              \
  X(mq_deadline_async_depth_ignored, "mq-deadline.async-depth-ignored", "limit_depth sets no limit")                        \
  X(mq_deadline_depth_of_each_word, "mq-deadline.depth-of-each-word",                                                       \
    "async_depth is not scaled to the words of the tag map, so that each word allows as much")                              \
  X(mq_deadline_priority_inverted, "mq-deadline.priority-inverted", "the lowest class is asked first")                      \
  X(mq_deadline_merged_stays_owned, "mq-deadline.merged-stays-owned",                                                       \
    "a request absorbed by a merge is never counted as finished")                                                           \
  X(cfq_rt_waits, "cfq.rt-waits", "realtime queues are looked for after best-effort ones")                                  \
  X(cfq_rt_does_not_preempt, "cfq.rt-does-not-preempt", "a realtime queue does not preempt another class")                  \
  X(cfq_best_effort_waits, "cfq.best-effort-waits", "best-effort queues are looked for after those of the idle class")      \
  X(cfq_idle_class_unlimited, "cfq.idle-class-unlimited", "an idle-class queue may have as many inside as any other")       \
  X(cfq_async_not_preempted, "cfq.async-not-preempted", "a sync request does not preempt an async queue")                   \
  X(cfq_quantum_ignored, "cfq.quantum-ignored", "a queue may have any number of requests inside the device")                \
  X(cfq_quantum_one_more, "cfq.quantum-one-more", "a queue may have quantum + 1 requests inside the device")                \
  X(cfq_async_quota_ignored, "cfq.async-quota-ignored", "an async slice has no limit of requests")                          \
  X(cfq_async_quota_of_best, "cfq.async-quota-of-best", "every async queue has the quota of level 0")                       \
  X(cfq_async_ramp_ignored, "cfq.async-ramp-ignored", "async depth does not start small after a delay")                     \
  X(cfq_fifo_never_checked, "cfq.fifo-never-checked", "no request is ever seen to be expired")                              \
  X(cfq_fifo_always_expired, "cfq.fifo-always-expired", "the oldest request of a slice is always taken for expired")        \
  X(cfq_fifo_of_other_kind, "cfq.fifo-of-other-kind", "sync requests get the expiry time of async ones, and the reverse")   \
  X(cfq_idles_twice_as_long, "cfq.idles-twice-as-long", "the idle timer waits for twice slice_idle and a bit")              \
  X(cfq_idle_timer_does_not_kick, "cfq.idle-timer-does-not-kick", "an idle timer that fires in vain runs no queue")         \
  X(cfq_completion_does_not_count, "cfq.completion-does-not-count", "requests that are completed stay counted as inside")   \
  X(cfq_close_is_far, "cfq.close-is-far", "requests 32 times as far from the head count as close")                          \
  X(cfq_slice_of_level_4, "cfq.slice-of-level-4", "every queue has the slice of level 4")                                   \
  X(cfq_slice_levels_inverted, "cfq.slice-levels-inverted", "a worse level has a longer slice")                             \
  X(cfq_weight_ignored, "cfq.weight-ignored", "every cgroup is charged as if its weight were 500")                          \
  X(cfq_group_not_charged, "cfq.group-not-charged", "the last slice of a queue is not charged to its group")                \
  X(cfq_yield_forgets_target, "cfq.yield-forgets-target", "a yield is marked, and nobody is let in")                        \
  X(cfq_alias_lost, "cfq.alias-lost", "a request put out by another at its sector is forgotten")                            \
  X(cfq_slice_never_ends, "cfq.slice-never-ends", "a slice is over only when its queue has nothing to send")                \
  X(kyber_batch_without_end, "kyber.batch-without-end", "a batch goes on as long as its domain has requests")               \
  X(kyber_reads_first, "kyber.reads-first", "after a batch the domains are asked from reads on, whoever had the last one")  \
  X(kyber_last_first, "kyber.last-first", "a request is inserted at the head of its domain's list")                         \
  X(kyber_async_depth_ignored, "kyber.async-depth-ignored", "asynchronous requests may take all tags")                      \
  X(kyber_token_invented, "kyber.token-invented", "a request is handed out without a token where none is left")             \
  X(kyber_token_kept, "kyber.token-kept", "a finished request keeps its token")                                             \
  X(kyber_target_of_reads, "kyber.target-of-reads", "writes are held against the latency target of reads")                  \
  X(kyber_always_congested, "kyber.always-congested", "domains are throttled whatever the I/O latency is")                  \
  X(merge_over_max_sectors, "merge.over-max-sectors", "a bio is merged whatever length the request has")                    \
  X(merge_requests_over_max_sectors, "merge.requests-over-max-sectors",                                                     \
    "two requests are merged whatever length they have together")                                                           \
  X(merge_over_max_segments, "merge.over-max-segments", "a bio is merged whatever number of segments the request has")      \
  X(merge_drops_bio, "merge.drops-bio", "an appended bio is not linked to those before it")                                 \
  X(merge_ignores_ioprio, "merge.ignores-ioprio", "blk-mq merges a bio into a request of another priority")                 \
  X(flush_fsync_sends_nothing, "flush.fsync-sends-nothing", "a bare FLUSH is answered without a command")                   \
  X(flush_answers_latecomers, "flush.answers-latecomers", "a flush command answers also those that came after it was sent") \
  X(flush_fua_not_flushed, "flush.fua-not-flushed", "an FUA write is not followed by a flush on a device without FUA")      \
  X(block_requeue_lost, "block.requeue-lost", "a request that the driver refuses is forgotten")                             \
  X(block_refusal_not_retried, "block.refusal-not-retried", "after a refusal the queue is not run again by itself")         \
  X(block_plug_kept_at_sleep, "block.plug-kept-at-sleep", "a task that goes to sleep keeps its plugged requests")           \
  X(single_queue_unplug_timer_lost, "single-queue.unplug-timer-lost", "the 3 ms timer of a plugged queue is not started")   \
  X(single_queue_wake_forgotten, "single-queue.wake-forgotten", "a freed request wakes nobody")                             \
  X(single_queue_nr_requests_ignored, "single-queue.nr-requests-ignored", "requests are allocated without limit")           \
  X(tags_wake_forgotten, "tags.wake-forgotten", "a freed tag wakes nobody")                                                 \
  X(multi_queue_absorbed_keeps_tag, "multi-queue.absorbed-keeps-tag",                                                       \
    "the tag of a request that a merge absorbed is not freed")                                                              \
  X(multi_queue_insertion_not_run, "multi-queue.insertion-not-run", "an insertion outside a plug does not run the queue")   \
  X(multi_queue_restart_forgotten, "multi-queue.restart-forgotten",                                                         \
    "a queue marked for restart is not run when a request is freed")                                                        \
  X(multi_queue_one_tag_too_many, "multi-queue.one-tag-too-many", "there is one driver tag more than the device takes")     \
  X(fifo_flush_keeps_dirty, "fifo-device.flush-keeps-dirty", "a flush leaves the cache as it is")                           \
  X(fifo_fua_in_cache, "fifo-device.fua-in-cache", "an FUA write stays in the cache")                                       \
  X(seek_free_transfer, "seek.free-transfer", "transfers take no time")                                                     \
  X(rotational_estimate_without_overhead, "rotational.estimate-without-overhead",                                           \
    "the choice of the next command leaves out its overhead")                                                               \
  X(rotational_write_without_overhead, "rotational.write-without-overhead", "a cached write has no overhead")               \
  X(rotational_flush_early, "rotational.flush-early", "a flush does not wait for what is being destaged")                   \
  X(ssd_erases_live_block, "ssd.erases-live-block", "collection erases its victim without moving what is live")             \
  X(ssd_old_place_lives, "ssd.old-place-lives", "rewriting a slot leaves its old place live")                               \
  X(ssd_flush_early, "ssd.flush-early", "a flush waits for the first slot to reach the flash only")                         \
  X(ssd_read_skips_link, "ssd.read-skips-link", "data of reads cross the host link in no time")                             \
  X(array_write_at_once, "array.write-at-once", "a write has no latency but that of the link")                              \
  X(readahead_not_capped, "readahead.not-capped", "a window of 6.1 that takes in its successor is not cut to the limit")    \
  X(readahead_window_shifted, "readahead.window-shifted", "a window begins one page behind the page that asked for it")     \
  X(readahead_forgets_previous, "readahead.forgets-previous",                                                               \
    "the position of the last read is not kept, so that neighbours look like strangers")                                    \
  X(readahead_never_grows, "readahead.never-grows", "a window that follows another one has four pages")                     \
  X(readahead_mark_stays, "readahead.mark-stays", "a readahead mark that was reached is not taken off")                     \
  X(page_cache_reads_cached, "page-cache.reads-cached", "readahead asks for pages that are cached already")                 \
  X(page_cache_does_not_wait, "page-cache.does-not-wait", "a page is used while it is still being read")                    \
  X(inode_window_one_less, "inode.window-one-less", "the window of an inode table ends one block too early")                \
  X(readdir_at_half_the_speed, "readdir.at-half-the-speed", "readdir readahead v2 advances one page a call")                \
  X(readdir_batch_too_short, "readdir.batch-too-short", "a batch of readdir readahead v2 leaves out its last page")         \
  X(readdir_logical_for_physical, "readdir.logical-for-physical",                                                           \
    "readdir readahead v2 takes a block of the directory for a block of the device")

/// Identifies a planted bug; `none` is the correct model.
enum class Mutant : std::uint8_t {
  none,
#define X(identifier, name, statement) identifier,
  ELVCHECK_MUTANTS(X)
#undef X
};

struct MutantInfo {
  Mutant mutant;
  const char* name;
  const char* statement;
};

/// Every planted bug, in the order of the table.
std::span<const MutantInfo> mutants();
/// The one of that name, or null.
const MutantInfo* find_mutant(std::string_view name);

namespace detail {
inline thread_local Mutant planted_mutant = Mutant::none;
inline thread_local bool planted_mutant_reached = false;
}  // namespace detail

/// Whether this bug is planted in the present thread.
inline bool planted(Mutant mutant) {
  if (detail::planted_mutant != mutant) return false;
  detail::planted_mutant_reached = true;
  return true;
}

/// Whether the code of a planted bug was run in this thread since forget_reached_mutant(). Where it was not, nothing has
/// changed.
inline bool mutant_reached() { return detail::planted_mutant_reached; }
inline void forget_reached_mutant() { detail::planted_mutant_reached = false; }

/// Plants a bug while it lives.
class PlantMutant {
 public:
  explicit PlantMutant(Mutant mutant) : before_(detail::planted_mutant) { detail::planted_mutant = mutant; }
  ~PlantMutant() { detail::planted_mutant = before_; }
  PlantMutant(const PlantMutant&) = delete;
  PlantMutant& operator=(const PlantMutant&) = delete;

 private:
  Mutant before_;
};

}  // namespace elvcheck
