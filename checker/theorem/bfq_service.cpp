// SPDX-License-Identifier: GPL-2.0-or-later
// bfq.charge-exact, bfq.rate-exact, bfq.pair-fairness: what a slot costs its flow and everybody, and what that means for two
// flows.
//
// Charge and rate are what the other theorems do not see: a flow that is charged too much keeps their invariants, and so
// does virtual time that stands still. Pair fairness is the gap between the starts of two busy flows at one moment; over an
// interval it can be twice that. Its side condition X <= Bmax_i + Bmax_j always holds for two flows and for equal largest
// budgets.
#include "checker/theorem/bfq_conditions.hpp"
#include "checker/theorem/catalogue.hpp"

namespace elvcheck {

namespace {

template <class Core>
std::vector<Condition> charge_exact(std::size_t count) {
  return {flows_condition<Core>("serve", "the start moves by exactly the service over the weight.", count, WeightSum::all,
                                [](auto& flows, auto& obligation) {
                                  const ImagePoint before = flows.flows[0].stamps.start;
                                  const auto service = flows.serve(obligation, 0);
                                  const ImagePoint& now = flows.flows[0].stamps.start;
                                  obligation.conclude(now.image(0) - before.image(0) == service);
                                })};
}

template <class Core>
std::vector<Condition> rate_exact(std::size_t count) {
  return {flows_condition<Core>("serve", "virtual time moves by exactly the service over the sum of weights.", count,
                                WeightSum::all, [](auto& flows, auto& obligation) {
                                  const ImagePoint before = flows.vtime;
                                  const auto service = flows.serve(obligation, 0);
                                  Image::Num sum(0);
                                  for (std::size_t j = 0; j < flows.flows.size(); ++j) {
                                    sum = sum + (flows.vtime.image(j) - before.image(j));
                                  }
                                  obligation.conclude(sum == service);
                                })};
}

template <class Core>
std::vector<Condition> pair_fairness(std::size_t count) {
  std::vector<Condition> all;
  for (const BfqRule rule : bfq_rules) {
    all.push_back(flows_condition<Core>(
        fmt::format("ahead.{}", name_of(rule)),
        "the rule keeps every flow ahead of virtual time by at most Bmax / weight - Bmax / sum of weights.", count,
        WeightSum::all, [rule](auto& flows, auto& obligation) {
          obligation.assume(flows.none_ahead(), "no flow too far ahead");
          apply(flows, obligation, rule);
          obligation.conclude(flows.none_ahead());
        }));
  }
  all.push_back(flows_condition<Core>(
      "behind", "from I2 at its guarantee follows that virtual time passes it by at most (X - Bmax) / sum of weights.",
      count, WeightSum::all, [](auto& flows, auto& obligation) {
        obligation.assume(!flows.flows[0].busy || flows.demand_met(flows.flows[0].guarantee), "I2 at the guarantee");
        obligation.conclude(flows.not_behind(0));
      }));
  all.push_back(flows_condition<Core>(
      "gap",
      "the starts of two busy flows are at most Bmax_i / weight_i + Bmax_j / weight_j apart, if X <= Bmax_i + Bmax_j.",
      count, WeightSum::all, [](auto& flows, auto& obligation) {
        obligation.assume(flows.none_ahead(), "no flow too far ahead");
        obligation.assume(flows.not_behind(1), "no flow too far behind");
        obligation.assume(flows.largest_budget() <= flows.flows[0].largest + flows.flows[1].largest, "X <= Bmax_i + Bmax_j");
        obligation.conclude(flows.fair(0, 1));
      }));
  return all;
}

Theorem service_theorem(const char* name, const char* statement) {
  Theorem theorem;
  theorem.name = name;
  theorem.statement = statement;
  theorem.core = "bfq::Wf2qCore";
  theorem.abstraction = bfq_abstraction;
  theorem.flows = "2 to 4 flows";
  theorem.symbolic = "weights > 0, largest budgets > 0, budgets, services, arrivals";
  return theorem;
}

}  // namespace

Theorem bfq_charge_exact() {
  Theorem theorem = service_theorem(
      "bfq.charge-exact", "A slot moves the start of its flow by exactly service / weight, whatever the budget was.");
  theorem.method = Method::direct;
  theorem.conditions = for_flows(2, 4, charge_exact<ImageCore>);
  theorem.planted_bugs = {
      {"charged-twice", "Service is charged twice.", charge_exact<ChargedTwice>(bug_flows)},
      {"service-free", "Service is not charged.", charge_exact<ServiceFree>(bug_flows)},
  };
  return theorem;
}

Theorem bfq_rate_exact() {
  Theorem theorem = service_theorem("bfq.rate-exact", "A slot moves virtual time by exactly service / sum of the weights.");
  theorem.method = Method::direct;
  theorem.conditions = for_flows(2, 4, rate_exact<ImageCore>);
  theorem.planted_bugs = {{"time-stands", "Virtual time does not advance with service.", rate_exact<TimeStands>(bug_flows)}};
  return theorem;
}

Theorem bfq_pair_fairness() {
  Theorem theorem = service_theorem("bfq.pair-fairness",
                                    "The starts of two busy flows differ by at most the sum of their largest budgets over "
                                    "their weights, if no flow's largest budget "
                                    "exceeds the sum of theirs.");
  theorem.conditions = for_flows(2, 4, pair_fairness<ImageCore>);
  theorem.planted_bugs = {
      {"eligibility-ignored", "A flow is served before its start.", pair_fairness<EligibilityIgnored>(bug_flows)},
      {"charged-twice", "Service is charged twice.", pair_fairness<ChargedTwice>(bug_flows)},
      {"time-stands", "Virtual time does not advance with service.", pair_fairness<TimeStands>(bug_flows)},
  };
  return theorem;
}

}  // namespace elvcheck
