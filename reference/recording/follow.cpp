// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/recording/follow.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace elvcheck::recording_detail {

namespace {

/// How many entries with one key are looked at for a better match: keeps hostile input linear.
constexpr int most_candidates = 16;
/// No kernel puts more bios or requests into one request than this.
constexpr int most_parts = 4096;

struct PendingBio {
  Op op{};
  ReqFlags flags = 0;
  IoPrio ioprio;
  ProcessId process = 0;
  Sector sector = 0;
  SectorCount sectors = 0;
  std::size_t event = 0;  // index of its queue event
};

struct OpenRequest {
  Op op{};
  ReqFlags flags = 0;
  IoPrio ioprio;
  ProcessId process = 0;
  Sector sector = 0;
  SectorCount sectors = 0;
  SectorCount done = 0;  // completed so far, from its start
  bool issued = false;
  Sector end() const { return sector + sectors; }
};

class Follower {
 public:
  explicit Follower(Recording& out) : out_(out) {}

  void run(const std::vector<RawEvent>& raw) {
    bool queues = false;
    for (const RawEvent& event : raw) queues = queues || event.action == Action::queue;
    without_queues_ = !queues;
    start_ = raw.front().at;
    for (const RawEvent& event : raw) step(event);
    drop_marked();
    say();
  }

 private:
  void step(const RawEvent& event) {
    switch (event.action) {
      case Action::queue:
        return queue(event);
      case Action::split:
        return split(event);
      case Action::get_request:
        return get_request(event);
      case Action::sleep_request:
        emit(event, EventKind::sleep_request, 0, 0);
        return;
      case Action::back_merge:
        return merge(event, true);
      case Action::front_merge:
        return merge(event, false);
      case Action::request_merge:
        return (void)(merge_request(event) || count(lost_merges_));
      case Action::insert:
        return insert(event);
      case Action::plug:
        return plug(event, EventKind::plug);
      case Action::unplug:
        return plug(event, EventKind::unplug);
      case Action::timer_unplug:
        return plug(event, EventKind::timer_unplug);
      case Action::issue:
        return issue(event);
      case Action::requeue:
        return requeue(event);
      case Action::complete:
        return complete(event);
    }
  }

  static bool count(std::uint64_t& counter) { return ++counter, true; }

  // Events of the trace.

  std::size_t emit(const RawEvent& raw, EventKind kind, BioId bio, RequestId request) {
    TraceEvent event;
    event.at = Nanoseconds(raw.at - start_);
    event.kind = kind;
    event.op = raw.op;
    event.flags = raw.flags;
    event.ioprio = raw.ioprio;
    event.process = raw.process;
    event.bio = bio;
    event.request = request;
    event.sector = raw.sector;
    event.sectors = raw.sectors;
    out_.events.push_back(event);
    out_.running.push_back(raw.process);
    return out_.events.size() - 1;
  }

  /// An event about a request: operation, place and submitter are the request's.
  void emit_request(const RawEvent& raw, EventKind kind, RequestId id, RequestId other = 0) {
    const OpenRequest& rq = open_.at(id);
    TraceEvent& event = out_.events[emit(raw, kind, 0, id)];
    event.op = rq.op;
    event.flags = rq.flags;
    event.ioprio = rq.ioprio;
    event.process = rq.process;
    event.sector = rq.sector;
    event.sectors = rq.sectors;
    event.other = other;
  }

  void emit_bio(const RawEvent& raw, EventKind kind, BioId id, RequestId request) {
    const PendingBio& bio = bios_.at(id);
    TraceEvent& event = out_.events[emit(raw, kind, id, request)];
    event.op = bio.op;
    event.flags = bio.flags;
    event.ioprio = bio.ioprio;
    event.process = bio.process;
    event.sector = bio.sector;
    event.sectors = bio.sectors;
  }

  void plug(const RawEvent& raw, EventKind kind) {
    out_.has_plugs = true;
    TraceEvent& event = out_.events[emit(raw, kind, 0, 0)];
    event.sector = 0;
    event.sectors = 0;
  }

  // Bios that have no request yet.

