// SPDX-License-Identifier: GPL-2.0-or-later
// Merging: where a bio fits onto a queued request, and when two queued requests become one.
//
// Mirrors elv_merge(), elv_attempt_insert_merge(), attempt_merge() and the limits of ll_*_merge_fn() (block/elevator.c and
// block/blk-merge.c, 2.6.34 to 6.1). Order of the look-ups: the one-hit cache, the hash of request ends (the entry made last
// wins among equal ends), the scheduler's own front-merge search. Left out: integrity, encryption, cgroups, discard merging,
// chunk limits, gaps between segments.
#pragma once

#include <array>

#include "model/block/elevator.hpp"
#include "model/block/request.hpp"

namespace elvcheck {

class Merger {
 public:
  struct Settings {
    unsigned nomerges = 0;  ///< 0 all, 1 one-hit cache only, 2 none
    unsigned max_sectors = 2560;
    unsigned max_segments = 128;
    bool same_ioprio = true;   ///< merge only equal priorities (blk_rq_merge_ok from 4.20)
    bool same_meta = false;    ///< merge META only with META (blk_cgroup_mergeable, 6.1 with CONFIG_BLK_CGROUP)
    bool allow_twice = false;  ///< ask the scheduler again before a bio is taken (blk_mq_sched_try_merge)
  };

  Merger(const EventQueue& events, Trace& trace, const Settings& settings)
      : events_(events), trace_(trace), settings_(settings) {}

  void set_elevator(Elevator* elevator) { elevator_ = elevator; }
  const Settings& settings() const { return settings_; }

  /// The outcome of offering a bio to the queued requests.
  struct BioMerge {
    Request* into = nullptr;      ///< the request that took the bio, or null
    Request* absorbed = nullptr;  ///< a neighbour that `into` swallowed on top; the caller frees it
  };
  /// blk_mq_sched_try_merge() and its like. With an elevator set.
  BioMerge try_merge(Bio& bio);

  enum class PlainMerge {
    merged,
    does_not_fit,  ///< it is not adjacent, or of another kind
    failed,        ///< it would fit but for the limits; a search through a list ends here
  };
  /// Appends or prepends the bio to this request, which is still plugged or in a plain list (blk_attempt_bio_merge).
  PlainMerge try_merge_plain(Request& rq, Bio& bio);

  /// elv_attempt_insert_merge(): offers a request that is about to be inserted to the queued ones. Calls freed(Request&) for
  /// every request that disappears, `rq` among them if it returns true.
  template <class Freed>
  bool try_insert_merge(Request& rq, Freed freed) {
    if (settings_.nomerges >= 2) return false;
    if (last_merge_ != nullptr && attempt_merge(*last_merge_, rq)) {
      freed(rq);
      return true;
    }
    if (settings_.nomerges >= 1) return false;
    bool merged = false;
    Request* loser = &rq;
    for (Request* target = find_end(loser->sector); target != nullptr && attempt_merge(*target, *loser);
         target = find_end(loser->sector)) {
      freed(*loser);
      merged = true;
      loser = target;
    }
    return merged;
  }

  /// Makes a queued request a target of merges (elv_rqhash_add and the one-hit cache).
  void add_target(Request& rq);
  /// The request is no target any more.
  void forget_target(Request& rq);

 private:
  static constexpr std::size_t buckets = 64;  // ELV_HASH_BITS 6

  std::size_t bucket(Sector end) const { return (end >> 3) * 0x9E3779B97F4A7C15U >> 58; }
  void hash_add(Request& rq);
  static void hash_del(Request& rq);
  Request* find_end(Sector end);
  bool may_take(const Request& rq, const Bio& bio) const;
  bool meta_agrees(const Request& rq, const Bio& bio) const {
    return !settings_.same_meta || ((rq.first_bio->flags ^ bio.flags) & REQ_META) == 0;
  }
  bool fits(Request& rq, SectorCount sectors, unsigned segments);
  bool append(Request& rq, Bio& bio);
  bool prepend(Request& rq, Bio& bio);
  bool attempt_merge(Request& rq, Request& next);
  void emit(EventKind kind, const Request& rq, const Bio* bio, RequestId other = 0);

  const EventQueue& events_;
  Trace& trace_;
  Settings settings_;
  Elevator* elevator_ = nullptr;
  Request* last_merge_ = nullptr;
  std::array<Request*, buckets> hash_{};
};

}  // namespace elvcheck
