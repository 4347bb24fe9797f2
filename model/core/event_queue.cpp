// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/core/event_queue.hpp"

#include <algorithm>

namespace elvcheck {

namespace {
constexpr std::uint64_t host_bit = std::uint64_t{1} << 63;
constexpr std::uint64_t cancellable_bit = 1;
}

void EventQueue::schedule(Nanoseconds at, Rank rank, Actor& actor, std::uint64_t what, bool cancellable) {
  const std::uint64_t order = next_order_++ << 1 | (rank == Rank::host ? host_bit : 0) | (cancellable ? cancellable_bit : 0);
  heap_.emplace_back();
  sift_up(heap_.size() - 1, Entry{std::max(at, now_), order, &actor, what});
}

bool EventQueue::step(Nanoseconds limit) {
  while (!heap_.empty() && (heap_.front().order & cancellable_bit) != 0 && !heap_.front().actor->still_wanted(heap_.front().what))
    pop();
  if (heap_.empty()) return false;
  if (heap_.front().at > limit) {
    now_ = std::max(now_, limit);
    return false;
  }
  const Entry next = heap_.front();
  pop();
  now_ = next.at;
  ++events_run_;
  next.actor->on_event(next.what);
  return true;
}

void EventQueue::sift_up(std::size_t hole, Entry entry) {
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / 2;
    if (!heap_[parent].later_than(entry)) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = entry;
}

void EventQueue::pop() {
  const Entry last = heap_.back();
  heap_.pop_back();
  if (heap_.empty()) return;
  std::size_t hole = 0;
  for (;;) {
    std::size_t child = 2 * hole + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child].later_than(heap_[child + 1])) ++child;
    if (!last.later_than(heap_[child])) break;
    heap_[hole] = heap_[child];
    hole = child;
  }
  heap_[hole] = last;
}

void Timer::arm(Nanoseconds at) {
  pending_ = true;
  expires_ = at;
  events_.schedule(at, Rank::kernel, *this, ++generation_, true);
}

void Timer::arm_now() {
  if (pending_ && expires_ <= events_.now()) return;
  arm(events_.now());
}

}  // namespace elvcheck
