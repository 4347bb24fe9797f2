// SPDX-License-Identifier: GPL-2.0-or-later
// noop: first come, first served.
//
// Mirrors block/noop-iosched.c, the same from 2.6.34 to 4.20. One list; insertion at its tail, dispatch from its head through the
// sorted insertion of the dispatch list. The driver pulls only when the dispatch list is empty, so the sort shows only when a
// forced drain moves several requests at once. Merging is the block layer's (one-hit cache, hash); two neighbours of the list
// join if they touch. Promise: requests reach the device in order of insertion.
#include "model/scheduler/noop.hpp"

#include "model/core/mutant.hpp"

namespace elvcheck {

namespace {

class Noop final : public SingleQueueElevator {
 public:
  explicit Noop(ElevatorHost& host) : host_(host) {}

  bool queue_empty() const override { return queue_.empty(); }
  void add_request(Request& rq) override {
    planted(Mutant::noop_last_first) ? queue_.push_front(rq) : queue_.push_back(rq);
  }
  unsigned dispatch(bool) override {
    Request* rq = queue_.pop_front();
    if (rq == nullptr) return 0;
    host_.dispatch_sort(*rq);
    return 1;
  }
  void requests_merged(Request&, Request& next) override {
    if (next.queuelist.list == &queue_) queue_.remove(next);
  }
  Request* former_request(Request& rq) override { return rq.queuelist.prev; }
  Request* latter_request(Request& rq) override { return rq.queuelist.next; }

 private:
  ElevatorHost& host_;
  RequestList queue_;
};

}  // namespace

std::unique_ptr<SingleQueueElevator> make_noop(ElevatorHost& host, const TunableValues&) { return std::make_unique<Noop>(host); }

}  // namespace elvcheck
