// SPDX-License-Identifier: GPL-2.0-or-later
// The arm's part of RotationalDevice: the choice of what it does next, and the doing.
#include <algorithm>

#include "model/core/mutant.hpp"
#include "model/device/rotational/rotational.hpp"

namespace elvcheck {

namespace {

constexpr int destage_window = 32;  // dirty ranges that are compared for one choice

// The number of an event: its kind in the two lowest bits.
enum EventNumber : std::uint64_t { completion = 0, arm_free = 1, stream_end = 2 };

constexpr Nanoseconds never = Nanoseconds::max();

}  // namespace

void RotationalDevice::on_event(std::uint64_t what) {
  switch (what & 3) {
    case completion:
      return release(static_cast<Slot>(what >> 2));
    case arm_free:
      return arm_done();
    case stream_end:
      if (what >> 2 == wake_ && !arm_busy()) choose();
  }
}

void RotationalDevice::complete_at(Nanoseconds at, Slot slot) {
  events().schedule(at, Rank::host, *this, std::uint64_t{slot} << 2 | completion);
}

void RotationalDevice::release(Slot slot) {
  const std::uint32_t tag = entries_[slot].command.tag;
  last_was_write_ = entries_[slot].command.op == Op::write;
  free_slots_.push_back(slot);
  done(tag);
}

// Gives the idle arm its next work, in the order that the head of rotational.hpp states.
void RotationalDevice::choose() {
  const Nanoseconds now = events().now();
  update_stream();
  answer_what_arrived();
  if (serve_stream()) return;
  if (const auto choice = best_choice(now)) {
    stream_.stop();
    if (choice->slot) {
      begin_command(*choice->slot);
    } else {
      begin_destage(choice->destage);
    }
  } else if (!dirty_.empty() && stream_.running()) {
    wake_at_stream_end();
  }
}

// Reads that waited, but whose blocks the head has read meanwhile.
void RotationalDevice::answer_what_arrived() {
  if (segment_ == nullptr) return;
  std::erase_if(waiting_, [this](Slot slot) {
    const Entry& entry = entries_[slot];
    if (entry.command.op != Op::read || !segment_->covers(entry.command.sector, entry.end())) return false;
    buffer_.touch(*segment_, entry.end());
    answer_from_buffer(slot);
    return true;
  });
}

// A read that the running stream will reach keeps the arm where it is.
bool RotationalDevice::serve_stream() {
  if (!stream_.running() || waiting_.empty()) return false;
  const Nanoseconds now = events().now();
  if (now - std::min(waiting_since(waiting_), destage_wanted_since()) > Nanoseconds(config_.age_limit_ns)) return false;
  const Sector head = segment_->end;
  for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
    const Slot slot = *at;
    const Entry& entry = entries_[slot];
    const Sector first = entry.command.sector;
    if (entry.command.op == Op::read && segment_->begin <= first &&
        first <= head + static_cast<Sector>(config_.reach_sectors)) {
      Work work;
      work.kind = Work::Kind::stream_read;
      work.slot = slot;
      work.first = first;
      work.kept_from = first;
      work.end = entry.end();
      work.data_from = now + hit_overhead();
      if (first >= head) work.data_from = std::max(work.data_from, stream_.time_of(mechanics_, first + 1));
      buffer_.touch(*segment_, work.end);
      const Nanoseconds until = stream_.time_of(mechanics_, work.end);
      work.data_until = until + Nanoseconds(config_.bus_ns_per_sector);
      waiting_.erase(at);
      occupy_arm(work, until);
      return true;
    }
    if (config_.order == 0) break;
  }
  return false;
}

Nanoseconds RotationalDevice::waiting_since(const std::vector<Slot>& queue) const {
  return queue.empty() ? never : entries_[queue.front()].arrival;
}

// Those who wait for dirty data to go: writes for room, and flushes.
Nanoseconds RotationalDevice::destage_wanted_since() const {
  return std::min(waiting_since(writes_waiting_), waiting_since(flushes_));
}

