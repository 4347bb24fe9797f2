// SPDX-License-Identifier: GPL-2.0-or-later
// What CFQ schedules: a queue of requests (struct cfq_queue), the trees in which queues wait, and the link between a process
// and its queues (struct cfq_io_context, struct cfq_io_cq).
//
// A process has a sync queue of its own - until cooperators share one - and uses the async queue of its level. Everything
// here is state with the small questions that can be answered from it; what happens to it is in the files of the scheduler.
#pragma once

#include <array>
#include <bit>

#include "model/block/rbtree.hpp"
#include "model/block/request.hpp"
#include "model/scheduler/cfq/average_core.hpp"
#include "model/scheduler/cfq/units.hpp"

namespace elvcheck::cfq {

using ThinkTime = ThinkTimeCore<Concrete>;

/// Workload types, in the order in which they win ties.
enum class Type : std::uint8_t { async, sync_noidle, sync };
inline constexpr std::size_t type_count = 3;

/// Workload classes; the order is that of the kernel's trees (BE_WORKLOAD first), not that of precedence.
enum class Class : std::uint8_t { be, rt, idle };

struct Group;
struct IoContext;
struct Queue;

/// Queues of one class and type in order of their key (struct cfq_rb_root).
struct ServiceTree;

/// Where a process's requests have been going: the last 32 distances, a bit for each far one.
struct SeekHistory {
  static constexpr Sector far_sectors = 800;        // CFQQ_SEEK_THR
  static constexpr SectorCount small_request = 64;  // CFQQ_SECT_THR_NONROT
  std::uint32_t bits = 0;
  Sector last_end = 0;  ///< end of the last request; 0: none yet

  /// Takes a request that arrives. On fast devices its size decides, not its distance.
  void update(Sector sector, SectorCount sectors, bool rotational) {
    const Sector distance = last_end == 0 ? 0 : sector < last_end ? last_end - sector : sector - last_end;
    bits = bits << 1 | static_cast<std::uint32_t>(rotational ? distance > far_sectors : sectors < small_request);
  }
  /// CFQQ_SEEKY(): more than an eighth of them were far.
  bool seeky() const { return std::popcount(bits) > 4; }
};

struct Queue {
  RbNode<Queue> service_node;
  ServiceTree* service_tree = nullptr;  ///< where it waits; null: nowhere
  Time key = 0;                         ///< its place there
  RbNode<Queue> sector_node;
  int sector_level = -1;  ///< which of the trees by sector holds it, by original level; -1: none

  RequestTree sorted;  ///< sort_list
  RequestList fifo;
  Request* next = nullptr;           ///< next_rq: the one to dispatch
  std::array<unsigned, 2> queued{};  ///< async, sync requests in `sorted`
  unsigned allocated = 0;            ///< requests that are bound to it
  unsigned process_refs = 0;         ///< processes that use it, and pending merges; async: also its slot
  unsigned dispatched = 0;           ///< requests in the dispatch list or the device
  unsigned urgent = 0;               ///< META or PRIO requests in `sorted`

  Time dispatch_start = 0;
  Time slice_start = 0;
  Time slice_end = 0;
  Time allocated_slice = 0;
  Time residual = 0;        ///< slice_resid
  Time slice_dispatch = 0;  ///< requests dispatched in this slice

  SeekHistory seeks;
  Group* group = nullptr;
  Group* home_group = nullptr;    ///< orig_cfqg: where it came from when the root group has taken it (2.6.35)
  Queue* merge_target = nullptr;  ///< new_cfqq
  IoContext* yield_to = nullptr;  ///< the process that its own will wait for

  ProcessId pid = 0;
  std::uint8_t level = 4;
  std::uint8_t original_level = 4;
  IoClass io_class = IoClass::be;
  IoClass original_class = IoClass::be;

  // The kernel's CFQ_CFQQ_FLAG_*.
  bool on_rr = false;         ///< counted as busy
  bool wait_request = false;  ///< the idle timer was armed for it
  bool must_dispatch = false;
  bool must_alloc_slice = false;
  bool fifo_checked = false;  ///< fifo_expire: the fifo was looked at in this slice
  bool idle_window = false;   ///< worth idling on
  bool prio_changed = false;
  bool slice_new = false;  ///< no request of this slice has been completed
  bool sync = false;
  bool coop = false;        ///< shared by merged cooperators
  bool split_coop = false;  ///< and to be split
  bool deep = false;        ///< has had four requests at a time
  bool wait_busy = false;   ///< its slice was prolonged to wait for one more request

  bool empty() const { return sorted.empty(); }
  bool idle_class() const { return io_class == IoClass::idle; }
  bool rt() const { return io_class == IoClass::rt; }
  Type type() const { return !sync ? Type::async : idle_window ? Type::sync : Type::sync_noidle; }
  Class workload_class() const { return idle_class() ? Class::idle : rt() ? Class::rt : Class::be; }
};

inline Time queue_key(const Queue& queue) { return queue.key; }
inline Sector queue_sector(const Queue& queue) { return queue.next->sector; }

struct ServiceTree {
  RbTree<Queue, &Queue::service_node, &queue_key> queues;
  unsigned count = 0;
  ThinkTime think;      ///< 4.x
  Time expired_at = 0;  ///< when a queue was last expired from it, and whose: for the guard of the yield
  ProcessId expired_pid = 0;

  void insert(Queue& queue) {
    queues.insert(queue);
    queue.service_tree = this;
    ++count;
  }
  void erase(Queue& queue) {
    queues.erase(queue);
    queue.service_tree = nullptr;
    --count;
  }
};

/// Queues of one level by the sector of their next request (prio_trees), for the search for cooperators. The key of a queue
/// in it changes under the tree when a request is dispatched: as in the kernel, the shape then is stale.
using SectorTree = RbTree<Queue, &Queue::sector_node, &queue_sector>;

/// A process as CFQ knows it.
struct IoContext {
  ProcessId pid = 0;
  IoPrio ioprio;            ///< as set
  IoPrio seen_ioprio;       ///< when the latest request was allocated
  std::uint32_t group = 0;  ///< likewise
  bool known = false;       ///< has allocated a request
  bool alive = true;
  std::array<Queue*, 2> queues{};  ///< async, sync
  ThinkTime think;
};

}  // namespace elvcheck::cfq