  using BioKey = std::tuple<Op, Sector, SectorCount, BioId>;

  BioId add_bio(const PendingBio& bio) {
    const BioId id = ++last_bio_;
    bios_.emplace(id, bio);
    bio_index_.emplace(bio.op, bio.sector, bio.sectors, id);
    return id;
  }

  void remove_bio(BioId id) {
    const PendingBio& bio = bios_.at(id);
    bio_index_.erase({bio.op, bio.sector, bio.sectors, id});
    bios_.erase(id);
  }

  /// The oldest pending bio of exactly this range, one of the same process before others; 0 if there is none.
  BioId find_bio(const RawEvent& raw) const {
    BioId oldest = 0;
    int seen = 0;
    for (auto at = bio_index_.lower_bound({raw.op, raw.sector, raw.sectors, 0}); at != bio_index_.end(); ++at) {
      const auto& [op, sector, sectors, id] = *at;
      if (op != raw.op || sector != raw.sector || sectors != raw.sectors || ++seen > most_candidates) break;
      if (bios_.at(id).process == raw.process) return id;
      if (oldest == 0) oldest = id;
    }
    return oldest;
  }

  /// The pending bio of this exact range; or, where a split was not recorded, the first part of a longer one, split off it.
  BioId take_bio(const RawEvent& raw) {
    if (const BioId id = find_bio(raw); id != 0 || raw.sectors == 0) return id;
    const auto at = bio_index_.lower_bound({raw.op, raw.sector, raw.sectors, 0});
    if (at == bio_index_.end() || std::get<0>(*at) != raw.op || std::get<1>(*at) != raw.sector) return 0;
    const BioId id = std::get<3>(*at);
    split_bio(raw, id, raw.sectors);
    ++inferred_splits_;
    return id;
  }

  /// Shortens a pending bio; the rest becomes a bio of its own, queued now.
  void split_bio(const RawEvent& raw, BioId id, SectorCount first) {
    PendingBio bio = bios_.at(id);
    bio_index_.erase({bio.op, bio.sector, bio.sectors, id});
    bios_.at(id).sectors = first;
    bio_index_.emplace(bio.op, bio.sector, first, id);
    out_.events[bio.event].sectors = first;
    bio.sector += first;
    bio.sectors -= first;
    bio.event = out_.events.size();
    const BioId rest = add_bio(bio);
    emit_bio(raw, EventKind::queue, rest, 0);
  }

  void queue(const RawEvent& raw) {
    PendingBio bio{raw.op, raw.flags, raw.ioprio, raw.process, raw.sector, raw.sectors, out_.events.size()};
    emit(raw, EventKind::queue, add_bio(bio), 0);
  }

  void split(const RawEvent& raw) {
    // The oldest pending bio that starts there and is longer than the first part.
    if (raw.split_at <= raw.sector || raw.split_at - raw.sector >= UINT32_MAX) return (void)count(lost_splits_);
    const auto first = static_cast<SectorCount>(raw.split_at - raw.sector);
    const auto at = bio_index_.lower_bound({raw.op, raw.sector, first + 1, 0});
    if (at == bio_index_.end() || std::get<0>(*at) != raw.op || std::get<1>(*at) != raw.sector)
      return (void)count(lost_splits_);
    split_bio(raw, std::get<3>(*at), first);
  }

  // Requests.

  using StartKey = std::tuple<bool, Op, Sector, SectorCount, RequestId>;  // issued, then what has not completed yet
  using EndKey = std::tuple<Op, Sector, RequestId>;                       // queued requests only

