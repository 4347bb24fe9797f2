// SPDX-License-Identifier: GPL-2.0-or-later
// Bursts: many queues created one shortly after another belong to one application that wants throughput, so none is raised.
//
// Mirrors bfq_handle_burst, bfq_add_to_burst and bfq_reset_burst_list of block/bfq-iosched.c (6.1). Left out: the test that
// queues of a burst have one parent, as all are at the root.
#include "model/scheduler/bfq/scheduler.hpp"

namespace elvcheck::bfq {

namespace {
constexpr int large_burst_threshold = 8;         // bfq_large_burst_thresh
constexpr std::int64_t burst_interval_ms = 180;  // bfq_burst_interval
constexpr std::int64_t after_split_ms = 10;
}  // namespace

/// A new queue gets its first request.
void Scheduler::handle_burst(Queue& bfqq) {
  if (bfqq.burst_list_node.linked() || bfqq.in_large_burst || !time_.before_now(bfqq.split_time + time_.ms(after_split_ms)))
    return;
  if (time_.before_now(last_ins_in_burst_ + time_.ms(burst_interval_ms))) {
    large_burst_ = false;
    reset_burst_list(bfqq);
  } else if (large_burst_) {
    bfqq.in_large_burst = true;
    note(rules::large_burst, nullptr, bfqq.pid, burst_size_);
  } else {
    add_to_burst(bfqq);
  }
  last_ins_in_burst_ = time_.jiffies();
}

void Scheduler::reset_burst_list(Queue& bfqq) {
  burst_list_.clear();
  burst_size_ = 0;
  if (busy_queues() > 0) return;
  burst_list_.push_front(bfqq);
  burst_size_ = 1;
}

void Scheduler::add_to_burst(Queue& bfqq) {
  burst_list_.push_front(bfqq);
  if (++burst_size_ != large_burst_threshold) return;
  large_burst_ = true;
  for (Queue* member = burst_list_.front(); member != nullptr; member = decltype(burst_list_)::next(*member)) {
    member->in_large_burst = true;
    note(rules::large_burst, nullptr, member->pid, burst_size_);
  }
  burst_list_.clear();
}

}  // namespace elvcheck::bfq
