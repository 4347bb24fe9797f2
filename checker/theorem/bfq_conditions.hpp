// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions over BfqFlows that several theorems of BFQ's engine use: the three rules, each done by flow 0 (all flows are
// alike).
#pragma once

#include <fmt/format.h>

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "checker/theorem/bfq_bugs.hpp"
#include "checker/theorem/bfq_flows.hpp"
#include "checker/theorem/theorem.hpp"

namespace elvcheck {

inline constexpr std::size_t bug_flows = 3;  ///< planted bugs show with so many flows

enum class BfqRule { arrive, jump, serve };
inline constexpr std::array bfq_rules{BfqRule::arrive, BfqRule::jump, BfqRule::serve};

inline const char* name_of(BfqRule rule) {
  return rule == BfqRule::arrive ? "arrive" : rule == BfqRule::jump ? "jump" : "serve";
}

template <class Core>
void apply(BfqFlows<Core>& flows, Obligation& obligation, BfqRule rule) {
  switch (rule) {
    case BfqRule::arrive:
      flows.arrive(obligation, 0);
      break;
    case BfqRule::jump:
      flows.jump(obligation, 0);
      break;
    case BfqRule::serve:
      flows.serve(obligation, 0);
      break;
  }
}

/// A condition over `count` flows: `state` gets any state in which I1 holds.
template <class Core>
Condition flows_condition(std::string name, std::string statement, std::size_t count, WeightSum sum,
                          std::function<void(BfqFlows<Core>&, Obligation&)> state) {
  return {fmt::format("{}.n{}", name, count), fmt::format("With {} flows: {}", count, statement),
          [count, sum, state = std::move(state)](Obligation& obligation) {
            BfqFlows<Core> flows(obligation, count, sum);
            state(flows, obligation);
            flows.finish(obligation);
          }};
}

/// The conditions that `make` gives for each of these numbers of flows.
template <class Make>
std::vector<Condition> for_flows(std::size_t least, std::size_t most, Make make) {
  std::vector<Condition> all;
  for (std::size_t count = least; count <= most; ++count) {
    for (Condition& condition : make(count)) all.push_back(std::move(condition));
  }
  return all;
}

/// What every theorem about the engine leaves out.
inline constexpr const char* bfq_abstraction =
    "The trees are abstracted to: the eligible flow of least finish is served (the repaired search). A slot is one step; "
    "flows become "
    "busy between slots. Weights do not change; without weight raising, resumed budgets, groups, and the cached next queue. "
    "Virtual "
    "time is exact; the kernel rounds down to 2^-22 sectors for each unit of weight.";

}  // namespace elvcheck