  StartKey start_key(RequestId id, const OpenRequest& rq) const {
    return {rq.issued, rq.op, rq.sector + rq.done, rq.sectors - rq.done, id};
  }
  void index(RequestId id, const OpenRequest& rq) {
    by_start_.insert(start_key(id, rq));
    if (!rq.issued) by_end_.emplace(rq.op, rq.end(), id);
  }
  void unindex(RequestId id, const OpenRequest& rq) {
    by_start_.erase(start_key(id, rq));
    if (!rq.issued) by_end_.erase({rq.op, rq.end(), id});
  }
  /// Changes a request and keeps the indices right.
  template <class Change>
  void change(RequestId id, Change change) {
    OpenRequest& rq = open_.at(id);
    unindex(id, rq);
    change(rq);
    index(id, rq);
  }
  void close(RequestId id) {
    unindex(id, open_.at(id));
    open_.erase(id);
  }
  RequestId open(const OpenRequest& rq) {
    const RequestId id = ++last_request_;
    open_.emplace(id, rq);
    index(id, rq);
    return id;
  }
  static OpenRequest request_of(const RawEvent& raw) {
    return {raw.op, raw.flags, raw.ioprio, raw.process, raw.sector, raw.sectors, 0, false};
  }

  /// The oldest request of this state and exact range, or 0.
  RequestId find_request(bool issued, const RawEvent& raw) const {
    const auto at = by_start_.lower_bound({issued, raw.op, raw.sector, raw.sectors, 0});
    if (at == by_start_.end()) return 0;
    const auto& [state, op, sector, sectors, id] = *at;
    return state == issued && op == raw.op && sector == raw.sector && sectors == raw.sectors ? id : 0;
  }

  /// The queued request that ends at `end`: the newest of this process, else the newest.
  RequestId find_ending(Op op, Sector end, ProcessId process) const {
    RequestId newest = 0;
    int seen = 0;
    auto at = by_end_.upper_bound({op, end, UINT32_MAX});
    while (at != by_end_.begin() && ++seen <= most_candidates) {
      --at;
      const auto& [rq_op, rq_end, id] = *at;
      if (rq_op != op || rq_end != end) break;
      if (open_.at(id).process == process) return id;
      if (newest == 0) newest = id;
    }
    return newest;
  }

  /// The queued request that starts at `start`: of this process before others.
  RequestId find_starting(Op op, Sector start, ProcessId process) const {
    RequestId first = 0;
    int seen = 0;
    for (auto at = by_start_.lower_bound({false, op, start, 0, 0}); at != by_start_.end(); ++at) {
      const auto& [issued, rq_op, sector, sectors, id] = *at;
      if (issued || rq_op != op || sector != start || ++seen > most_candidates) break;
      if (open_.at(id).process == process) return id;
      if (first == 0) first = id;
    }
    return first;
  }

  void get_request(const RawEvent& raw) {
    out_.has_allocations = true;
    const BioId bio = take_bio(raw);
    if (bio == 0) {
      if (!without_queues_) return (void)count(from_before_);
      emit(raw, EventKind::get_request, 0, open(request_of(raw)));
      return;
    }
    allocate(raw, bio);
  }

  RequestId allocate(const RawEvent& raw, BioId id) {
    const PendingBio bio = bios_.at(id);
    const RequestId request = open({bio.op, bio.flags, bio.ioprio, bio.process, bio.sector, bio.sectors, 0, false});
    emit_bio(raw, EventKind::get_request, id, request);
    remove_bio(id);
    return request;
  }

  void merge(const RawEvent& raw, bool back) {
    const BioId id = take_bio(raw);
    if (id == 0) {
      // Since 5.10 the merge of two requests is recorded as a back merge of the second.
      if (!merge_request(raw)) ++lost_merges_;
      return;
    }
    const PendingBio bio = bios_.at(id);
    const RequestId request =
        back ? find_ending(bio.op, bio.sector, bio.process) : find_starting(bio.op, bio.sector + bio.sectors, bio.process);
    if (request == 0) {
      dropped_.push_back(bio.event);
      remove_bio(id);
      ++lost_merges_;
      return;
    }
    grow(request, bio, back);
    emit_bio(raw, back ? EventKind::back_merge : EventKind::front_merge, id, request);
    remove_bio(id);
  }

  void grow(RequestId request, const PendingBio& bio, bool back) {
    change(request, [&](OpenRequest& rq) {
      rq.sectors += bio.sectors;
      if (back) return;
      rq.sector = bio.sector;
      rq.process = bio.process;
    });
  }

