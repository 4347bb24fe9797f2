// SPDX-License-Identifier: GPL-2.0-or-later
// The queues of the deadline scheduler for a fixed number of requests, over any domain: for bounded model checking.
//
// DeadlineCore decides; this is the environment that it asks. Mirrors block/deadline-iosched.c of 4.19
// (deadline_add_request, deadline_move_request, deadline_latter_request): for each direction a fifo in order of arrival and
// a list in order of sector; next_rq is the successor of the request dispatched last, looked up at that moment, and a
// dispatch forgets the next_rq of the other direction. The device takes one request at a time and needs the same time for
// each, and it is never idle, so dispatch number k happens at k * service. Left out: merging (the requests do not touch each
// other) and refusals.
//
// The counterexample found here is replayed on the simulation, which has queues of its own; a difference would show there.
#pragma once

#include <cstddef>
#include <vector>

#include "model/scheduler/deadline_core.hpp"

namespace elvcheck {

/// A request, by its place in the order of arrival. Times in milliseconds, at a tick rate of 1000 Hz.
template <Domain D>
struct QueuedRequest {
  typename D::Bool write;
  typename D::Num sector;   ///< requests of a run have different ones
  typename D::Num arrival;  ///< not before that of the request in front; never the instant of a dispatch
};

/// A run of as many dispatches as there are requests. Core is DeadlineCore<D> or a variant of it.
template <Domain D, class Core>
class DeadlineRun {
 public:
  using Num = typename D::Num;
  using Bool = typename D::Bool;

  /// What one dispatch did. Vectors have an entry for each request.
  struct Dispatch {
    Num at;                        ///< ms
    std::vector<Bool> waiting;     ///< in the scheduler when the dispatch began
    std::vector<Bool> dispatched;  ///< exactly one, if anything was waiting
  };

  DeadlineRun(Core core, std::vector<QueuedRequest<D>> requests, Num read_expire, Num write_expire, Num service)
      : core_(core),
        requests_(std::move(requests)),
        read_expire_(read_expire),
        write_expire_(write_expire),
        service_(service),
        gone_(size(), Bool(false)),
        next_(size(), Bool(false)) {}

  std::size_t size() const { return requests_.size(); }
  const QueuedRequest<D>& request(std::size_t i) const { return requests_[i]; }

  /// The request is past its deadline at `now` (4.1 and later: not before its deadline).
  Bool expired(std::size_t i, const Num& now) const {
    const Num expire = D::select(requests_[i].write, write_expire_, read_expire_);
    return requests_[i].arrival + expire <= now;
  }

  /// The next dispatch.
  Dispatch step() {
    Dispatch result;
    result.at = now_;
    for (std::size_t i = 0; i < size(); ++i) result.waiting.push_back(!gone_[i] && requests_[i].arrival <= now_);

    const DeadlineQueueView<D> reads = view(result.waiting, Bool(false));
    const DeadlineQueueView<D> writes = view(result.waiting, Bool(true));
    const DeadlineChoice<D> choice = core_.choose(reads, writes);
    core_.commit(reads, writes, choice, !choice.none);

    for (std::size_t i = 0; i < size(); ++i) {
      const Bool head = is_head(result.waiting, i) && requests_[i].write == choice.write;
      result.dispatched.push_back(!choice.none && D::select(choice.from_fifo, head, next_[i]));
    }
    take_out(result);
    now_ = now_ + service_;
    return result;
  }

 private:
  /// First of its direction in the order of arrival.
  Bool is_head(const std::vector<Bool>& waiting, std::size_t i) const {
    Bool head = waiting[i];
    for (std::size_t j = 0; j < i; ++j) head = head && !(waiting[j] && requests_[j].write == requests_[i].write);
    return head;
  }

  DeadlineQueueView<D> view(const std::vector<Bool>& waiting, const Bool& write) const {
    DeadlineQueueView<D> view{Bool(false), Bool(false), Bool(false)};
    for (std::size_t i = 0; i < size(); ++i) {
      const Bool here = requests_[i].write == write;
      view.pending = view.pending || (here && waiting[i]);
      view.next = view.next || (here && next_[i]);
      view.expired = view.expired || (here && is_head(waiting, i) && expired(i, now_));
    }
    return view;
  }

  /// Removes the dispatched request; next_rq becomes its successor in order of sector.
  void take_out(const Dispatch& dispatch) {
    for (std::size_t i = 0; i < size(); ++i) gone_[i] = gone_[i] || dispatch.dispatched[i];
    for (std::size_t i = 0; i < size(); ++i) {
      Bool next(false);
      for (std::size_t taken = 0; taken < size(); ++taken) {
        Bool successor = follows(dispatch, i, taken);
        for (std::size_t j = 0; j < size(); ++j) {
          successor = successor && !(follows(dispatch, j, taken) && requests_[j].sector < requests_[i].sector);
        }
        next = next || (dispatch.dispatched[taken] && successor);
      }
      next_[i] = next;
    }
  }

  /// Request i still waits and lies behind request `taken`, in the same direction.
  Bool follows(const Dispatch& dispatch, std::size_t i, std::size_t taken) const {
    return dispatch.waiting[i] && !gone_[i] && requests_[i].write == requests_[taken].write &&
           requests_[taken].sector < requests_[i].sector;
  }

  Core core_;
  std::vector<QueuedRequest<D>> requests_;
  Num read_expire_;
  Num write_expire_;
  Num service_;
  Num now_{0};
  std::vector<Bool> gone_;  ///< dispatched
  std::vector<Bool> next_;  ///< is next_rq of its direction
};

}  // namespace elvcheck
