// SPDX-License-Identifier: GPL-2.0-or-later
// Insertion: a request enters its queue, and perhaps makes it busy and raises its weight; merges of requests.
//
// Mirrors bfq_insert_request, bfq_add_request, bfq_rq_enqueued, bfq_update_io_thinktime, bfq_update_io_seektime,
// bfq_update_idle_window, bfq_choose_req, bfq_find_next_rq, bfq_updated_next_req, bfq_remove_request and the merge hooks.
// Kept as it is: every process is new once, so that its first request raises it as if an interactive application had come;
// a request that absorbs an older one of another queue takes its place in that queue's fifo.
#include <algorithm>

#include "model/scheduler/bfq_v7/scheduler.hpp"

namespace elvcheck::bfq_v7 {

namespace {
constexpr unsigned requests_for_io_bound = 120;  // bfq_requests_within_timer
}

// Requests of a queue.

Request* Scheduler::choose(Request* first, Request* second, Sector last) const {
  if (first == nullptr || first == second) return second;
  if (second == nullptr) return first;
  const auto view = [](const Request& rq) {
    return cfq::RequestView<Concrete>{static_cast<std::int64_t>(rq.sector), is_sync(rq), (rq.flags & REQ_META) != 0};
  };
  return choose_.first_wins(view(*first), view(*second), static_cast<std::int64_t>(last)) ? first : second;
}

/// What follows `last`: the better of its neighbours by place; the first of the queue follows the last.
Request* Scheduler::find_next_rq(Queue& bfqq, Request& last) const {
  Request* next = RequestTree::next(last);
  if (next == nullptr) {
    next = bfqq.sort_list.first();
    if (next == &last) next = nullptr;
  }
  return choose(next, RequestTree::prev(last), last.sector);
}

/// A waiting queue's budget must cover its next request.
void Scheduler::updated_next_req(Queue& bfqq) {
  if (bfqq.next_rq == nullptr || &bfqq == in_service_queue_) return;
  const std::int64_t budget = std::max(bfqq.max_budget, serv_to_charge(*bfqq.next_rq, bfqq));
  if (bfqq.budget == budget) return;
  bfqq.budget = budget;
  wf2q_.activate(bfqq);
}

void Scheduler::remove_request(Request& rq) {
  Queue& bfqq = queue_of_request(rq);
  if (bfqq.next_rq == &rq) {
    bfqq.next_rq = find_next_rq(bfqq, rq);
    updated_next_req(bfqq);
  }
  rq.queuelist.list->remove(rq);
  --bfqq.queued[is_sync(rq)];
  --queued_;
  bfqq.sort_list.erase(rq);
  if (!bfqq.empty()) return;
  if (bfqq.busy && &bfqq != in_service_queue_) del_busy(bfqq);
  pos_tree_remove(bfqq);
}

// A request comes.

void Scheduler::add_request(Request& rq) {
  IoContext& bic = context_of(rq);
  Queue* bfqq = &queue_of_request(rq);
  if (features_.early_queue_merge) {
    if (Queue* target = setup_cooperator(*bfqq, rq.sector); target != nullptr)
      bfqq = &redirect(rq, bic, *bfqq, *target);
    else
      cooperation_failed(*bfqq);
  }
  init_prio_data(*bfqq, bic);
  add_to_queue(rq);
  if (bfqq->bic != nullptr) bfqq->bic->wr_time_left = 0;
  rq.fifo_time = static_cast<std::uint64_t>(time_.jiffies() + tunables_.fifo_expire[is_sync(rq)]);
  bfqq->fifo.push_back(rq);
  enqueued(*bfqq, bic, rq);
}

/// bfq_add_request().
void Scheduler::add_to_queue(Request& rq) {
  Queue& bfqq = queue_of_request(rq);
  const std::int64_t old_coeff = bfqq.wr_coeff;
  ++bfqq.queued[is_sync(rq)];
  ++queued_;
  bfqq.sort_list.insert(rq);
  Request* before = bfqq.next_rq;
  bfqq.next_rq = choose(before, &rq, last_position_);
  if (bfqq.next_rq != before) pos_tree_add(bfqq);
  bool idle_for_long_time = false;
  if (!bfqq.busy) {
    becomes_busy(bfqq, context_of(rq), idle_for_long_time);
  } else {
    const bool quiet = time_.before_now(bfqq.last_wr_start_finish + tunables_.wr_min_inter_arr_async);
    if (tunables_.low_latency && features_.async_raising && old_coeff == 1 && !is_sync(rq) && quiet) {
      bfqq.wr_coeff = tunables_.wr_coeff;
      bfqq.wr_cur_max_time = wr_duration();
      ++wr_busy_queues_;
      bfqq.prio_changed = true;
      note(rules::raised, nullptr, bfqq.pid, 2, bfqq.wr_coeff, bfqq.wr_cur_max_time);
    }
    if (bfqq.next_rq != before) updated_next_req(bfqq);
  }
  if (tunables_.low_latency && (old_coeff == 1 || bfqq.wr_coeff == 1 || idle_for_long_time))
    bfqq.last_wr_start_finish = time_.jiffies();
}

void Scheduler::becomes_busy(Queue& bfqq, const IoContext& bic, bool& idle_for_long_time) {
  const std::int64_t old_coeff = bfqq.wr_coeff;
  const bool cooperates = too_cooperative(bfqq);
  const bool soft_rt = features_.soft_rt_raising && tunables_.wr_max_softrt_rate > 0 && !cooperates &&
                       time_.before_now(bfqq.soft_rt_next_start);
  idle_for_long_time =
      features_.interactive_raising && !cooperates && time_.before_now(bfqq.budget_timeout + tunables_.wr_min_idle_time);
  bfqq.budget = std::max(bfqq.max_budget, serv_to_charge(*bfqq.next_rq, bfqq));
  if (!bfqq.io_bound) {
    if (time_.jiffies() >= bic.ttime.last_end_request + tunables_.slice_idle)
      bfqq.requests_within_timer = 0;
    else if (++bfqq.requests_within_timer >= requests_for_io_bound)
      bfqq.io_bound = true;
  }
  if (tunables_.low_latency) {
    const bool may_start = old_coeff == 1 && (!features_.early_queue_merge || !bfqq.sync || bfqq.bic != nullptr);
    if (bfqq.just_split) {
      // what it had was given back to it
    } else if (may_start && (idle_for_long_time || soft_rt)) {
      bfqq.wr_coeff = tunables_.wr_coeff;
      bfqq.wr_cur_max_time = idle_for_long_time ? wr_duration() : tunables_.wr_rt_max_time;
      note(rules::raised, nullptr, bfqq.pid, !idle_for_long_time, bfqq.wr_coeff, bfqq.wr_cur_max_time);
    } else if (old_coeff > 1) {
      if (idle_for_long_time) {
        bfqq.wr_cur_max_time = wr_duration();
      } else if (cooperates || (bfqq.wr_cur_max_time == tunables_.wr_rt_max_time && !soft_rt)) {
        bfqq.wr_coeff = 1;
        note(rules::raise_ended, nullptr, bfqq.pid);
      } else if (soft_rt && bfqq.last_wr_start_finish + bfqq.wr_cur_max_time < time_.jiffies() + tunables_.wr_rt_max_time) {
        bfqq.last_wr_start_finish = time_.jiffies();
        bfqq.wr_cur_max_time = tunables_.wr_rt_max_time;
      }
    }
    if (old_coeff != bfqq.wr_coeff) bfqq.prio_changed = true;
  }
  bfqq.last_idle_bklogged = time_.jiffies();
  bfqq.service_from_backlogged = 0;
  bfqq.softrt_update = false;
  add_busy(bfqq);
}

/// bfq_rq_enqueued(): what the arrival says about the process, and whether it ends idling.
void Scheduler::enqueued(Queue& bfqq, IoContext& bic, const Request& rq) {
  bic.ttime.arrival(time_.jiffies(), 2 * tunables_.slice_idle);
  bfqq.seek.update(bfqq.last_request_pos < rq.sector ? rq.sector - bfqq.last_request_pos
                                                     : bfqq.last_request_pos - rq.sector);
  if (!bfqq.seeky() && bfqq.constantly_seeky) {
    bfqq.constantly_seeky = false;
    if (rotational_) --const_seeky_busy_in_flight_queues_;
  }
  if (bfqq.service > max_budget() / 8 || !bfqq.seeky()) update_idle_window(bfqq, bic);
  bfqq.just_split = false;
  bfqq.last_request_pos = rq.end();
  if (&bfqq != in_service_queue_ || !bfqq.wait_request) return;
  constexpr SectorCount small = 32;
  const bool timed_out = budget_timed_out(bfqq);
  if (features_.small_request_rule && bfqq.queued[is_sync(rq)] == 1 && rq.sectors < small && !timed_out) return;
  bfqq.wait_request = false;
  idle_slice_timer_.cancel();
  if (timed_out) expire(bfqq, false, Expiration::budget_timeout);
  host_.run_queue(false);
}

/// Whether the queue is worth waiting for.
void Scheduler::update_idle_window(Queue& bfqq, const IoContext& bic) const {
  if (!bfqq.sync || bfqq.idle_class() || bfqq.just_split) return;
  if (!bic.alive || tunables_.slice_idle == 0 || (hw_tag_ != 0 && bfqq.seeky() && !bfqq.raised()))
    bfqq.idle_window = false;
  else if (bic.ttime.valid())
    bfqq.idle_window = !features_.think_time || bic.ttime.mean <= tunables_.slice_idle || bfqq.raised();
}

// Merging of requests.

bool Scheduler::allow_merge(const Request& rq, const Bio& bio) {
  const bool sync = op_is_sync(bio.op, bio.flags);
  if (sync && !is_sync(rq)) return false;
  IoContext* bic = known_context(bio.process);
  if (bic == nullptr) return false;
  Queue* bfqq = bic->bfqq[sync];
  if (bfqq != nullptr && features_.early_queue_merge) {
    if (Queue* target = setup_cooperator(*bfqq, bio.sector); target != nullptr) {
      merge_queues(*bic, *bfqq, *target);
      bfqq = target;
    } else {
      cooperation_failed(*bfqq);
    }
  }
  return bfqq == &queue_of_request(rq);
}

Request* Scheduler::find_front_merge(const Bio& bio) {
  const IoContext* bic = known_context(bio.process);
  if (bic == nullptr) return nullptr;
  Queue* bfqq = bic->bfqq[op_is_sync(bio.op, bio.flags)];
  return bfqq == nullptr ? nullptr : bfqq->sort_list.find(bio.sector + bio.sectors);
}

void Scheduler::request_merged(Request& rq, bool at_front) {
  if (!at_front) return;
  const Request* former = RequestTree::prev(rq);
  if (former == nullptr || rq.sector >= former->sector) return;
  Queue& bfqq = queue_of_request(rq);
  bfqq.sort_list.erase(rq);
  bfqq.sort_list.insert(rq);
  Request* before = bfqq.next_rq;
  bfqq.next_rq = choose(before, &rq, last_position_);
  if (bfqq.next_rq == before) return;
  updated_next_req(bfqq);
  pos_tree_add(bfqq);
}

void Scheduler::requests_merged(Request& rq, Request& next) {
  if (next.queuelist.list == nullptr) return;  // it was still plugged
  if (next.fifo_time < rq.fifo_time) {
    rq.queuelist.list->remove(rq);
    next.queuelist.list->insert_after(rq, next);
    rq.fifo_time = next.fifo_time;
  }
  if (queue_of_request(rq).next_rq == &next) queue_of_request(rq).next_rq = &rq;
  remove_request(next);
}

}  // namespace elvcheck::bfq_v7