  bool merge_request(const RawEvent& raw) {
    const RequestId absorbed = find_request(false, raw);
    if (absorbed == 0 || raw.sectors == 0) return false;
    const OpenRequest gone = open_.at(absorbed);
    RequestId target = find_ending(gone.op, gone.sector, gone.process);
    if (target == 0) target = find_starting(gone.op, gone.end(), gone.process);
    if (target == 0 || target == absorbed) return false;
    absorb(raw, target, absorbed);
    return true;
  }

  void absorb(const RawEvent& raw, RequestId target, RequestId absorbed) {
    const OpenRequest gone = open_.at(absorbed);
    close(absorbed);
    change(target, [&](OpenRequest& rq) {
      const Sector end = std::max(rq.end(), gone.end());
      if (gone.sector < rq.sector) rq.process = gone.process;
      rq.sector = std::min(rq.sector, gone.sector);
      rq.sectors = static_cast<SectorCount>(std::min<Sector>(end - rq.sector, UINT32_MAX));
    });
    emit_request(raw, EventKind::request_merge, target, absorbed);
  }

  /// The queued request of exactly this range; else one put together from the requests and bios inside the range; else 0.
  RequestId queued_request(const RawEvent& raw) {
    if (const RequestId id = find_request(false, raw); id != 0) return id;
    if (without_queues_) return open(request_of(raw));
    if (raw.sectors == 0) return 0;
    const Sector end = raw.sector + raw.sectors;
    RequestId whole = 0;
    int parts = 0;
    for (auto at = by_start_.lower_bound({false, raw.op, raw.sector, 0, 0});
         at != by_start_.end() && ++parts <= most_parts;) {
      const auto [issued, op, sector, sectors, id] = *at++;
      if (issued || op != raw.op || sector >= end) break;
      if (sector + sectors > end) continue;
      if (whole == 0) {
        whole = id;
      } else {
        absorb(raw, whole, id);
        ++inferred_merges_;
        at = by_start_.upper_bound({false, raw.op, sector, UINT32_MAX, UINT32_MAX});
      }
    }
    for (auto at = bio_index_.lower_bound({raw.op, raw.sector, 0, 0}); at != bio_index_.end() && ++parts <= most_parts;) {
      const auto [op, sector, sectors, id] = *at++;
      if (op != raw.op || sector >= end) break;
      if (sector + sectors > end) {
        split_bio(raw, id, static_cast<SectorCount>(end - sector));
        ++inferred_splits_;
        at = bio_index_.upper_bound({raw.op, sector, UINT32_MAX, UINT32_MAX});
      }
      if (whole == 0) {
        whole = allocate(raw, id);
      } else {
        attach(raw, whole, id);
      }
      ++inferred_merges_;
    }
    if (whole != 0) change(whole, [&](OpenRequest& rq) { rq.sector = raw.sector, rq.sectors = raw.sectors; });
    return whole;
  }

  void attach(const RawEvent& raw, RequestId request, BioId id) {
    const PendingBio bio = bios_.at(id);
    const bool back = bio.sector >= open_.at(request).sector;
    change(request, [&](OpenRequest& rq) {
      const Sector end = std::max(rq.end(), bio.sector + bio.sectors);
      if (!back) rq.sector = bio.sector, rq.process = bio.process;
      rq.sectors = static_cast<SectorCount>(std::min<Sector>(end - rq.sector, UINT32_MAX));
    });
    emit_bio(raw, back ? EventKind::back_merge : EventKind::front_merge, id, request);
    remove_bio(id);
  }

  void insert(const RawEvent& raw) {
    out_.has_inserts = true;
    const RequestId id = queued_request(raw);
    if (id == 0) return (void)count(from_before_);
    emit_request(raw, EventKind::insert, id);
  }

  void issue(const RawEvent& raw) {
    out_.has_issues = true;
    RequestId id = queued_request(raw);
    if (id == 0 && raw.op == Op::flush) id = open(request_of(raw));  // the block layer's own, for a request with PREFLUSH
    if (id == 0) return (void)count(from_before_);
    change(id, [](OpenRequest& rq) { rq.issued = true; });
    emit_request(raw, EventKind::issue, id);
  }

