// SPDX-License-Identifier: GPL-2.0-or-later
// A queue of BFQ v7 and the I/O context of a process (struct bfq_queue, struct bfq_io_cq of block/bfq.h, v7r4 and v7r5).
//
// A queue is an entity of the service trees that it shares with the later BFQ. References are counted as in the kernel: one
// for each process that uses the queue, each request, a place in a tree or in service, and for each process that is to be
// merged into it; an async queue also has one for its slot.
#pragma once

#include <array>

#include "model/block/request.hpp"
#include "model/scheduler/bfq/intrusive_list.hpp"
#include "model/scheduler/bfq/kernel_time.hpp"
#include "model/scheduler/bfq/service_tree.hpp"
#include "model/scheduler/bfq/think_time_core.hpp"

namespace elvcheck::bfq_v7 {

using bfq::Jiffies;

struct IoContext;

/// How far apart a queue's requests are: a mean that forgets.
struct SeekMean {
  std::uint64_t samples = 0;
  std::uint64_t total = 0;
  Sector mean = 0;

  /// Takes the distance of a request that arrives.
  void update(Sector distance) {
    if (samples == 0)
      distance = 0;
    else if (const Sector most = mean * 4 + (samples <= 60 ? 2 * 1024 * 1024 : 2 * 1024 * 64); distance > most)
      distance = most;
    samples = (7 * samples + 256) / 8;
    total = (7 * total + 256 * distance) / 8;
    mean = (total + samples / 2) / samples;
  }
  bool valid() const { return samples > 80; }
};

struct Queue : bfq::Entity {
  int ref = 0;
  ProcessId pid = 0;
  IoContext* bic = nullptr;   ///< the only process that uses it
  Queue* new_bfqq = nullptr;  ///< what it is to be merged into

  IoClass ioprio_class = IoClass::none;
  IoClass new_ioprio_class = IoClass::none;
  std::int64_t ioprio = 0;
  std::int64_t new_ioprio = 0;

  // Flags of enum bfqq_state_flags.
  bool sync = false;
  bool busy = false;
  bool wait_request = false;
  bool must_alloc = false;
  bool fifo_checked = false;  ///< fifo_expire: the fifo was looked at in this slot
  bool idle_window = false;
  bool ioprio_pending = false;  ///< prio_changed: the process's priority is to be read again
  bool budget_new = false;      ///< nothing of this slot has been completed
  bool io_bound = true;
  bool constantly_seeky = false;
  bool softrt_update = false;
  bool coop = false;
  bool split_coop = false;
  bool just_split = false;

  RequestTree sort_list;
  RequestList fifo;
  Request* next_rq = nullptr;
  std::array<int, 2> queued{};  ///< async, sync
  int dispatched = 0;           ///< in the dispatch list or the device
  RbNode<Queue> pos_node;
  bool in_pos_tree = false;
  bfq::ListNode<Queue> active_node;

  std::int64_t max_budget = 0;
  Jiffies budget_timeout = 0;  ///< end of the slot; of an empty queue: since when it is empty
  SeekMean seek;
  Sector last_request_pos = 0;
  unsigned requests_within_timer = 0;
  std::int64_t weight_counter = 0;  ///< weight it is counted under; 0: not counted

  std::int64_t wr_coeff = 1;
  Jiffies wr_cur_max_time = 0;
  Jiffies last_wr_start_finish = 0;
  Jiffies soft_rt_next_start = 0;
  Jiffies last_idle_bklogged = 0;
  std::int64_t service_from_backlogged = 0;

  bool empty() const { return sort_list.empty(); }
  bool idle_class() const { return ioprio_class == IoClass::idle; }
  bool rt() const { return ioprio_class == IoClass::rt; }
  std::size_t class_index() const { return static_cast<std::size_t>(ioprio_class) - 1; }
  bool raised() const { return wr_coeff > 1; }
  bool seeky() const { return seek.mean > 8 * 1024; }
  std::int64_t budget_left() const { return budget - service; }
  int process_refs() const { return ref - allocated - (on_st_or_in_serv ? 1 : 0); }
};

inline Queue& queue_of(bfq::Entity& entity) { return static_cast<Queue&>(entity); }
inline Sector next_sector(const Queue& bfqq) { return bfqq.next_rq->sector; }

/// Queues by the sector of their next request. The key of a queue in it changes under the tree when a request leaves: as in
/// the kernel, the shape then is stale.
using PositionTree = RbTree<Queue, &Queue::pos_node, &next_sector>;

/// A process as BFQ knows it.
struct IoContext {
  ProcessId pid = 0;
  IoPrio process_ioprio;  ///< what the process has now
  IoPrio ioprio;          ///< what its queues were told
  bool known = false;     ///< has allocated a request
  bool alive = true;
  std::array<Queue*, 2> bfqq{};    ///< async, sync
  bfq::ThinkTime<Concrete> ttime;  ///< in jiffies
  // Early Queue Merge: what is kept of the process while its queue is merged.
  Jiffies wr_time_left = 0;
  bool saved_idle_window = false;
  bool saved_io_bound = false;
  unsigned cooperations = 0;
  unsigned failed_cooperations = 0;
};

}  // namespace elvcheck::bfq_v7
