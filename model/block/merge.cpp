// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/block/merge.hpp"

#include "model/core/mutant.hpp"

namespace elvcheck {

namespace {
constexpr ReqFlags never_merged = REQ_NOMERGE | REQ_PREFLUSH | REQ_FUA;  // REQ_NOMERGE_FLAGS
}

void Merger::hash_add(Request& rq) {
  Request** head = &hash_[bucket(rq.end())];
  rq.hash_next = *head;
  rq.hash_pprev = head;
  if (*head != nullptr) (*head)->hash_pprev = &rq.hash_next;
  *head = &rq;
}

void Merger::hash_del(Request& rq) {
  if (rq.hash_pprev == nullptr) return;
  *rq.hash_pprev = rq.hash_next;
  if (rq.hash_next != nullptr) rq.hash_next->hash_pprev = rq.hash_pprev;
  rq.hash_next = nullptr;
  rq.hash_pprev = nullptr;
}

void Merger::add_target(Request& rq) {
  if (!rq.mergeable()) return;
  hash_add(rq);
  if (last_merge_ == nullptr) last_merge_ = &rq;
}

void Merger::forget_target(Request& rq) {
  hash_del(rq);
  if (last_merge_ == &rq) last_merge_ = nullptr;
}

Request* Merger::find_end(Sector end) {
  Request* next = nullptr;
  for (Request* rq = hash_[bucket(end)]; rq != nullptr; rq = next) {
    next = rq->hash_next;
    if (!rq->mergeable())
      hash_del(*rq);
    else if (rq->end() == end)
      return rq;
  }
  return nullptr;
}

bool Merger::may_take(const Request& rq, const Bio& bio) const {
  if (!rq.mergeable() || (bio.flags & never_merged) != 0 || bio.sectors == 0) return false;
  if (rq.op != bio.op || rq.op == Op::discard) return false;
  const bool same_ioprio = !settings_.same_ioprio || rq.ioprio == bio.ioprio || planted(Mutant::merge_ignores_ioprio);
  return same_ioprio && meta_agrees(rq, bio);
}

bool Merger::fits(Request& rq, SectorCount sectors, unsigned segments) {
  const bool short_enough = rq.sectors + sectors <= settings_.max_sectors || planted(Mutant::merge_over_max_sectors);
  const bool few_enough = rq.segments + segments <= settings_.max_segments || planted(Mutant::merge_over_max_segments);
  if (short_enough && few_enough) return true;
  // req_set_nomerge(): a request that was found full once is not offered again.
  rq.flags |= REQ_NOMERGE;
  if (last_merge_ == &rq) last_merge_ = nullptr;
  return false;
}

bool Merger::append(Request& rq, Bio& bio) {
  if (!fits(rq, bio.sectors, 1)) return false;
  if (!planted(Mutant::merge_drops_bio)) rq.last_bio->next = &bio;
  rq.last_bio = &bio;
  rq.sectors += bio.sectors;
  ++rq.segments;
  emit(EventKind::back_merge, rq, &bio);
  return true;
}

bool Merger::prepend(Request& rq, Bio& bio) {
  if (!fits(rq, bio.sectors, 1)) return false;
  bio.next = rq.first_bio;
  rq.first_bio = &bio;
  rq.sector = bio.sector;
  rq.sectors += bio.sectors;
  rq.process = bio.process;
  ++rq.segments;
  emit(EventKind::front_merge, rq, &bio);
  return true;
}

Merger::PlainMerge Merger::try_merge_plain(Request& rq, Bio& bio) {
  using enum PlainMerge;
  if (!may_take(rq, bio)) return does_not_fit;
  if (rq.end() == bio.sector) return append(rq, bio) ? merged : failed;
  if (bio.sector + bio.sectors == rq.sector) return prepend(rq, bio) ? merged : failed;
  return does_not_fit;
}

Merger::BioMerge Merger::try_merge(Bio& bio) {
  if (settings_.nomerges >= 2 || (bio.flags & never_merged) != 0) return {};
  const auto allowed = [&](const Request& rq) { return may_take(rq, bio) && elevator_->allow_merge(rq, bio); };

  Request* rq = nullptr;
  bool at_front = false;
  if (last_merge_ != nullptr && allowed(*last_merge_)) {
    if (last_merge_->end() == bio.sector) {
      rq = last_merge_;
    } else if (bio.sector + bio.sectors == last_merge_->sector) {
      rq = last_merge_;
      at_front = true;
    }
  }
  if (rq == nullptr && settings_.nomerges == 0) {
    if (Request* target = find_end(bio.sector); target != nullptr && allowed(*target)) rq = target;
    if (rq == nullptr) {
      if (Request* target = elevator_->find_front_merge(bio); target != nullptr && allowed(*target)) {
        rq = target;
        at_front = true;
      }
    }
  }
  // A scheduler that merges queues while it is asked can change its mind.
  if (rq != nullptr && settings_.allow_twice && !elevator_->allow_merge(*rq, bio)) return {};
  if (rq == nullptr || !(at_front ? prepend(*rq, bio) : append(*rq, bio))) return {};

  BioMerge result{rq, nullptr};
  if (at_front) {
    Request* former = elevator_->former_request(*rq);
    if (former != nullptr && attempt_merge(*former, *rq)) {
      result = BioMerge{former, rq};
    } else {
      elevator_->request_merged(*rq, true);
      last_merge_ = rq;
    }
  } else {
    Request* latter = elevator_->latter_request(*rq);
    if (latter != nullptr && attempt_merge(*rq, *latter)) {
      result.absorbed = latter;
    } else {
      elevator_->request_merged(*rq, false);
      hash_del(*rq);
      hash_add(*rq);
      last_merge_ = rq;
    }
  }
  return result;
}

bool Merger::attempt_merge(Request& rq, Request& next) {
  if (&rq == &next || !rq.mergeable() || !next.mergeable()) return false;
  if (rq.op != next.op || rq.op == Op::discard) return false;
  if (settings_.same_ioprio && rq.ioprio != next.ioprio) return false;
  if (!meta_agrees(rq, *next.first_bio)) return false;
  if (rq.end() != next.sector || !elevator_->allow_request_merge(rq, next)) return false;
  const bool short_enough =
      rq.sectors + next.sectors <= settings_.max_sectors || planted(Mutant::merge_requests_over_max_sectors);
  if (!short_enough || rq.segments + next.segments > settings_.max_segments) return false;

  if (next.start_time < rq.start_time) rq.start_time = next.start_time;
  rq.last_bio->next = next.first_bio;
  rq.last_bio = next.last_bio;
  next.first_bio = next.last_bio = nullptr;
  rq.sectors += next.sectors;
  rq.segments = static_cast<std::uint16_t>(rq.segments + next.segments);
  elevator_->requests_merged(rq, next);
  forget_target(next);
  hash_del(rq);
  hash_add(rq);
  last_merge_ = &rq;
  emit(EventKind::request_merge, rq, nullptr, next.id);
  return true;
}

void Merger::emit(EventKind kind, const Request& rq, const Bio* bio, RequestId other) {
  if (!trace_.watched()) return;
  TraceEvent event;
  event.at = events_.now();
  event.kind = kind;
  event.op = rq.op;
  event.flags = bio != nullptr ? bio->flags : rq.flags;
  event.ioprio = rq.ioprio;
  event.process = bio != nullptr ? bio->process : rq.process;
  event.bio = bio != nullptr ? bio->id : 0;
  event.request = rq.id;
  event.other = other;
  event.sector = bio != nullptr ? bio->sector : rq.sector;
  event.sectors = bio != nullptr ? bio->sectors : rq.sectors;
  trace_.emit(event);
}

}  // namespace elvcheck
