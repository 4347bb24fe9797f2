// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/block/multi_queue.hpp"

#include <cassert>
#include <stdexcept>

#include "model/block/rules.hpp"
#include "model/core/mutant.hpp"

namespace elvcheck {

namespace {

constexpr unsigned plug_max_requests = 32;          // BLK_MAX_REQUEST_COUNT
constexpr SectorCount plug_flush_sectors = 256;     // BLK_PLUG_FLUSH_SIZE, 128 KiB
constexpr unsigned software_queue_merge_tries = 8;  // blk_bio_list_merge
constexpr std::uint64_t rerun_delay_ms = 3;         // BLK_MQ_BUDGET_DELAY, BLK_MQ_RESOURCE_DELAY
constexpr unsigned busy_weight = 8;                 // BLK_MQ_DISPATCH_BUSY_EWMA_WEIGHT
constexpr unsigned busy_step = 1U << 4;             // BLK_MQ_DISPATCH_BUSY_EWMA_FACTOR

unsigned driver_tag_count(const DeviceInfo& device) {
  return device.queue_depth + (planted(Mutant::multi_queue_one_tag_too_many) ? 1 : 0);
}

}  // namespace

MultiQueueLayer::MultiQueueLayer(Generation generation, const BlockSettings& settings, EventQueue& events, Trace& trace,
                                 Device& device, BlockLayerHost& host)
    : generation_(generation),
      settings_(settings),
      events_(events),
      trace_(trace),
      device_(device),
      host_(host),
      clock_(settings.hz),
      merger_(
          events, trace,
          Merger::Settings{settings.nomerges, settings.max_sectors, settings.max_segments, true, settings.blk_cgroup, true}),
      flush_(*this, events),
      driver_tags_(driver_tag_count(device.info()), random_, tag_limit()),
      sched_tags_(settings.nr_requests, random_, tag_limit()),
      by_driver_tag_(driver_tag_count(device.info()), nullptr),
      run_work_(events, *this, run_work),
      requeue_work_(events, *this, requeue_work) {}

void MultiQueueLayer::set_elevator(std::unique_ptr<MultiQueueElevator> elevator) {
  elevator_ = std::move(elevator);
  merger_.set_elevator(elevator_.get());
  sched_tags_.set_min_shallow_depth(elevator_->min_shallow_depth(sched_tags_.word_bits()));
}

// Submission.

Submission MultiQueueLayer::submit(Bio& bio) {
  if (FlushSequencer::filter(bio, device_.info())) {
    bio.queued_at = events_.now();
    host_.bio_done(bio);
    return Submission::accepted;
  }
  Task& task = tasks_[bio.process];
  const bool plug_each_bio = settings_.plug_each_bio || generation_ == Generation::v6_12;
  if (plug_each_bio && !task.plug.open) task.plug.open = task.plug.for_one_bio = true;
  const Submission result = submit_plugged(task, bio);
  if (result == Submission::accepted) finish_plug_of_bio(task);
  return result;
}

Submission MultiQueueLayer::submit_plugged(Task& task, Bio& bio) {
  bio.queued_at = events_.now();
  if (trace_.watched()) trace_.emit(bio_event(EventKind::queue, bio, nullptr, events_.now()));
  if (attempt_bio_merge(task, bio)) return Submission::accepted;
  return allocate_and_send(
      task, bio, scheduled(bio.op, bio.flags) ? elevator_->limit_depth(bio, sched_tags_.word_bits()) : TagMap::no_limit);
}

Submission MultiQueueLayer::resume(ProcessId process) {
  Task& task = tasks_[process];
  Bio& bio = *task.blocked_bio;
  task.blocked_bio = nullptr;
  tags().finish_wait();
  const Submission result = run_queue_and_allocate(task, bio, task.depth_limit);
  if (result == Submission::accepted) finish_plug_of_bio(task);
  return result;
}

bool MultiQueueLayer::attempt_bio_merge(Task& task, Bio& bio) {
  if (settings_.nomerges >= 2) return false;
  if (task.plug.open && !task.plug.requests.empty() &&
      merger_.try_merge_plain(*task.plug.requests.back(), bio) == Merger::PlainMerge::merged)
    return true;
  const RequestList* list = elevator_ == nullptr ? &software_queue_ : elevator_->bio_merge_list(bio);
  if (list == nullptr) {
    const Merger::BioMerge merge = merger_.try_merge(bio);
    if (merge.absorbed != nullptr && !planted(Mutant::multi_queue_absorbed_keeps_tag)) free_request(*merge.absorbed);
    return merge.into != nullptr;
  }
  unsigned tries = software_queue_merge_tries;
  for (Request* rq = list->back(); rq != nullptr && tries > 0; rq = rq->queuelist.prev, --tries) {
    const Merger::PlainMerge merge = merger_.try_merge_plain(*rq, bio);
    if (merge != Merger::PlainMerge::does_not_fit) return merge == Merger::PlainMerge::merged;
  }
  return false;
}

/// @param depth_limit asked for once, also if the process sleeps in between (struct blk_mq_alloc_data)
Submission MultiQueueLayer::allocate_and_send(Task& task, Bio& bio, unsigned depth_limit) {
  const auto tag = tags().get(depth_limit);
  if (!tag) return run_queue_and_allocate(task, bio, depth_limit);
  send_with_tag(task, bio, *tag);
  return Submission::accepted;
}

/// One turn of the loop in blk_mq_get_tag(): the queue is run, which can free tags; then the process sleeps.
Submission MultiQueueLayer::run_queue_and_allocate(Task& task, Bio& bio, unsigned depth_limit) {
  const unsigned wait_queue = tags().take_wait_queue();
  run_hw_queue(false);
  if (const auto tag = tags().get(depth_limit)) {
    send_with_tag(task, bio, *tag);
    return Submission::accepted;
  }
  tags().wait(bio.process, wait_queue);
  task.blocked_bio = &bio;
  task.depth_limit = depth_limit;
  if (trace_.watched()) trace_.emit(bio_event(EventKind::sleep_request, bio, nullptr, events_.now()));
  flush_plug(task, true);
  return Submission::blocked;
}

void MultiQueueLayer::send_with_tag(Task& task, Bio& bio, unsigned tag) {
  Request& rq = pool_.allocate(bio, events_.now());
  if (elevator_ != nullptr) {
    rq.sched_tag = static_cast<int>(tag);
    if (scheduled(rq.op, rq.flags)) {
      rq.elvpriv = true;
      elevator_->prepare_request(rq, bio);
    }
  } else {
    rq.driver_tag = static_cast<int>(tag);
    by_driver_tag_[tag] = &rq;
  }
  if (trace_.watched()) trace_.emit(bio_event(EventKind::get_request, bio, &rq, events_.now()));
  send(task, rq);
}

void MultiQueueLayer::send(Task& task, Request& rq) {
  if (op_is_flush(rq.op, rq.flags) && insert_flush(rq)) return;
  if (task.plug.open) {
    plug_request(task, rq);
  } else if (elevator_ != nullptr || dispatch_busy_ != 0) {
    insert_one(rq, false);
    if (!planted(Mutant::multi_queue_insertion_not_run)) run_hw_queue(true);
  } else {
    issue_or_bypass(rq);
  }
}

/// blk_insert_flush().
bool MultiQueueLayer::insert_flush(Request& rq) {
  const std::uint8_t steps = FlushSequencer::policy(rq.op, rq.flags, rq.sectors, device_.info());
  rq.flags &= static_cast<ReqFlags>(~REQ_PREFLUSH);
  if (!device_.info().fua) rq.flags &= static_cast<ReqFlags>(~REQ_FUA);
  rq.flags |= REQ_SYNC;
  if (steps == 0) {
    end_request(rq);
    return true;
  }
  if (steps == FlushSequencer::data) {
    if (generation_ == Generation::v6_12) return false;
    dispatch_.push_back(rq);
    run_hw_queue(false);
    return true;
  }
  rq.flush_steps = steps;
  if (generation_ == Generation::v6_12 && steps == (FlushSequencer::data | FlushSequencer::postflush)) {
    flush_.start_with_data();
    return false;
  }
  flush_.start(rq);
  return true;
}

// Plugs.

void MultiQueueLayer::start_plug(ProcessId process) { tasks_[process].plug.open = true; }

void MultiQueueLayer::finish_plug(ProcessId process) {
  Task& task = tasks_[process];
  flush_plug(task, false);
  task.plug.open = false;
}

void MultiQueueLayer::finish_plug_of_bio(Task& task) {
  if (!task.plug.for_one_bio) return;
  flush_plug(task, false);
  task.plug.open = task.plug.for_one_bio = false;
}

void MultiQueueLayer::process_sleeps(ProcessId process, bool) {
  if (!planted(Mutant::block_plug_kept_at_sleep)) flush_plug(tasks_[process], true);
}

void MultiQueueLayer::plug_request(Task& task, Request& rq) {
  RequestList& plugged = task.plug.requests;
  const Request* judged = generation_ == Generation::v6_1 ? plugged.back() : plugged.front();
  if (!plugged.empty() &&
      (plugged.size() >= plug_max_requests || (settings_.nomerges < 2 && judged->sectors >= plug_flush_sectors))) {
    flush_plug(task, false);
  }
  if (plugged.empty()) emit(EventKind::plug, rq);
  plugged.push_back(rq);
}

void MultiQueueLayer::flush_plug(Task& task, bool from_schedule) {
  RequestList& plugged = task.plug.requests;
  if (plugged.empty()) return;
  if (elevator_ == nullptr && !from_schedule) {
    // The plug's list is kept newest first, and direct issue takes it as it is.
    while (Request* rq = plugged.back()) {
      plugged.remove(*rq);
      if (!issue_directly(*rq)) {
        dispatch_.push_back(*rq);
        run_hw_queue(false);
        break;
      }
    }
    if (plugged.empty()) return;
  }
  emit(from_schedule ? EventKind::timer_unplug : EventKind::unplug, *plugged.front());
  RequestList list;
  while (Request* rq = plugged.pop_front()) list.push_back(*rq);
  insert_list(list, from_schedule);
}

void MultiQueueLayer::insert_list(RequestList& list, bool run_async) {
  if (elevator_ == nullptr && dispatch_busy_ == 0 && !run_async) {
    while (Request* rq = list.pop_front()) {
      if (issue_directly(*rq)) continue;
      dispatch_.push_back(*rq);
      if (list.empty()) run_hw_queue(false);
      break;
    }
    if (list.empty()) return;
  }
  while (Request* rq = list.pop_front()) insert_one(*rq, false);
  run_hw_queue(run_async);
}

void MultiQueueLayer::insert_one(Request& rq, bool at_head) {
  if (bypasses_scheduler(rq)) {
    dispatch_.push_front(rq);
    return;
  }
  if (elevator_ != nullptr) {
    elevator_->insert_request(rq, at_head);
    std::vector<Request*> gone;
    gone.swap(insert_merged_);
    for (auto merged = gone.rbegin(); merged != gone.rend(); ++merged) free_request(**merged);
    return;
  }
  emit(EventKind::insert, rq);
  at_head ? software_queue_.push_front(rq) : software_queue_.push_back(rq);
}

bool MultiQueueLayer::try_insert_merge(Request& rq) {
  return rq.mergeable() && merger_.try_insert_merge(rq, [this](Request& gone) { insert_merged_.push_back(&gone); });
}

// Running the queue.

bool MultiQueueLayer::has_pending() const {
  return !dispatch_.empty() || !software_queue_.empty() || (elevator_ != nullptr && elevator_->has_work());
}

void MultiQueueLayer::run_hw_queue(bool async) {
  if (!has_pending()) return;
  if (!async) {
    dispatch_requests();
    return;
  }
  run_delayed_ = false;
  run_work_.arm(events_.now());
}

void MultiQueueLayer::run_hw_queue_after_delay() {
  if (!run_work_.pending()) arm_delayed_run();
}

void MultiQueueLayer::arm_delayed_run() {
  run_delayed_ = true;
  run_work_.arm(clock_.tick_start(clock_.jiffies(events_.now()) + clock_.msecs_to_jiffies(rerun_delay_ms)));
}

void MultiQueueLayer::on_event(std::uint64_t work) {
  if (work == run_work) {
    if (run_delayed_ && trace_.watched()) trace_.emit(rule_event(EventKind::timer, block_rule::rerun, events_.now()));
    run_delayed_ = false;
    dispatch_requests();
    return;
  }
  RequestList list;
  while (Request* rq = requeue_list_.pop_front()) list.push_back(*rq);
  while (Request* rq = list.pop_front()) insert_one(*rq, true);
  run_hw_queue(false);
}

void MultiQueueLayer::dispatch_requests() {
  if (!dispatch_once() && !dispatch_once()) run_hw_queue(true);
}

bool MultiQueueLayer::dispatch_once() {
  RequestList waiting;
  while (Request* rq = dispatch_.pop_front()) waiting.push_back(*rq);
  const bool had_waiting = !waiting.empty();
  if (had_waiting) {
    restart_ = true;
    if (!dispatch_list(waiting)) return true;
  }
  if (elevator_ != nullptr) {
    bool busy = false;
    while (dispatch_from_elevator(busy)) {
    }
    return !busy;
  }
  dispatch_from_software_queue(!had_waiting && dispatch_busy_ == 0);
  return true;
}

/// Takes requests until there is none or no driver tag is left, then issues them. True if anything was issued.
bool MultiQueueLayer::dispatch_from_elevator(bool& busy) {
  RequestList taken;
  const unsigned most = dispatch_busy_ != 0 ? 1 : settings_.nr_requests;
  bool rerun = false;
  do {
    if (!elevator_->has_work()) break;
    if (!dispatch_.empty()) {
      busy = true;
      break;
    }
    Request* rq = elevator_->dispatch_request();
    if (rq == nullptr) {
      rerun = true;
      break;
    }
    taken.push_back(*rq);
    if (!get_driver_tag(*rq)) break;
  } while (taken.size() < most);
  if (taken.empty()) {
    if (rerun) run_hw_queue_after_delay();
    return false;
  }
  return dispatch_list(taken) && !busy;
}

/// @param all_at_once the whole queue becomes one list; otherwise one request at a time, until one is left over
void MultiQueueLayer::dispatch_from_software_queue(bool all_at_once) {
  RequestList list;
  do {
    if (software_queue_.empty()) return;
    do {
      list.push_back(*software_queue_.pop_front());
    } while (all_at_once && !software_queue_.empty());
  } while (dispatch_list(list));
}

bool MultiQueueLayer::dispatch_list(RequestList& list) {
  if (list.empty()) return false;
  bool refused = false;
  unsigned queued = 0;
  while (Request* rq = list.front()) {
    if (!get_driver_tag(*rq)) {
      restart_ = true;
      break;
    }
    list.remove(*rq);
    if (!issue(*rq)) {
      if (!planted(Mutant::block_requeue_lost)) list.push_front(*rq);
      refused = true;
      break;
    }
    ++queued;
  }
  if (list.empty()) {
    update_dispatch_busy(false);
    return queued > 0;
  }
  while (Request* rq = list.pop_front()) dispatch_.push_back(*rq);
  if (!restart_)
    run_hw_queue(true);
  else if (refused && !planted(Mutant::block_refusal_not_retried))
    arm_delayed_run();
  update_dispatch_busy(true);
  return false;
}

bool MultiQueueLayer::get_driver_tag(Request& rq) {
  if (rq.driver_tag >= 0) return true;
  const auto tag = driver_tags_.get();
  if (!tag) return false;
  rq.driver_tag = static_cast<int>(*tag);
  by_driver_tag_[*tag] = &rq;
  return true;
}

void MultiQueueLayer::put_driver_tag(Request& rq) {
  if (rq.driver_tag < 0) return;
  const auto tag = static_cast<unsigned>(rq.driver_tag);
  by_driver_tag_[tag] = nullptr;
  rq.driver_tag = -1;
  driver_tags_.put(tag, [this](ProcessId process) { wake(process); });
}

bool MultiQueueLayer::issue(Request& rq) {
  emit(EventKind::issue, rq);
  rq.io_start_time = events_.now();
  if (settings_.refuse_every != 0 && ++offered_ % settings_.refuse_every == 0) {
    emit(EventKind::requeue, rq);
    if (elevator_ != nullptr) put_driver_tag(rq);
    return false;
  }
  const auto tag = static_cast<std::uint32_t>(rq.driver_tag);
  device_.issue(DeviceCommand{tag, rq.op, (rq.flags & REQ_FUA) != 0, rq.sector, rq.op == Op::flush ? 0 : rq.sectors});
  return true;
}

/// __blk_mq_issue_directly().
bool MultiQueueLayer::issue_directly(Request& rq) {
  const bool issued = issue(rq);
  update_dispatch_busy(!issued);
  return issued;
}

void MultiQueueLayer::issue_or_bypass(Request& rq) {
  if (issue_directly(rq)) return;
  dispatch_.push_back(rq);
  run_hw_queue(false);
}

void MultiQueueLayer::update_dispatch_busy(bool busy) {
  dispatch_busy_ = (dispatch_busy_ * (busy_weight - 1) + (busy ? busy_step : 0)) / busy_weight;
}

// Completion.

void MultiQueueLayer::command_done(std::uint32_t tag) {
  Request& rq = *by_driver_tag_[tag];
  emit(EventKind::complete, rq);
  if (rq.op == Op::flush && rq.first_bio == nullptr) {
    // The shared flush command. Without a scheduler its tag belongs to the first request that waited for it.
    if (elevator_ != nullptr) {
      put_driver_tag(rq);
    } else {
      by_driver_tag_[tag] = nullptr;
      rq.driver_tag = -1;
    }
    pool_.free(rq);
    flush_.flush_done();
    return;
  }
  if (rq.flush_steps != 0) {
    account_completion(rq);
    if (generation_ == Generation::v6_12) finish(rq);
    if (elevator_ != nullptr) put_driver_tag(rq);
    flush_.data_done(rq);
    restart_if_marked();
    return;
  }
  end_request(rq);
}

void MultiQueueLayer::end_request(Request& rq) {
  for (Bio* bio = rq.first_bio; bio != nullptr;) {
    Bio* next = bio->next;
    host_.bio_done(*bio);
    bio = next;
  }
  account_completion(rq);
  free_request(rq);
}

/// __blk_mq_end_request_acct(). 6.1 tells the scheduler of every request, also if it never took part in it.
void MultiQueueLayer::account_completion(Request& rq) {
  if (elevator_ != nullptr && (rq.elvpriv || generation_ == Generation::v6_1)) elevator_->completed_request(rq);
}

void MultiQueueLayer::finish(Request& rq) {
  if (rq.elvpriv) elevator_->finish_request(rq);
  rq.elvpriv = false;
}

void MultiQueueLayer::free_request(Request& rq) {
  finish(rq);
  put_driver_tag(rq);
  const int sched_tag = rq.sched_tag;
  pool_.free(rq);
  if (sched_tag >= 0) sched_tags_.put(static_cast<unsigned>(sched_tag), [this](ProcessId process) { wake(process); });
  restart_if_marked();
}

void MultiQueueLayer::restart_if_marked() {
  if (!restart_) return;
  restart_ = false;
  if (!planted(Mutant::multi_queue_restart_forgotten)) run_hw_queue(true);
}

// Flush sequences.

void MultiQueueLayer::queue_flush(const Request& borrowed_from) {
  Request& rq = pool_.allocate_flush(events_.now());
  rq.process = borrowed_from.process;
  if (elevator_ == nullptr) {
    rq.driver_tag = borrowed_from.driver_tag;
    by_driver_tag_[static_cast<unsigned>(rq.driver_tag)] = &rq;
  }
  requeue_list_.push_back(rq);
  requeue_work_.arm(events_.now());
}

void MultiQueueLayer::queue_data(Request& rq) {
  if (elevator_ == nullptr) by_driver_tag_[static_cast<unsigned>(rq.driver_tag)] = &rq;
  requeue_list_.push_front(rq);
  requeue_work_.arm(events_.now());
}

void MultiQueueLayer::sequence_done(Request& rq) { end_request(rq); }

// Processes.

void MultiQueueLayer::set_ioprio(ProcessId process, IoPrio prio) {
  if (elevator_ != nullptr) elevator_->ioprio_changed(process, prio);
}

void MultiQueueLayer::exit_process(ProcessId process) {
  if (elevator_ != nullptr) elevator_->exit_process(process);
}

void MultiQueueLayer::dispatch_add_tail(Request&) {
  throw std::logic_error("dispatch_add_tail is for single-queue schedulers");
}
void MultiQueueLayer::dispatch_sort(Request&) { throw std::logic_error("dispatch_sort is for single-queue schedulers"); }

}  // namespace elvcheck