std::optional<RotationalDevice::Choice> RotationalDevice::best_choice(Nanoseconds now) const {
  std::optional<Choice> best;
  const Nanoseconds destage_since = destage_wanted_since();
  const Nanoseconds oldest = waiting_since(waiting_);
  const bool in_order = config_.order == 0 || now - std::min(oldest, destage_since) > Nanoseconds(config_.age_limit_ns);
  if (in_order && oldest != never && oldest <= destage_since) return Choice{0, waiting_.front(), 0};
  const bool only_destage = in_order && destage_since != never;
  if (config_.order == 2 && !waiting_.empty() && !only_destage) return Choice{0, next_upwards(now), 0};
  if (!only_destage) {
    const Nanoseconds known = std::max(now, waiting_.empty() ? now : entries_[*first_known(now)].known);
    for (const Slot slot : waiting_) {
      const Entry& entry = entries_[slot];
      if (entry.known > known) continue;
      const Nanoseconds ready = planted(Mutant::rotational_estimate_without_overhead) ? now : ready_time(entry, now);
      const std::int64_t price = cost(entry.medium_from, entry.place, entry.command.op == Op::write, ready, entry.arrival);
      if (!best || price < best->cost) best = Choice{price, slot, 0};
    }
  }
  const bool pressing =
      destage_since != never || dirty_.sectors() * 4 > static_cast<Sector>(config_.write_cache_sectors) * 3;
  const bool idle = waiting_.empty() && !stream_.running();
  if (pressing || idle) consider_destage(now, std::min(destage_since, now), best);
  return best;
}

void RotationalDevice::consider_destage(Nanoseconds now, Nanoseconds waiting_since, std::optional<Choice>& best) const {
  const std::uint64_t below = flushes_.empty() ? next_order_ : entries_[flushes_.front()].order;
  auto at = dirty_.next_older(arm_.next_block, below);
  if (at == dirty_.ranges().end()) return;
  const Sector begun = at->first;
  int compared = 0;
  do {
    const std::int64_t price = cost(at->first, mechanics_.layout().place(at->first), true, now, waiting_since);
    if (!best || price < best->cost) best = Choice{price, std::nullopt, at->first};
    at = dirty_.next_older(at->first + 1, below);
  } while (++compared < destage_window && at->first != begun);
}

// The command that the drive has taken in first; of those it has by now, the first to come.
std::optional<RotationalDevice::Slot> RotationalDevice::first_known(Nanoseconds now) const {
  std::optional<Slot> first;
  for (const Slot slot : waiting_) {
    if (entries_[slot].known <= now) return slot;
    if (!first || entries_[slot].known < entries_[*first].known) first = slot;
  }
  return first;
}

// C-LOOK: the nearest command not below the last one's first sector, otherwise the lowest.
std::optional<RotationalDevice::Slot> RotationalDevice::next_upwards(Nanoseconds now) const {
  const Nanoseconds known = std::max(now, entries_[*first_known(now)].known);
  std::optional<Slot> best;
  for (const Slot slot : waiting_) {
    const Entry& entry = entries_[slot];
    if (entry.known > known) continue;
    const auto rank = [this](Sector sector) { return sector - served_; };  // wraps: what lies below comes last
    if (!best || rank(entry.command.sector) < rank(entries_[*best].command.sector)) best = slot;
  }
  return best;
}

// When the movement for a command can begin.
Nanoseconds RotationalDevice::ready_time(const Entry& entry, Nanoseconds now) const {
  const Nanoseconds ready = config_.overlap_overhead != 0 ? std::max(now, entry.known) : now + entry.overhead;
  return config_.write_data_ns == RotationalConfig::same ? std::max(ready, entry.data_at) : ready;
}

// A write's first block must not pass before this, lest the medium overtake the bus.
Nanoseconds RotationalDevice::data_needed(const Entry& entry) const {
  if (entry.command.op != Op::write || config_.write_data_ns == RotationalConfig::same) return 0ns;
  const SectorCount sectors = entry.command.sectors;
  const Nanoseconds first = entry.data_at - Nanoseconds(write_bus_ns(sectors - 1));
  return std::max(first, entry.data_at - mechanics_.pass_time(sectors - 1, entry.place.sectors_per_track));
}

