// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/block/request.hpp"

#include <cassert>

namespace elvcheck {

void RequestList::insert_before(Request& rq, Request* at) {
  assert(rq.queuelist.list == nullptr);
  rq.queuelist = RequestLink{this, at == nullptr ? tail_ : at->queuelist.prev, at};
  (rq.queuelist.prev == nullptr ? head_ : rq.queuelist.prev->queuelist.next) = &rq;
  (at == nullptr ? tail_ : at->queuelist.prev) = &rq;
  ++size_;
}

void RequestList::remove(Request& rq) {
  assert(rq.queuelist.list == this);
  (rq.queuelist.prev == nullptr ? head_ : rq.queuelist.prev->queuelist.next) = rq.queuelist.next;
  (rq.queuelist.next == nullptr ? tail_ : rq.queuelist.next->queuelist.prev) = rq.queuelist.prev;
  rq.queuelist = RequestLink{};
  --size_;
}

}  // namespace elvcheck
