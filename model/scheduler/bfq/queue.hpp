// SPDX-License-Identifier: GPL-2.0-or-later
// A BFQ queue and the I/O context of a process.
//
// Mirrors struct bfq_queue and struct bfq_io_cq of block/bfq-iosched.h (6.1); fields keep the kernel's names where there is
// one. Left out: actuators (6.1 has only index 0), statistics, cgroup names.
//
// References are counted as in the kernel, since a queue's life decides what merges into it, who wakes whom, and whether the
// device idles for it: one for each process that uses it, each request, a place in a tree (or in service), a weight counter,
// a pending stable merge, and for each process that is to be merged into it.
#pragma once

#include <array>
#include <cstdint>

#include "model/block/request.hpp"
#include "model/scheduler/bfq/budget_core.hpp"
#include "model/scheduler/bfq/intrusive_list.hpp"
#include "model/scheduler/bfq/service_tree.hpp"
#include "model/scheduler/bfq/think_time_core.hpp"

namespace elvcheck::bfq {

struct Queue;
struct IoContext;

/// What weight raising knows of a queue. Times are jiffies.
struct WeightRaising {
  std::int64_t wr_coeff = 1;         ///< 1: not raised
  Jiffies wr_cur_max_time = 0;       ///< for how long at most; tells interactive from soft real-time
  Jiffies last_wr_start_finish = 0;  ///< start of the raising, or the end of the last one
  Jiffies wr_start_at_switch_to_srt = 0;
  std::int64_t service_from_wr = 0;  ///< sectors received while raised
};

/// What idling and injection know of a queue.
struct InjectState {
  std::int64_t last_serv_time_ns = 0;  ///< baseline: total service time of a request without injection
  unsigned inject_limit = 0;
  Jiffies decrease_time_jif = 0;
};

/// How much of the time a queue has requests (io intensity).
struct IoIntensity {
  std::int64_t io_start_time = 0;   ///< ns
  std::uint64_t tot_idle_time = 0;  ///< ns; unsigned as in the kernel: a new queue's first idle time is -1
};

struct Queue {
  std::uint64_t id = 0;
  int ref = 0;
  int stable_ref = 0;
  Entity entity;

  IoClass ioprio_class = IoClass::be;
  IoClass new_ioprio_class = IoClass::be;
  std::int64_t ioprio = 0;
  std::int64_t new_ioprio = 0;

  // Flags of enum bfqq_state_flags.
  bool sync = false;
  bool busy = false;
  bool just_created = false;
  bool wait_request = false;          ///< the device idles for it
  bool non_blocking_wait_rq = false;  ///< it may resume its budget
  bool fifo_expire = false;           ///< the fifo was looked at in this slot
  bool has_short_ttime = false;
  bool io_bound = true;
  bool in_large_burst = false;
  bool softrt_update = false;  ///< soft_rt_next_start waits for the last completion
  bool coop = false;           ///< shared
  bool split_coop = false;

  // Requests.
  RequestTree sort_list;
  RequestList fifo;
  Request* next_rq = nullptr;
  std::array<int, 2> queued{};  ///< async, sync
  int dispatched = 0;           ///< at the device
  Sector last_request_pos = 0;
  std::uint32_t seek_history = 1;

  // Budget.
  std::int64_t max_budget = 0;
  Jiffies budget_timeout = 0;  ///< end of the slot; of an empty queue: since when it is empty

  // Heuristics.
  ThinkTime<Concrete> ttime;
  IoIntensity intensity;
  InjectState inject;
  WeightRaising wr;
  Jiffies soft_rt_next_start = 0;
  Jiffies last_idle_bklogged = 0;
  std::int64_t service_from_backlogged = 0;
  Jiffies split_time = 0;
  Jiffies first_io_time = 0;
  Jiffies creation_time = 0;

  // Others.
  ProcessId pid = 0;          ///< -1 when shared
  IoContext* bic = nullptr;   ///< the only process that uses it
  Queue* new_bfqq = nullptr;  ///< what it is to be merged into
  RbNode<Queue> pos_node;     ///< in the tree of next positions
  ListNode<Queue> bfqq_list;  ///< active_list or idle_list
  ListNode<Queue> burst_list_node;
  Queue* waker_bfqq = nullptr;
  Queue* tentative_waker_bfqq = nullptr;
  unsigned num_waker_detections = 0;
  std::int64_t waker_detection_started = 0;
  ListNode<Queue> woken_list_node;
  IntrusiveList<Queue, &Queue::woken_list_node> woken_list;  ///< those it wakes
  std::int64_t weight_counter = 0;  ///< weight it is counted under in the weights tree; 0: not counted

  bool empty() const { return sort_list.empty(); }
  bool class_idle() const { return ioprio_class == IoClass::idle; }
  std::size_t class_index() const { return static_cast<std::size_t>(ioprio_class) - 1; }
  /// BFQQ_SEEKY.
  bool seeky() const { return __builtin_popcount(seek_history) > 19; }
  bool totally_seeky() const { return seek_history == 0xFFFFFFFFU; }
  bool raised() const { return wr.wr_coeff > 1; }
  std::int64_t budget_left() const { return entity.budget - entity.service; }
  /// Processes that use it, or are about to be merged into it.
  int process_refs() const {
    return ref - entity.allocated - (entity.on_st_or_in_serv ? 1 : 0) - (weight_counter != 0 ? 1 : 0) - stable_ref;
  }
};

/// What is kept of a process while its queue is merged.
struct SavedState {
  bool has_short_ttime = false;
  bool io_bound = false;
  bool in_large_burst = false;
  bool was_in_burst_list = false;
  std::int64_t weight = 0;
  IoIntensity intensity;
  ThinkTime<Concrete> ttime;
  InjectState inject;
  WeightRaising wr{0, 0, 0, 0, 0};
};

/// A process's relation to the device.
struct IoContext {
  ProcessId pid = 0;
  std::array<Queue*, 2> bfqq{};  ///< async, sync
  IoPrio process_ioprio;         ///< what the process has now
  IoPrio ioprio;                 ///< what its queues know
  bool linked = false;           ///< the process has had a request here
  bool active = true;            ///< the process lives
  bool stably_merged = false;
  unsigned requests = 0;               ///< allocated and not freed
  Queue* stable_merge_bfqq = nullptr;  ///< to be merged with once both have lived long enough
  SavedState saved;
};

/// rq_is_sync().
inline bool is_sync(const Request& rq) { return op_is_sync(rq.op, rq.flags); }

// A request's two words: the context it came from, and the queue it is in.
inline IoContext* bic_of(const Request& rq) { return reinterpret_cast<IoContext*>(rq.elv_priv[0]); }
inline Queue* bfqq_of(const Request& rq) { return reinterpret_cast<Queue*>(rq.elv_priv[1]); }
inline void set_bic(Request& rq, IoContext* bic) { rq.elv_priv[0] = reinterpret_cast<std::uint64_t>(bic); }
inline void set_bfqq(Request& rq, Queue* bfqq) { rq.elv_priv[1] = reinterpret_cast<std::uint64_t>(bfqq); }

}  // namespace elvcheck::bfq
