// SPDX-License-Identifier: GPL-2.0-or-later
// bfq.charge-exact, bfq.rate-exact, bfq.share-lower, bfq.pair-fairness: what a slot costs its flow and everybody, and what
// that means for two flows.
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

/// A flow stays busy from a moment in which its start is `began` and virtual time `vtime-then`; `own` is what it got since.
template <class Core>
std::vector<Condition> share_lower(std::size_t count) {
  const auto slot_of_the_first = [&](const char* name, const char* statement, std::size_t watched) {
    return flows_condition<Core>(name, statement, count, WeightSum::all, [watched](auto& flows, auto& obligation) {
      const ImagePoint began = flows.space().point("began");
      const auto own = SymbolicReal::variable("own");
      const auto& flow = flows.flows[watched];
      obligation.assume(flow.busy && own == flow.stamps.start.image(watched) - began.image(watched),
                        "what the flow got so far has moved its start");
      const auto service = flows.serve(obligation, 0);
      const auto own_now = watched == 0 ? own + service : own;
      obligation.conclude(!flow.busy || own_now == flow.stamps.start.image(watched) - began.image(watched));
    });
  };
  return {slot_of_the_first("own", "a slot of the flow adds its service to what moved its start.", 0),
          slot_of_the_first("other", "a slot of another flow does not.", 1),
          flows_condition<Core>("interval", "what the flow got is at least its share of virtual time's advance, less 2 X.",
                                count, WeightSum::all, [](auto& flows, auto& obligation) {
                                  const ImagePoint began = flows.space().point("began");
                                  const ImagePoint then = flows.space().point("vtime-then");
                                  const auto& flow = flows.flows[0];
                                  obligation.assume(flow.busy);
                                  obligation.assume(began.image(0) - then.image(0) <= flow.largest,
                                                    "bfq.well-formed at the beginning");
                                  obligation.assume(flows.lag_bounded(), "bfq.lag at the end");
                                  const auto own = flow.stamps.start.image(0) - began.image(0);
                                  const auto share = flows.vtime.image(0) - then.image(0);
                                  obligation.conclude(share - flows.largest_budget() - flows.largest_budget() <= own);
                                })};
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

Theorem bfq_share_lower() {
  Theorem theorem =
      service_theorem("bfq.share-lower",
                      "While a flow stays busy its service is at least weight / sum of weights of all service, less 2 X: "
                      "the advance of virtual time, "
                      "which all service together moves by service / sum of weights (bfq.rate-exact), gives its share.");
  theorem.conditions = for_flows(2, 4, share_lower<ImageCore>);
  theorem.planted_bugs = {
      {"charged-twice", "Service is charged twice.", share_lower<ChargedTwice>(bug_flows)},
      {"service-free", "Service is not charged.", share_lower<ServiceFree>(bug_flows)},
  };
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
