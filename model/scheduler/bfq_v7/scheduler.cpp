// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/bfq_v7/scheduler.hpp"

#include "model/scheduler/bfq_v7/bfq_v7.hpp"

namespace elvcheck::bfq_v7 {

Scheduler::Scheduler(ElevatorHost& host, const TunableValues& tunables)
    : host_(host),
      time_(host),
      features_(read_features(tunables)),
      tunables_(read_tunables(tunables, time_)),
      choose_{tunables_.back_seek_sectors, tunables_.back_seek_penalty},
      rotational_(host.device().rotational),
      wf2q_(*this, time_, features_),
      peak_rate_(speed_of(rotational_ || features_.kind_known_late).fast_rate),
      device_max_budget_(tunables_.user_max_budget != 0 ? tunables_.user_max_budget : bfq::default_max_budget),
      rt_product_(rt_product(speed_of(rotational_ || features_.kind_known_late), true)),
      idle_slice_timer_(host.events(), *this, idle_timer),
      unplug_work_(host.events(), *this, kick_work) {}

void Scheduler::on_event(std::uint64_t work) {
  if (work == idle_timer)
    idle_timer_fired();
  else
    host_.run_queue(false);
}

}  // namespace elvcheck::bfq_v7

namespace elvcheck {

template <bfq_v7::Release>
std::unique_ptr<SingleQueueElevator> make_bfq_v7(ElevatorHost& host, const TunableValues& tunables) {
  return std::make_unique<bfq_v7::Scheduler>(host, tunables);
}
template std::unique_ptr<SingleQueueElevator> make_bfq_v7<bfq_v7::Release::v7r4>(ElevatorHost&, const TunableValues&);
template std::unique_ptr<SingleQueueElevator> make_bfq_v7<bfq_v7::Release::v7r5>(ElevatorHost&, const TunableValues&);

std::span<const TunableInfo> bfq_v7_tunables(bfq_v7::Release release) { return bfq_v7::tunable_table(release); }

std::span<const DecisionRule* const> bfq_v7_rules() {
  using namespace bfq::rules;
  static constexpr std::array<const DecisionRule*, 13> table{
      &select, &expire, &idle_armed,   &idle_fired,   &raised,    &raise_ended, &merge_scheduled,
      &merged, &split,  &time_charged, &fifo_expired, &peak_rate, &stamps};
  return table;
}

}  // namespace elvcheck
