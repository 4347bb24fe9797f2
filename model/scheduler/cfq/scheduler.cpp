// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/cfq/scheduler.hpp"

#include "model/scheduler/cfq/cfq.hpp"
#include "model/scheduler/cfq/rules.hpp"

namespace elvcheck::cfq {

Cfq::Cfq(ElevatorHost& host, Version version, const TunableValues& tunables)
    : host_(host),
      features_(read_features(tunables)),
      units_(version == Version::v4_19, host.clock()),
      tunables_(read_tunables(tunables, units_)),
      choose_{tunables_.back_seek_sectors, tunables_.back_seek_penalty},
      slice_{tunables_.slice_sync, tunables_.slice_async,    tunables_.slice_async_rq,
             tunables_.slice_idle, tunables_.target_latency, 2 * units_.second() / static_cast<Time>(units_.hz())},
      dispatch_{tunables_.quantum, tunables_.slice_idle, tunables_.slice_sync, tunables_.low_latency},
      rotational_(host.device().rotational),
      groups_(features_, features_.group_scheduling ? host.groups() : std::span<const IoGroup>(), units_.at(host.now())),
      serving_group_(&groups_.root()),
      last_delayed_sync_(units_.at(host.now()) - units_.second()),
      idle_timer_(host.events(), *this, idle_timer),
      kick_work_(host.events(), *this, kick_work) {}

Time Cfq::now() {
  if (stamped_at_ != host_.now()) {
    stamped_at_ = host_.now();
    stamp_ = units_.at(stamped_at_);
  }
  return stamp_;
}

void Cfq::on_event(std::uint64_t work) {
  if (work == idle_timer)
    idle_timer_fired();
  else
    host_.run_queue(false);
}

/// cfq_schedule_dispatch(): the driver is to pull again, from kblockd.
void Cfq::kick() {
  if (busy_queues_ > 0) kick_work_.arm_now();
}

}  // namespace elvcheck::cfq

namespace elvcheck {

template <cfq::Version version>
std::unique_ptr<SingleQueueElevator> make_cfq(ElevatorHost& host, const TunableValues& tunables) {
  return std::make_unique<cfq::Cfq>(host, version, tunables);
}
template std::unique_ptr<SingleQueueElevator> make_cfq<cfq::Version::v2_6_34>(ElevatorHost&, const TunableValues&);
template std::unique_ptr<SingleQueueElevator> make_cfq<cfq::Version::v2_6_35>(ElevatorHost&, const TunableValues&);
template std::unique_ptr<SingleQueueElevator> make_cfq<cfq::Version::v4_4>(ElevatorHost&, const TunableValues&);
template std::unique_ptr<SingleQueueElevator> make_cfq<cfq::Version::v4_19>(ElevatorHost&, const TunableValues&);

std::span<const TunableInfo> cfq_tunables(cfq::Version version) { return cfq::tunable_table(version); }
std::span<const DecisionRule* const> cfq_rules() { return cfq::rules::all(); }

}  // namespace elvcheck
