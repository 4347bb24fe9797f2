// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/block/single_queue.hpp"

#include <algorithm>

#include "model/block/rules.hpp"
#include "model/core/mutant.hpp"

namespace elvcheck {

namespace {

constexpr unsigned unplug_threshold = 4;         // 2.6.35: q->unplug_thresh
constexpr std::uint64_t unplug_delay_ms = 3;     // 2.6.35: q->unplug_delay; also the queue delay after a refusal
constexpr unsigned plug_max_requests = 16;       // 4.19: BLK_MAX_REQUEST_COUNT
constexpr SectorCount plug_flush_sectors = 256;  // 4.10 and later: BLK_PLUG_FLUSH_SIZE, 128 KiB
constexpr unsigned batch_requests = 32;          // BLK_BATCH_REQ
constexpr unsigned batches_in_second = 50;       // BLK_BATCH_TIME is HZ/50 ticks

}  // namespace

SingleQueueLayer::SingleQueueLayer(Plugging plugging, const BlockSettings& settings, EventQueue& events, Trace& trace,
                                   Device& device, BlockLayerHost& host)
    : plugging_(plugging),
      settings_(settings),
      events_(events),
      trace_(trace),
      device_(device),
      host_(host),
      clock_(settings.hz),
      merger_(events, trace, Merger::Settings{settings.nomerges, settings.max_sectors, settings.max_segments, false, false, false}),
      flush_(*this, events),
      in_device_(device.info().queue_depth, nullptr),
      unplug_timer_(events, *this, unplug_timer),
      unplug_work_(events, *this, unplug_work),
      delay_work_(events, *this, delay_work) {}

void SingleQueueLayer::set_elevator(std::unique_ptr<SingleQueueElevator> elevator) {
  elevator_ = std::move(elevator);
  merger_.set_elevator(elevator_.get());
}

// Submission.

Submission SingleQueueLayer::submit(Bio& bio) {
  Task& task = tasks_[bio.process];
  bio.queued_at = events_.now();
  if (FlushSequencer::filter(bio, device_.info())) {
    host_.bio_done(bio);
    return Submission::accepted;
  }
  if (trace_.watched()) trace_.emit(bio_event(EventKind::queue, bio, nullptr, events_.now()));
  if (!(old() && elevator_empty()) && settings_.nomerges < 2) {
    if (!old() && merge_into_plug(task, bio)) return Submission::accepted;
    const Merger::BioMerge merge = merger_.try_merge(bio);
    if (merge.absorbed != nullptr) free_request(*merge.absorbed);
    if (merge.into != nullptr) {
      if (old() && op_is_sync(bio.op, bio.flags) && !task.plugged) unplug();
      return Submission::accepted;
    }
  }
  return allocate_and_send(task, bio);
}

Submission SingleQueueLayer::resume(ProcessId process) {
  Task& task = tasks_[process];
  Bio& bio = *task.blocked_bio;
  task.blocked_bio = nullptr;
  start_batch(task);  // whoever had to wait may take one
  return allocate_and_send(task, bio);
}

bool SingleQueueLayer::merge_into_plug(Task& task, Bio& bio) {
  return std::any_of(task.plug.rbegin(), task.plug.rend(),
                     [&](Request* rq) { return merger_.try_merge_plain(*rq, bio) == Merger::PlainMerge::merged; });
}

/// ioc_batching(): within its time, or not begun.
bool SingleQueueLayer::batching(const Task& task) const {
  const std::uint64_t now = clock_.jiffies(events_.now());
  return task.batch_left == batch_requests || (task.batch_left > 0 && now < task.batch_since + clock_.hz() / batches_in_second);
}

/// ioc_set_batching(): a batch that goes on is not renewed.
void SingleQueueLayer::start_batch(Task& task) const {
  if (batching(task)) return;
  task.batch_left = batch_requests;
  task.batch_since = clock_.jiffies(events_.now());
}

/// The rules of get_request(): nr_requests for each sync class, a batch on top for a process that waited or filled the pool,
/// one and a half times nr_requests for everybody.
bool SingleQueueLayer::may_allocate(Task& task, const Bio& bio) {
  Pool& pool = pools_[op_is_sync(bio.op, bio.flags)];
  const bool must = elevator_->may_queue(bio.process, bio);
  if (pool.count + 1 >= settings_.nr_requests) {
    if (!pool.full) {
      pool.full = true;
      start_batch(task);
    } else if (!must && !batching(task)) {
      return false;
    }
  }
  return pool.count < 3 * settings_.nr_requests / 2 || planted(Mutant::single_queue_nr_requests_ignored);
}

Submission SingleQueueLayer::allocate_and_send(Task& task, Bio& bio) {
  Pool& pool = pools_[op_is_sync(bio.op, bio.flags)];
  if (!may_allocate(task, bio)) {
    pool.waiters.push_back(bio.process);
    task.blocked_bio = &bio;
    if (trace_.watched()) trace_.emit(bio_event(EventKind::sleep_request, bio, nullptr, events_.now()));
    old() ? unplug() : process_sleeps(bio.process, true);
    return Submission::blocked;
  }
  // Up to 2.6.35 only a request that (nearly) fills the pool counts.
  const bool counts = !old() || pool.count + 1 >= settings_.nr_requests;
  ++pool.count;
  if (counts && batching(task)) --task.batch_left;
  Request& rq = pool_.allocate(bio, events_.now());
  if (!op_is_flush(rq.op, rq.flags)) {
    rq.elvpriv = true;
    elevator_->set_request(rq, bio);
  }
  if (trace_.watched()) trace_.emit(bio_event(EventKind::get_request, bio, &rq, events_.now()));
  send(task, rq);
  return Submission::accepted;
}

void SingleQueueLayer::send(Task& task, Request& rq) {
  if (!rq.elvpriv) {
    insert_flush(rq);
    request_fn();
    return;
  }
  if (old()) {
    const bool sync = op_is_sync(rq.op, rq.flags);
    if (elevator_empty()) plug_queue();
    insert_sorted(rq);
    const unsigned allocated = pools_[0].count + pools_[1].count;
    if (queue_plugged_ && allocated - in_flight_ >= unplug_threshold) unplug();
    if (sync && !task.plugged) unplug();
    return;
  }
  if (!task.plugged) {
    insert_sorted(rq);
    request_fn();
    return;
  }
  const auto full = [&] {
    return task.plug.size() >= plug_max_requests ||
           (plugging_ == Plugging::task_4_19 && task.plug.back()->sectors >= plug_flush_sectors);
  };
  if (!task.plug.empty() && full()) flush_plug(task, false);
  if (task.plug.empty()) emit(EventKind::plug, rq);
  task.plug.push_back(&rq);
}

void SingleQueueLayer::insert_sorted(Request& rq) {
  emit(EventKind::insert, rq);
  merger_.add_target(rq);
  elevator_->add_request(rq);
}

void SingleQueueLayer::insert_flush(Request& rq) {
  rq.flush_steps = FlushSequencer::policy(rq.op, rq.flags, rq.sectors, device_.info());
  rq.flags &= static_cast<ReqFlags>(~REQ_PREFLUSH);
  if (!device_.info().fua) rq.flags &= static_cast<ReqFlags>(~REQ_FUA);
  rq.flags |= REQ_SYNC;  // the flags taken off implied it, and the request goes back to the pool that it came from
  if (old()) {
    std::int64_t moved = 0;
    while (const unsigned some = elevator_->dispatch(true)) moved += some;
    emit(EventKind::note, block_rule::forced_drain, moved);
  }
  if (rq.flush_steps == 0) {
    end_request(rq);
  } else if (rq.flush_steps == FlushSequencer::data) {
    rq.flush_steps = 0;  // an ordinary command, but past the scheduler
    dispatch_.push_back(rq);
  } else {
    flush_.start(rq);
  }
}

// Plugs.

void SingleQueueLayer::start_plug(ProcessId process) { tasks_[process].plugged = true; }

void SingleQueueLayer::finish_plug(ProcessId process) {
  Task& task = tasks_[process];
  const bool was_plugged = task.plugged;
  task.plugged = false;
  if (!old()) {
    flush_plug(task, false);
  } else if (was_plugged && queue_plugged_) {
    unplug();  // a task that exits without a plug of its own leaves the queue as it is
  }
}

void SingleQueueLayer::process_sleeps(ProcessId process, bool for_io) {
  if (old()) {
    if (queue_plugged_ && for_io) unplug();  // waiting for a page or buffer unplugs the queue behind it
  } else if (!planted(Mutant::block_plug_kept_at_sleep)) {
    flush_plug(tasks_[process], true);
  }
}

void SingleQueueLayer::flush_plug(Task& task, bool from_schedule) {
  if (task.plug.empty()) return;
  std::vector<Request*> list(task.plug.rbegin(), task.plug.rend());
  task.plug.clear();
  std::stable_sort(list.begin(), list.end(), [](const Request* a, const Request* b) { return a->sector < b->sector; });
  for (Request* rq : list) {
    const bool merged = merger_.try_insert_merge(*rq, [this](Request& gone) { free_request(gone); });
    if (!merged) insert_sorted(*rq);
  }
  if (trace_.watched()) {
    TraceEvent event;
    event.at = events_.now();
    event.kind = from_schedule ? EventKind::timer_unplug : EventKind::unplug;
    trace_.emit(event);
  }
  from_schedule ? delay_work_.arm(events_.now()) : request_fn();
}

void SingleQueueLayer::plug_queue() {
  if (queue_plugged_) return;
  queue_plugged_ = true;
  if (planted(Mutant::single_queue_unplug_timer_lost)) return;
  const std::uint64_t delay = std::max<std::uint64_t>(unplug_delay_ms * clock_.hz() / 1000, 1);
  unplug_timer_.arm(clock_.tick_start(clock_.jiffies(events_.now()) + delay));
}

bool SingleQueueLayer::unplug_flag() {
  if (!queue_plugged_) return false;
  queue_plugged_ = false;
  unplug_timer_.cancel();
  return true;
}

/// __generic_unplug_device().
void SingleQueueLayer::unplug() {
  if (!unplug_flag() && device_.info().rotational) return;
  request_fn();
}

void SingleQueueLayer::on_event(std::uint64_t work) {
  switch (work) {
    case unplug_timer:
      emit(EventKind::timer, block_rule::unplug_timer);
      unplug_work_.arm_now();
      break;
    case unplug_work:
      if (queue_plugged_) unplug();
      break;
    default:
      if (delay_after_refusal_) emit(EventKind::timer, block_rule::queue_delay);
      delay_after_refusal_ = false;
      run_queue(false);
  }
}

// Dispatch.

void SingleQueueLayer::dispatch_add_tail(Request& rq) {
  merger_.forget_target(rq);
  end_sector_ = rq.end();
  boundary_ = &rq;
  dispatch_.push_back(rq);
}

void SingleQueueLayer::dispatch_sort(Request& rq) {
  merger_.forget_target(rq);
  Request* stop = dispatch_.back();
  for (; stop != nullptr; stop = stop->queuelist.prev) {
    if (data_dir(*stop) != data_dir(rq) || stop->started || stop->soft_barrier) break;
    if (rq.sector >= end_sector_) {
      if (stop->sector < end_sector_) continue;
    } else if (stop->sector >= end_sector_) {
      break;
    }
    if (rq.sector >= stop->sector) break;
  }
  stop == nullptr ? dispatch_.push_front(rq) : dispatch_.insert_after(rq, *stop);
}

void SingleQueueLayer::run_queue(bool async) {
  if (async) {
    old() ? unplug_work_.arm_now() : delay_work_.arm(events_.now());
    return;
  }
  if (old()) {
    unplug_flag();
    if (elevator_empty()) return;
  }
  request_fn();
}

void SingleQueueLayer::request_fn() {
  if (pulling_) {
    // Called from inside the pull loop: the loop is not entered twice; kblockd runs the queue afterwards.
    if (old()) queue_plugged_ = true;
    run_queue(true);
    return;
  }
  pulling_ = true;
  while (in_flight_ < device_.info().queue_depth) {
    Request* rq = peek();
    if (rq == nullptr) break;
    dispatch_.remove(*rq);
    if (settings_.refuse_every != 0 && ++offered_ % settings_.refuse_every == 0) {
      refuse(*rq);
      break;
    }
    const auto free_slot = std::find(in_device_.begin(), in_device_.end(), nullptr);
    *free_slot = rq;
    rq->driver_tag = static_cast<int>(free_slot - in_device_.begin());
    ++in_flight_;
    device_.issue(DeviceCommand{static_cast<std::uint32_t>(rq->driver_tag), rq->op, (rq->flags & REQ_FUA) != 0, rq->sector,
                                rq->op == Op::flush ? 0 : rq->sectors});
  }
  pulling_ = false;
}

Request* SingleQueueLayer::peek() {
  while (dispatch_.empty()) {
    if (elevator_->dispatch(false) == 0) return nullptr;
  }
  Request* rq = dispatch_.front();
  if (!rq->started) {
    if (rq->elvpriv) elevator_->activate_request(*rq);
    rq->started = true;
    emit(EventKind::issue, *rq);
  }
  if (boundary_ == nullptr || boundary_ == rq) {
    end_sector_ = rq->end();
    boundary_ = nullptr;
  }
  return rq;
}

/// The driver could not take the request: it goes back to the head of the dispatch list, and nothing passes it.
void SingleQueueLayer::refuse(Request& rq) {
  emit(EventKind::requeue, rq);
  if (rq.elvpriv) elevator_->deactivate_request(rq);
  rq.started = false;
  rq.soft_barrier = true;
  if (!planted(Mutant::block_requeue_lost)) dispatch_.push_front(rq);
  if (planted(Mutant::block_refusal_not_retried)) return;
  if (old()) {
    plug_queue();
  } else if (!delay_work_.pending()) {
    delay_after_refusal_ = true;
    delay_work_.arm(clock_.tick_start(clock_.jiffies(events_.now()) + clock_.msecs_to_jiffies(unplug_delay_ms)));
  }
}

// Completion.

void SingleQueueLayer::command_done(std::uint32_t tag) {
  Request& rq = *in_device_[tag];
  in_device_[tag] = nullptr;
  rq.driver_tag = -1;
  --in_flight_;
  emit(EventKind::complete, rq);
  if (rq.op == Op::flush && rq.first_bio == nullptr) {
    pool_.free(rq);
    flush_.flush_done();
  } else if (rq.flush_steps != 0) {
    flush_.data_done(rq);
  } else {
    if (rq.elvpriv) elevator_->completed_request(rq);
    end_request(rq);
  }
  run_queue(false);
}

void SingleQueueLayer::end_request(Request& rq) {
  for (Bio* bio = rq.first_bio; bio != nullptr;) {
    Bio* next = bio->next;
    host_.bio_done(*bio);
    bio = next;
  }
  free_request(rq);
}

void SingleQueueLayer::free_request(Request& rq) {
  if (rq.elvpriv) elevator_->put_request(rq);
  Pool& pool = pools_[op_is_sync(rq.op, rq.flags)];
  --pool.count;
  pool_.free(rq);
  if (pool.count + 1 > settings_.nr_requests) return;
  pool.full = false;
  if (pool.waiters.empty() || planted(Mutant::single_queue_wake_forgotten)) return;
  const ProcessId process = pool.waiters.front();
  pool.waiters.erase(pool.waiters.begin());
  host_.wake(process);
}

// Flush sequences.

void SingleQueueLayer::queue_flush(const Request& borrowed_from) {
  Request& rq = pool_.allocate_flush(events_.now());
  rq.process = borrowed_from.process;
  dispatch_.push_back(rq);
}

void SingleQueueLayer::queue_data(Request& rq) {
  rq.started = false;
  dispatch_.push_front(rq);
}

}  // namespace elvcheck
