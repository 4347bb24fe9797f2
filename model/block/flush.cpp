// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/block/flush.hpp"

#include <utility>

#include "model/core/mutant.hpp"

namespace elvcheck {

bool FlushSequencer::filter(Bio& bio, const DeviceInfo& device) {
  if (device.volatile_cache || !op_is_flush(bio.op, bio.flags)) return false;
  bio.flags &= static_cast<ReqFlags>(~(REQ_PREFLUSH | REQ_FUA));
  return bio.sectors == 0;
}

std::uint8_t FlushSequencer::policy(Op op, ReqFlags flags, SectorCount sectors, const DeviceInfo& device) {
  std::uint8_t steps = sectors > 0 && op != Op::flush ? data : 0;
  if (device.volatile_cache) {
    if (op == Op::flush ? !planted(Mutant::flush_fsync_sends_nothing) : (flags & REQ_PREFLUSH) != 0) steps |= preflush;
    if (!device.fua && (flags & REQ_FUA) != 0 && !planted(Mutant::flush_fua_not_flushed)) steps |= postflush;
  }
  return steps;
}

void FlushSequencer::advance(Request& rq) {
  if ((rq.flush_steps & preflush) != 0 || ((rq.flush_steps & data) == 0 && (rq.flush_steps & postflush) != 0)) {
    if (pending_.empty()) pending_since_ = events_.now();
    pending_.push_back(&rq);
  } else if ((rq.flush_steps & data) != 0) {
    ++data_in_flight_;
    host_.queue_data(rq);
  } else {
    host_.sequence_done(rq);
  }
  kick();
}

void FlushSequencer::data_done(Request& rq) {
  --data_in_flight_;
  rq.flush_steps &= static_cast<std::uint8_t>(~data);
  advance(rq);
}

void FlushSequencer::flush_done() {
  auto served = std::exchange(running_, {});
  if (!pending_.empty() && planted(Mutant::flush_answers_latecomers)) {
    served.insert(served.end(), pending_.begin(), pending_.end());
    pending_.clear();
  }
  for (Request* rq : served) {
    rq->flush_steps &= static_cast<std::uint8_t>((rq->flush_steps & preflush) != 0 ? ~preflush : ~postflush);
    advance(*rq);
  }
}

void FlushSequencer::kick() {
  if (!running_.empty() || pending_.empty()) return;
  if (data_in_flight_ > 0 && events_.now() < pending_since_ + pending_timeout) return;
  running_ = std::exchange(pending_, {});
  host_.queue_flush(*running_.front());
}

}  // namespace elvcheck