std::int64_t RotationalDevice::cost(Sector block, const Place& place, bool write, Nanoseconds ready,
                                    Nanoseconds since) const {
  const Nanoseconds now = events().now();
  const Access access = mechanics_.position(arm_, block, place, write, ready);
  return (access.first - now).count() - (now - since).count() * config_.age_permille / 1000;
}

// The first block of those before the read that pass while the head waits for it.
Sector RotationalDevice::kept_from(const Entry& entry, const Access& access) const {
  const Sector first = entry.command.sector;
  if (config_.keep_passing == 0 || entry.medium_from != first) return first;
  const auto passed =
      static_cast<Sector>(access.wait.count()) * entry.place.sectors_per_track / static_cast<Sector>(config_.period_ns);
  Sector kept = first - std::min<Sector>({passed, entry.place.sector, first});
  const auto on_track = [&](const Place& place) {
    return place.cylinder == entry.place.cylinder && place.head == entry.place.head;
  };
  while (!on_track(mechanics_.layout().place(kept))) ++kept;  // behind a defect
  return kept;
}

void RotationalDevice::begin_command(Slot slot) {
  Entry& entry = entries_[slot];
  const Sector first = entry.command.sector;
  if (entry.medium_from > first && buffer_.find(first, entry.medium_from) == nullptr) {  // gone meanwhile
    entry.medium_from = first;
    entry.place = mechanics_.layout().place(first);
  }
  const bool write = entry.command.op == Op::write;
  const Nanoseconds ready = ready_time(entry, events().now());
  const Nanoseconds needed = data_needed(entry);
  const auto from_medium = static_cast<SectorCount>(entry.end() - entry.medium_from);
  const Access access = mechanics_.access(arm_, entry.medium_from, entry.place, from_medium, write, ready, needed);
  Work work;
  work.kind = write ? Work::Kind::write : Work::Kind::read;
  work.slot = slot;
  work.first = first;
  work.end = entry.end();
  work.kept_from = kept_from(entry, access);
  const auto enough = static_cast<SectorCount>(
      std::max<std::int64_t>(1, std::int64_t{entry.command.sectors} * config_.bus_start_permille / 1000));
  if (entry.medium_from > first) {
    work.data_from = events().now() + hit_overhead();
  } else if (enough <= entry.place.left_on_track) {
    work.data_from =
        access.first + mechanics_.pass_time(enough, entry.place.sectors_per_track) + Nanoseconds(config_.reconnect_ns);
  } else {
    work.data_from =
        mechanics_.access(arm_, first, entry.place, enough, write, ready, needed).end + Nanoseconds(config_.reconnect_ns);
  }
  work.data_until = access.last_piece + mechanics_.pass_time(1, access.last_sectors_per_track) +
                    Nanoseconds(config_.bus_ns_per_sector * std::int64_t{access.last_piece_sectors});
  work.data_until = std::max(work.data_until, access.end + Nanoseconds(config_.bus_ns_per_sector));
  work.arm = access.arm;
  served_ = work.first;
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), slot));
  occupy_arm(work, access.end);
}

void RotationalDevice::begin_destage(Sector first) {
  const DirtyRanges::Range range = dirty_.ranges().at(first);
  const Access access =
      mechanics_.access(arm_, first, mechanics_.layout().place(first), static_cast<SectorCount>(range.end - first), true,
                        std::max(events().now(), destage_from_));
  Work work;
  work.kind = Work::Kind::destage;
  work.first = first;
  work.end = range.end;
  work.order = range.order;
  work.arm = access.arm;
  dirty_.remove(first, range.end);
  occupy_arm(work, access.end);
}

void RotationalDevice::put_arm(Sector behind) {
  const Place place = mechanics_.layout().place(behind - 1);
  arm_ = {place.cylinder, place.head, behind, Nanoseconds(-1)};
}

