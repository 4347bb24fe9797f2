// SPDX-License-Identifier: GPL-2.0-or-later
// Weight raising: queues of interactive and soft real-time processes compete with many times their weight for a while.
//
// Mirrors bfq_update_bfqq_wr_on_rq_arrival, bfq_wr_duration, switch_back_to_interactive_wr, bfq_bfqq_end_wr,
// bfq_update_wr_data, bfq_bfqq_softrt_next_start and the part of __bfq_set_in_service_queue on soft real-time periods
// (block/bfq-iosched.c, 6.1). All of it needs the tunable low_latency. Weights change lazily (Wf2q::update_weight_prio).
//
// Promise (Documentation/block/bfq-iosched.rst, "Low latency for interactive applications"): whatever the background load,
// an interactive application starts about as fast as on an idle device.
#include "model/scheduler/bfq/scheduler.hpp"

namespace elvcheck::bfq {

namespace {
constexpr std::int64_t min_duration_ms = 3000;
constexpr std::int64_t max_duration_ms = 25'000;
constexpr std::int64_t min_inter_arrival_async_ms = 500;  // bfq_wr_min_inter_arr_async
}  // namespace

Jiffies Scheduler::wr_duration() const {
  return Weights::duration(rate_duration_, peak_rate_.value(), time_.ms(min_duration_ms), time_.ms(max_duration_ms));
}

Jiffies Scheduler::softrt_next_start(const Queue& bfqq) const {
  return Weights::softrt_next_start(bfqq.soft_rt_next_start, bfqq.last_idle_bklogged, bfqq.service_from_backlogged,
                                    time_.jiffies(), time_.hz(), time_.from_ns(tunables_.slice_idle));
}

/// Coefficient and duration; what else belongs to a start differs between the callers.
void Scheduler::raise(Queue& bfqq, Raise kind) {
  bfqq.wr.wr_coeff = kind == Raise::soft_rt ? softrt_coeff : interactive_coeff;
  bfqq.wr.wr_cur_max_time = kind == Raise::soft_rt ? softrt_duration_ : wr_duration();
  note(rules::raised, nullptr, bfqq.pid, static_cast<std::int64_t>(kind), bfqq.wr.wr_coeff, bfqq.wr.wr_cur_max_time);
}

/// bfq_update_bfqq_wr_on_rq_arrival(): a request has come to a queue that was not busy.
void Scheduler::raise_on_arrival(Queue& bfqq, std::int64_t old_coeff, bool deserves, bool interactive, bool in_burst,
                                 bool soft_rt) {
  if (old_coeff == 1 && deserves) {
    if (interactive) {
      bfqq.wr.service_from_wr = 0;
      raise(bfqq, Raise::interactive);
    } else {
      bfqq.wr.wr_start_at_switch_to_srt = time_.long_ago();
      raise(bfqq, Raise::soft_rt);
    }
    bfqq.entity.budget = Budgets::min(bfqq.entity.budget, 2 * min_budget());
  } else if (old_coeff > 1) {
    if (interactive) {
      raise(bfqq, Raise::interactive);
    } else if (in_burst) {
      bfqq.wr.wr_coeff = 1;
    } else if (soft_rt) {
      if (!is_soft_rt(bfqq)) {
        bfqq.wr.wr_start_at_switch_to_srt = bfqq.wr.last_wr_start_finish;
        raise(bfqq, Raise::soft_rt);
      }
      bfqq.wr.last_wr_start_finish = time_.jiffies();
    }
  }
}

/// A busy queue is raised for an asynchronous request after half a second without one.
void Scheduler::raise_busy_async(Queue& bfqq, const Request& rq, std::int64_t old_coeff) {
  if (!features_.async_raising || !tunables_.low_latency || old_coeff != 1 || is_sync(rq) ||
      !time_.before_now(bfqq.wr.last_wr_start_finish + time_.ms(min_inter_arrival_async_ms)))
    return;
  raise(bfqq, Raise::async);
  ++wr_busy_queues_;
  bfqq.entity.prio_changed = true;
}

void Scheduler::switch_back_to_interactive(Queue& bfqq) {
  bfqq.wr.wr_coeff = interactive_coeff;
  bfqq.wr.wr_cur_max_time = wr_duration();
  bfqq.wr.last_wr_start_finish = bfqq.wr.wr_start_at_switch_to_srt;
}

/// A soft real-time period is over: what is left of the interactive one that it interrupted goes on.
void Scheduler::end_or_switch_back(Queue& bfqq) {
  if (time_.before_now(bfqq.wr.wr_start_at_switch_to_srt + wr_duration())) {
    end_wr(bfqq);
  } else {
    switch_back_to_interactive(bfqq);
    bfqq.entity.prio_changed = true;
  }
}

void Scheduler::end_wr(Queue& bfqq) {
  if (!is_soft_rt(bfqq)) bfqq.soft_rt_next_start = time_.jiffies();
  if (bfqq.busy) --wr_busy_queues_;
  bfqq.wr.wr_coeff = 1;
  bfqq.wr.wr_cur_max_time = 0;
  bfqq.wr.last_wr_start_finish = time_.jiffies();
  bfqq.entity.prio_changed = true;
  note(rules::raise_ended, nullptr, bfqq.pid);
}

/// After each dispatch from the queue in service: raising ends in a large burst, with its time, or with its sectors.
void Scheduler::update_wr_data(Queue& bfqq) {
  if (bfqq.raised()) {
    if (bfqq.in_large_burst) {
      end_wr(bfqq);
    } else if (time_.before_now(bfqq.wr.last_wr_start_finish + bfqq.wr.wr_cur_max_time)) {
      if (is_soft_rt(bfqq))
        end_or_switch_back(bfqq);
      else
        end_wr(bfqq);
    }
    if (bfqq.raised() && !is_soft_rt(bfqq) && bfqq.wr.service_from_wr > max_service_from_wr) end_wr(bfqq);
  }
  if ((bfqq.entity.weight > bfqq.entity.orig_weight) != bfqq.raised())
    wf2q_.update_weight_prio(Wf2q::service_tree(bfqq.entity), bfqq.entity, false);
}

/// A soft real-time queue is put in service after waiting: the wait does not use up its period.
void Scheduler::hold_softrt_period(Queue& bfqq) {
  if (!bfqq.raised() || !is_soft_rt(bfqq) || !time_.before_now(bfqq.wr.last_wr_start_finish) ||
      !time_.before_now(bfqq.budget_timeout))
    return;
  if (bfqq.budget_timeout > bfqq.wr.last_wr_start_finish)
    bfqq.wr.last_wr_start_finish += time_.jiffies() - bfqq.budget_timeout;
  else
    bfqq.wr.last_wr_start_finish = time_.jiffies();
}

/// Corrects the count of raised busy queues after a busy queue's coefficient was replaced.
void Scheduler::count_raised(Queue& bfqq, std::int64_t old_coeff) {
  if (old_coeff == 1 && bfqq.raised())
    ++wr_busy_queues_;
  else if (old_coeff > 1 && bfqq.wr.wr_coeff == 1)
    --wr_busy_queues_;
}

}  // namespace elvcheck::bfq