  void requeue(const RawEvent& raw) {
    const RequestId id = find_request(true, raw);
    if (id == 0) return (void)count(from_before_);
    change(id, [](OpenRequest& rq) {
      rq.sector += rq.done;
      rq.sectors -= rq.done;
      rq.done = 0;
      rq.issued = false;
    });
    emit_request(raw, EventKind::requeue, id);
  }

  void complete(const RawEvent& raw) {
    RequestId id = find_request(true, raw);
    if (id != 0) return finish(raw, id);
    if (raw.op == Op::flush) {
      // A flush that was answered by the device flush of another one completes without an issue of its own.
      id = find_request(false, raw);
      if (id == 0) return;
      change(id, [](OpenRequest& rq) { rq.issued = true; });
      emit_request(raw, EventKind::issue, id);
      ++shared_flushes_;
      return finish(raw, id);
    }
    if (raw.sectors == 0) return;  // the second completion, after its flushes, of a request that has been completed
    // A part of a request from its start: the request is complete when all of it is.
    const auto at = by_start_.lower_bound({true, raw.op, raw.sector, raw.sectors, 0});
    if (at != by_start_.end() && std::get<0>(*at) && std::get<1>(*at) == raw.op && std::get<2>(*at) == raw.sector) {
      change(std::get<4>(*at), [&](OpenRequest& rq) { rq.done += raw.sectors; });
      return;
    }
    if (const BioId bio = find_bio(raw); bio != 0) {
      dropped_.push_back(bios_.at(bio).event);
      remove_bio(bio);
      ++without_request_;
      return;
    }
    ++from_before_;
  }

  void finish(const RawEvent& raw, RequestId id) {
    emit_request(raw, EventKind::complete, id);
    close(id);
  }

  // The end.

  void drop_marked() {
    if (dropped_.empty()) return;
    std::sort(dropped_.begin(), dropped_.end());
    std::size_t kept = 0;
    auto next = dropped_.begin();
    for (std::size_t i = 0; i < out_.events.size(); ++i) {
      if (next != dropped_.end() && *next == i) {
        while (next != dropped_.end() && *next == i) ++next;
        continue;
      }
      out_.events[kept] = out_.events[i];
      out_.running[kept] = out_.running[i];
      ++kept;
    }
    out_.events.resize(kept);
    out_.running.resize(kept);
  }

  void say() {
    const auto warn = [&](std::uint64_t number, const char* text) {
      if (number != 0) out_.warnings.push_back(std::to_string(number) + " " + text);
    };
    warn(from_before_, "event(s) of requests that were under way before the recording began were left out");
    warn(lost_merges_, "merge(s) into requests from before the recording were left out");
    warn(lost_splits_, "split(s) of bios from before the recording were left out");
    warn(inferred_merges_, "allocation(s) and merge(s) were not recorded and have been inferred from sector ranges");
    warn(inferred_splits_, "split(s) of bios were not recorded and have been inferred from sector ranges");
    warn(shared_flushes_, "flush(es) were answered by the device flush of another one");
    warn(without_request_, "bio(s) were completed without a request (a bio-based device) and were left out");
    if (without_queues_) out_.warnings.emplace_back("the recording has no queue events: submissions are not known");
  }

  Recording& out_;
  std::int64_t start_ = 0;
  bool without_queues_ = false;
  BioId last_bio_ = 0;
  RequestId last_request_ = 0;
  std::map<BioId, PendingBio> bios_;
  std::set<BioKey> bio_index_;
  std::map<RequestId, OpenRequest> open_;
  std::set<StartKey> by_start_;
  std::set<EndKey> by_end_;
  std::vector<std::size_t> dropped_;
  std::uint64_t from_before_ = 0, lost_merges_ = 0, lost_splits_ = 0, inferred_merges_ = 0, inferred_splits_ = 0,
                shared_flushes_ = 0, without_request_ = 0;
};

}  // namespace

void follow_requests(const std::vector<RawEvent>& raw, Recording& out) { Follower(out).run(raw); }

}  // namespace elvcheck::recording_detail
