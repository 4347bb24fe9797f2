// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/theorem/catalogue.hpp"

#include <algorithm>
#include <vector>

namespace elvcheck {

std::span<const Theorem> theorems() {
  static const std::vector<Theorem> table{
      deadline_invariant(),
      deadline_expired_rank(),
      deadline_read_latency(),
      deadline_tight(),
      deadline_write_starvation(),
      deadline_one_batch(),
      mq_deadline_aging(),
      mq_deadline_priority(),
      cfq_wait_bound(),
      cfq_same_prio_wait(),
      cfq_rt_starves_be(),
      cfq_slice_monotone(),
      bfq_well_formed(),
      bfq_demand(),
      bfq_demand_dynamic(),
      bfq_lag(),
      bfq_charge_exact(),
      bfq_rate_exact(),
      bfq_share_lower(),
      bfq_pair_fairness(),
      bfq_repaired_search(),
      bfq_shipped_search(),
      bfq_rounding(),
      bfq_timestamp_order(),
  };
  return table;
}

const Theorem* find_theorem(std::string_view name) {
  const std::span<const Theorem> table = theorems();
  const auto it = std::find_if(table.begin(), table.end(), [&](const Theorem& theorem) { return theorem.name == name; });
  return it == table.end() ? nullptr : &*it;
}

}  // namespace elvcheck