void RotationalDevice::occupy_arm(const Work& work, Nanoseconds until) {
  work_ = work;
  events().schedule(until, Rank::host, *this, arm_free);
}

void RotationalDevice::arm_done() {
  const bool reads = work_.kind == Work::Kind::read || work_.kind == Work::Kind::stream_read;
  if (reads && config_.overlap_overhead != 0 && !work_.sent && bus_free_ > events().now()) {
    occupy_arm(work_, bus_free_);  // a command that comes until then takes the bus before these data
    return;
  }
  const Work work = work_;
  work_ = {};
  work_.kind = Work::Kind::hold;  // while the listener is told, its commands queue up
  switch (work.kind) {
    case Work::Kind::read:
    case Work::Kind::stream_read:
      if (const Nanoseconds reported = finish_read(work); config_.hold_arm != 0) {
        occupy_arm(work_, reported);
        return;
      }
      break;
    case Work::Kind::write:
      arm_ = work.arm;
      dirty_.remove(work.first, work.end);
      if (config_.write_status_ns > 0) {
        const Nanoseconds reported = events().now() + Nanoseconds(config_.write_status_ns);
        complete_at(reported, work.slot);
        settle_waiters();
        occupy_arm(work_, reported);
        return;
      }
      release(work.slot);
      settle_waiters();
      break;
    case Work::Kind::destage:
      arm_ = work.arm;
      settle_waiters();
      break;
    case Work::Kind::none:
    case Work::Kind::hold:
      break;
  }
  work_.kind = Work::Kind::none;
  choose();
}

// The blocks are in the buffer. Their bus transfer began when the first was there, and ends after the last.
Nanoseconds RotationalDevice::finish_read(Work work) {
  send(work);
  const Nanoseconds reported = *work.sent + Nanoseconds(config_.read_status_ns);
  complete_at(reported, work.slot);
  if (work.kind == Work::Kind::stream_read && segment_ != nullptr) {
    update_stream();
    return reported;
  }
  if (work.kind == Work::Kind::read) arm_ = work.arm;
  if (!buffer_.enabled()) return reported;
  segment_ = buffer_.find_adjoining(work.first);
  if (segment_ == nullptr) segment_ = &buffer_.replace(work.kept_from);
  segment_->begin = std::min(segment_->begin, work.kept_from);
  buffer_.extend(*segment_, work.end);
  buffer_.touch(*segment_, work.end);
  if (work.kind == Work::Kind::read) stream_.start(mechanics_, arm_);
  return reported;
}

// Brings the segment up to what the head has passed; ends the stream one segment ahead of the host.
void RotationalDevice::update_stream() {
  if (!stream_.running()) return;
  const Sector limit = stream_limit();
  const Sector position = stream_.position(mechanics_, events().now(), limit);
  buffer_.extend(*segment_, position);
  arm_ = stream_.arm();
  arm_.at = Nanoseconds(-1);
  if (position >= limit) stream_.stop();
}

Sector RotationalDevice::stream_limit() const {
  if (config_.read_ahead_tracks != 0) {
    const Layout& layout = mechanics_.layout();
    if (segment_->host_end >= info_.capacity) return info_.capacity;
    const Place host = layout.place(segment_->host_end);
    const Place begin = layout.place(segment_->begin);
    const Sector end = layout.end_of_track(segment_->host_end);
    const bool same_track = begin.cylinder == host.cylinder && begin.head == host.head;
    return same_track || end >= info_.capacity ? end : layout.end_of_track(end);
  }
  const bool own = config_.read_ahead_sectors != RotationalConfig::same;
  const Sector ahead = own ? static_cast<Sector>(config_.read_ahead_sectors) : buffer_.segment_sectors();
  return std::min(segment_->host_end + ahead, info_.capacity);
}

void RotationalDevice::wake_at_stream_end() {
  const Sector limit = stream_limit();
  events().schedule(stream_.time_of(mechanics_, limit), Rank::host, *this, ++wake_ << 2 | stream_end);
}

}  // namespace elvcheck
