// SPDX-License-Identifier: GPL-2.0-or-later
// The definitions that registry.cpp puts into the table, one function for each property, in the file that its comment names.
#pragma once

#include <memory>

#include "properties/property.hpp"

namespace elvcheck::property {

// conservation.cpp, trace_order.cpp
Property conservation();
Property trace_order();
// answers.cpp
Property operations_answered();
// limits.cpp
Property device_depth();
Property queue_depth();
Property merge_limits();
// waiting.cpp
Property wait_time();
Property wait_overtakings();
// idleness.cpp
Property bounded_idleness();
Property mq_deadline_no_idling();
// device_promises.cpp, rotational_choice.cpp, flush_covers.cpp
Property device_service_time();
Property device_books();
Property device_durability();
Property device_rotational_choice();
Property flush_covers();
// relations.cpp
Property determinism();
Property shift_sectors();
Property rename_processes();
Property idle_process();
// scale_time.cpp, quiet_split.cpp
Property scale_time();
Property quiet_split();
// tunable_effect.cpp
Property tunable_effect();
// bfq_shares.cpp
Property bfq_shares();
// fifo_order.cpp
Property noop_fifo_order();
Property none_fifo_order();
// deadline_batches.cpp
Property deadline_writes_starved();
Property deadline_expiry();
Property deadline_fifo_batch();
Property deadline_order();
Property deadline_fifo_batch_one();
Property deadline_first_come();
// deadline_latency.cpp
Property deadline_read_latency();
Property deadline_one_batch();
// deadline_merges.cpp
Property deadline_front_merges();
// mq_deadline.cpp
Property mq_deadline_priority();
Property mq_deadline_aging();
Property mq_deadline_aging_any();
Property mq_deadline_aging_zero();
Property mq_deadline_async_depth();
// kyber.cpp
Property kyber_batch();
Property kyber_turn();
Property kyber_order();
Property kyber_tokens();
Property kyber_throttle();
Property kyber_async_depth();
// cfq_classes.cpp
Property cfq_rt_starves_be();

// cfq_order.cpp
Property cfq_class_order();
Property cfq_sync_ends_async();
Property cfq_preemption_takes();
Property cfq_no_alias();
// cfq_limits.cpp
Property cfq_quantum();
Property cfq_async_quota();
Property cfq_async_ramp();
// cfq_slices.cpp
Property cfq_fifo();
Property cfq_idle_bounded();
Property cfq_slice_idle_zero();
Property cfq_cooperators_close();
Property cfq_yield_no_idle();
// cfq_shares.cpp
Property cfq_ioprio_share();
Property cfq_group_share();

// readahead.cpp
Property readahead_no_duplicate();
Property readahead_window();
Property readahead_stream_found();
Property readahead_twice_consumed();
Property readahead_used_when_read();
// readdir.cpp
Property readdir_asks_for_the_directory();
Property readdir_twice_the_speed();
Property readdir_every_window();
Property inode_window();

/// For Property::monitor.
template <class M>
std::unique_ptr<Monitor> make_monitor(const RunFacts& facts) {
  return std::make_unique<M>(facts);
}

/// For Property::applies.
inline bool always(const RunFacts&) { return true; }

}  // namespace elvcheck::property
