// SPDX-License-Identifier: GPL-2.0-or-later
// What the block layer queues and the device serves: the kernel's `struct request`.
#pragma once

#include <cstdint>
#include <optional>

#include "model/block/rbtree.hpp"
#include "model/core/bio.hpp"
#include "model/core/trace.hpp"

namespace elvcheck {

class RequestList;
struct Request;

/// Membership in one list at a time (`queuelist` of the kernel).
struct RequestLink {
  RequestList* list = nullptr;
  Request* prev = nullptr;
  Request* next = nullptr;
};

struct Request {
  RequestId id = 0;
  Op op = Op::read;
  ReqFlags flags = 0;       ///< of the first bio at allocation
  IoPrio ioprio;            ///< stamped on the first bio
  ProcessId process = 0;    ///< submitter of the first bio (after a front merge: of the new first one)
  Sector sector = 0;
  SectorCount sectors = 0;
  std::uint16_t segments = 0;  ///< one for each bio
  Bio* first_bio = nullptr;
  Bio* last_bio = nullptr;
  Nanoseconds start_time{0};    ///< of allocation; the older survives a merge
  std::optional<Nanoseconds> io_start_time;  ///< of the last time that the driver was offered it; blk-mq only
  std::uint64_t fifo_time = 0;  ///< deadline, in the unit that the scheduler's version uses

  RequestLink queuelist;
  RbNode<Request> rb_node;      ///< in a scheduler's tree by sector
  Request* hash_next = nullptr;
  Request** hash_pprev = nullptr;  ///< null: not in the merge hash

  int sched_tag = -1;
  int driver_tag = -1;
  bool started = false;   ///< was handed to the driver (RQF_STARTED)
  bool elvpriv = false;   ///< the scheduler was told of it
  bool soft_barrier = false;       ///< requeued: nothing passes it (single-queue)
  std::uint8_t flush_steps = 0;    ///< what is left of a flush sequence (flush.hpp)
  std::uint64_t elv_priv[3] = {0, 0, 0};  ///< the scheduler's own use

  Sector end() const { return sector + sectors; }
  /// rq_mergeable().
  bool mergeable() const {
    return (flags & (REQ_NOMERGE | REQ_PREFLUSH | REQ_FUA)) == 0 && !started && !soft_barrier && op != Op::flush && flush_steps == 0;
  }
};

inline bool data_dir(const Request& rq) { return is_write(rq.op); }  ///< rq_data_dir(): false READ, true WRITE
inline Sector request_sector(const Request& rq) { return rq.sector; }

/// Requests in order of sector (sort_list).
using RequestTree = RbTree<Request, &Request::rb_node, &request_sector>;

/// A list of requests (struct list_head).
class RequestList {
 public:
  RequestList() = default;
  RequestList(const RequestList&) = delete;
  RequestList& operator=(const RequestList&) = delete;

  bool empty() const { return head_ == nullptr; }
  std::size_t size() const { return size_; }
  Request* front() const { return head_; }
  Request* back() const { return tail_; }
  void push_back(Request& rq) { insert_before(rq, nullptr); }
  void push_front(Request& rq) { insert_before(rq, head_); }
  /// Inserts before `at`; null means at the end.
  void insert_before(Request& rq, Request* at);
  void insert_after(Request& rq, Request& at) { insert_before(rq, at.queuelist.next); }
  void remove(Request& rq);
  Request* pop_front() {
    Request* rq = head_;
    if (rq != nullptr) remove(*rq);
    return rq;
  }

 private:
  Request* head_ = nullptr;
  Request* tail_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace elvcheck
