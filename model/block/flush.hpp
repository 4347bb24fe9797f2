// SPDX-License-Identifier: GPL-2.0-or-later
// Flush sequences: PREFLUSH and FUA on a device with a volatile cache.
//
// Mirrors block/blk-flush.c (4.19, 6.1 and 6.12). A request that needs it passes up to three steps: flush, data, flush. One
// flush command serves every sequence that waits for one (C1: one in flight; C2, C3: while data of a sequence is in flight a
// new flush waits, for at most 5 s). Before 6.12 such requests never enter the scheduler.
#pragma once

#include <vector>

#include "model/block/request.hpp"
#include "model/device/device.hpp"

namespace elvcheck {

class FlushSequencer {
 public:
  /// Request::flush_steps: what is still to be done.
  enum Step : std::uint8_t { preflush = 1, data = 2, postflush = 4 };

  class Host {
   public:
    /// Sends the one flush command; `borrowed_from` is the first request that waits for it.
    virtual void queue_flush(const Request& borrowed_from) = 0;
    /// Sends the data of a sequence.
    virtual void queue_data(Request& rq) = 0;
    /// The sequence is over: the request ends.
    virtual void sequence_done(Request& rq) = 0;

   protected:
    ~Host() = default;
  };

  FlushSequencer(Host& host, const EventQueue& events) : host_(host), events_(events) {}

  /// Without a volatile cache there is nothing to flush: takes the flags off a bio before anything else sees it
  /// (generic_make_request_checks in 4.4 and 4.19, submit_bio_noacct in 6.1). Returns whether nothing is left to do.
  static bool filter(Bio& bio, const DeviceInfo& device);
  /// The steps that this operation needs on this device (blk_flush_policy); 0: nothing at all.
  static std::uint8_t policy(Op op, ReqFlags flags, SectorCount sectors, const DeviceInfo& device);

  /// Starts the sequence of rq.flush_steps; policy() with at least one flush in it.
  void start(Request& rq) { advance(rq); }
  /// The same for a sequence that begins with data which the caller sends on its own (6.12).
  void start_with_data() { ++data_in_flight_; }
  void data_done(Request& rq);
  void flush_done();

 private:
  static constexpr Nanoseconds pending_timeout = 5s;  // FLUSH_PENDING_TIMEOUT

  void advance(Request& rq);
  void kick();

  Host& host_;
  const EventQueue& events_;
  std::vector<Request*> pending_;
  std::vector<Request*> running_;
  unsigned data_in_flight_ = 0;
  Nanoseconds pending_since_{0};
};

}  // namespace elvcheck
