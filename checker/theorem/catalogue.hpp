// SPDX-License-Identifier: GPL-2.0-or-later
// The statements of all theorems: each is defined in the file of its name.
#pragma once

#include "checker/theorem/theorem.hpp"

namespace elvcheck {

Theorem deadline_invariant();         ///< deadline_invariant.cpp
Theorem deadline_expired_rank();      ///< deadline_expired_rank.cpp
Theorem deadline_read_latency();      ///< deadline_read_latency.cpp
Theorem deadline_tight();             ///< deadline_tight.cpp
Theorem deadline_write_starvation();  ///< deadline_write_starvation.cpp
Theorem deadline_one_batch();         ///< deadline_one_batch.cpp
Theorem mq_deadline_aging();          ///< mq_deadline_priority.cpp
Theorem mq_deadline_priority();       ///< mq_deadline_priority.cpp
Theorem cfq_wait_bound();             ///< cfq_wait_bound.cpp
Theorem cfq_same_prio_wait();         ///< cfq_wait_bound.cpp
Theorem cfq_rt_starves_be();          ///< cfq_rt_starves_be.cpp
Theorem cfq_slice_monotone();         ///< cfq_slice.cpp
Theorem bfq_well_formed();            ///< bfq_demand.cpp
Theorem bfq_demand();                 ///< bfq_demand.cpp
Theorem bfq_demand_dynamic();         ///< bfq_demand.cpp
Theorem bfq_lag();                    ///< bfq_demand.cpp
Theorem bfq_charge_exact();           ///< bfq_service.cpp
Theorem bfq_rate_exact();             ///< bfq_service.cpp
Theorem bfq_share_lower();            ///< bfq_service.cpp
Theorem bfq_pair_fairness();          ///< bfq_service.cpp
Theorem bfq_repaired_search();        ///< bfq_search.cpp
Theorem bfq_shipped_search();         ///< bfq_search.cpp
Theorem bfq_rounding();               ///< bfq_rounding.cpp
Theorem bfq_timestamp_order();        ///< bfq_timestamp_order.cpp

}  // namespace elvcheck
