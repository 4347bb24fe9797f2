// SPDX-License-Identifier: GPL-2.0-or-later
// The table of properties. A new one is a line here and a definition in a file beside this one.
#include <array>

#include "properties/definitions.hpp"

namespace elvcheck {

std::span<const Property> properties() {
  using namespace property;
  static const std::array table{
      conservation(),
      trace_order(),
      operations_answered(),
      device_depth(),
      queue_depth(),
      merge_limits(),
      wait_time(),
      wait_overtakings(),
      bounded_idleness(),
      device_service_time(),
      device_books(),
      device_durability(),
      device_rotational_choice(),
      flush_covers(),
      determinism(),
      shift_sectors(),
      rename_processes(),
      idle_process(),
      scale_time(),
      quiet_split(),
      tunable_effect(),
      noop_fifo_order(),
      none_fifo_order(),
      deadline_writes_starved(),
      deadline_expiry(),
      deadline_fifo_batch(),
      deadline_order(),
      deadline_fifo_batch_one(),
      deadline_first_come(),
      deadline_read_latency(),
      deadline_one_batch(),
      deadline_front_merges(),
      mq_deadline_priority(),
      mq_deadline_aging(),
      mq_deadline_aging_any(),
      mq_deadline_aging_zero(),
      mq_deadline_async_depth(),
      mq_deadline_no_idling(),
      bfq_shares(),
      cfq_rt_starves_be(),
      cfq_class_order(),
      cfq_sync_ends_async(),
      cfq_preemption_takes(),
      cfq_no_alias(),
      cfq_quantum(),
      cfq_async_quota(),
      cfq_async_ramp(),
      cfq_fifo(),
      cfq_idle_bounded(),
      cfq_slice_idle_zero(),
      cfq_cooperators_close(),
      cfq_yield_no_idle(),
      cfq_ioprio_share(),
      cfq_group_share(),
      kyber_batch(),
      kyber_turn(),
      kyber_order(),
      kyber_tokens(),
      kyber_throttle(),
      kyber_async_depth(),
  };
  return table;
}

}  // namespace elvcheck
