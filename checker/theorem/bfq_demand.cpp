// SPDX-License-Identifier: GPL-2.0-or-later
// bfq.well-formed, bfq.demand, bfq.demand-dynamic, bfq.lag: what B-WF2Q+ guarantees with the repaired search.
//
// The two invariants are in bfq_flows.hpp. I1 (well_formed) ties the stamps to the budgets. I2 (demand_met) is about one
// threshold t of virtual time, which is arbitrary: what flows may still claim by t fits into what they get until then, plus
// X. Its induction step assumes it at t, at every finish, and at the guarantee of every busy flow, so no quantifier is
// needed. From I2 at a flow's own guarantee follows that the flow lags by at most X. The dynamic variant divides by the
// weights of those flows only that the kernel's tree holds: busy ones, and idle ones whose finish virtual time has not
// reached. The kernel forgets idle flows one for each charge at most; here they are forgotten as soon as they can be.
#include "checker/theorem/bfq_conditions.hpp"
#include "checker/theorem/catalogue.hpp"

namespace elvcheck {

namespace {

template <class Core>
Condition new_scheduler(std::size_t count, WeightSum sum) {
  return flows_condition<Core>("start", "the invariants hold of a new scheduler.", count, sum,
                               [](auto& flows, auto& obligation) {
                                 const ImagePoint t = flows.space().point("t");
                                 for (const auto& flow : flows.flows) {
                                   obligation.assume(!flow.busy);
                                   for (std::size_t i = 0; i <= flows.flows.size(); ++i) {
                                     obligation.assume(flow.stamps.finish.coordinates()[i] == flows.vtime.coordinates()[i]);
                                   }
                                 }
                                 obligation.conclude(flows.demand_met(t));
                               });
}

template <class Core>
std::vector<Condition> well_formed(std::size_t count) {
  std::vector<Condition> all;
  for (const BfqRule rule : bfq_rules) {
    all.push_back(flows_condition<Core>(name_of(rule), "the rule keeps I1.", count, WeightSum::all,
                                        [rule](auto& flows, auto& obligation) {
                                          apply(flows, obligation, rule);
                                          obligation.conclude(flows.well_formed());
                                        }));
  }
  all.push_back(flows_condition<Core>("progress", "after a jump of virtual time somebody is eligible.", count,
                                      WeightSum::all, [](auto& flows, auto& obligation) {
                                        flows.jump(obligation, 0);
                                        obligation.conclude(Core::eligible(flows.flows[0].stamps.start, flows.vtime));
                                      }));
  return all;
}

template <class Core, WeightSum sum>
std::vector<Condition> demand(std::size_t count) {
  std::vector<Condition> all{new_scheduler<Core>(count, sum)};
  for (const BfqRule rule : bfq_rules) {
    all.push_back(flows_condition<Core>(name_of(rule), "the rule keeps I2 at any t.", count, sum,
                                        [rule](auto& flows, auto& obligation) {
                                          const ImagePoint t = flows.space().point("t");
                                          obligation.assume(flows.demand_met(t), "I2 at t");
                                          flows.assume_demand_met(obligation);
                                          apply(flows, obligation, rule);
                                          obligation.conclude(flows.demand_met(t));
                                        }));
  }
  return all;
}

/// The lag of a flow after a rule: t is its guarantee then.
template <class Core>
Condition lag_after(BfqRule rule, std::size_t watched, std::size_t count) {
  return flows_condition<Core>(fmt::format("{}.{}", name_of(rule), watched == 0 ? "own" : "other"),
                               fmt::format("after the rule {} flow lags by at most X.", watched == 0 ? "the" : "another"),
                               count, WeightSum::all, [rule, watched](auto& flows, auto& obligation) {
                                 const ImagePoint t = flows.space().point("t");
                                 obligation.assume(flows.demand_met(t), "I2 at the guarantee of the flow");
                                 flows.assume_demand_met(obligation);
                                 apply(flows, obligation, rule);
                                 const auto& flow = flows.flows[watched];
                                 for (std::size_t i = 0; i <= flows.flows.size(); ++i) {
                                   obligation.assume(t.coordinates()[i] == flow.guarantee.coordinates()[i]);
                                 }
                                 const auto lag = flows.vtime.image(watched) - flow.stamps.start.image(watched);
                                 obligation.conclude(!flow.busy || lag <= flows.largest_budget());
                               });
}

template <class Core>
std::vector<Condition> lag(std::size_t count) {
  std::vector<Condition> all;
  for (const BfqRule rule : bfq_rules) {
    for (const std::size_t watched : {0, 1}) all.push_back(lag_after<Core>(rule, watched, count));
  }
  return all;
}

Theorem engine_theorem(const char* name, const char* statement, const char* flows) {
  Theorem theorem;
  theorem.name = name;
  theorem.statement = statement;
  theorem.core = "bfq::Wf2qCore";
  theorem.abstraction = bfq_abstraction;
  theorem.flows = flows;
  theorem.symbolic = "weights > 0, largest budgets > 0, budgets, services, arrivals";
  return theorem;
}

}  // namespace

Theorem bfq_well_formed() {
  Theorem theorem =
      engine_theorem("bfq.well-formed",
                     "The stamps of a busy flow fit its budget, no flow is ahead of virtual time by more than its largest "
                     "budget over its weight, and when nobody is eligible virtual time jumps to somebody.",
                     "2 to 6 flows");
  theorem.conditions = for_flows(2, 6, well_formed<ImageCore>);
  theorem.planted_bugs = {
      {"eligibility-ignored", "A flow is served before its start.", well_formed<EligibilityIgnored>(bug_flows)},
      {"charged-twice", "Service is charged twice.", well_formed<ChargedTwice>(bug_flows)},
      {"jump-forgotten", "Virtual time stays when nobody is eligible.", well_formed<JumpForgotten>(bug_flows)},
  };
  return theorem;
}

Theorem bfq_demand() {
  Theorem theorem =
      engine_theorem("bfq.demand",
                     "What the flows may claim by any point of virtual time exceeds what all of them get until then by at "
                     "most X, the largest budget of any flow; idle flows keep their share of the weight sum.",
                     "2 to 5 flows");
  theorem.conditions = for_flows(2, 5, demand<ImageCore, WeightSum::all>);
  theorem.planted_bugs = {
      {"service-free", "Service is not charged.", demand<ServiceFree, WeightSum::all>(bug_flows)},
      {"finish-forgotten", "A flow that comes back starts at virtual time though its finish lies ahead.",
       demand<FinishForgotten, WeightSum::all>(bug_flows)},
      {"idleness-saved", "A flow that comes back claims the time in which it was idle.",
       demand<IdlenessSaved, WeightSum::all>(bug_flows)},
      {"least-start", "The least start is served.", demand<LeastStartServed, WeightSum::all>(bug_flows)},
      {"greatest-finish", "The greatest finish is served.", demand<GreatestFinishServed, WeightSum::all>(bug_flows)},
  };
  return theorem;
}

Theorem bfq_demand_dynamic() {
  Theorem theorem =
      engine_theorem("bfq.demand-dynamic",
                     "The same when virtual time advances by the weights of the busy flows and of those idle ones whose "
                     "finish it has not reached, as in the kernel's trees.",
                     "2 to 4 flows");
  theorem.conditions = for_flows(2, 4, demand<ImageCore, WeightSum::active>);
  theorem.planted_bugs = {
      {"service-free", "Service is not charged.", demand<ServiceFree, WeightSum::active>(bug_flows)},
      {"least-start", "The least start is served.", demand<LeastStartServed, WeightSum::active>(bug_flows)},
  };
  return theorem;
}

Theorem bfq_lag() {
  Theorem theorem =
      engine_theorem("bfq.lag",
                     "A busy flow lags virtual time by at most X: weight * (virtual time - start) <= the largest budget of "
                     "any flow.",
                     "2 to 4 flows");
  theorem.conditions = for_flows(2, 4, lag<ImageCore>);
  theorem.planted_bugs = {
      {"service-free", "Service is not charged.", lag<ServiceFree>(bug_flows)},
      {"idleness-saved", "A flow that comes back claims the time in which it was idle.", lag<IdlenessSaved>(bug_flows)},
      {"least-start", "The least start is served.", lag<LeastStartServed>(bug_flows)},
      {"greatest-finish", "The greatest finish is served.", lag<GreatestFinishServed>(bug_flows)},
  };
  return theorem;
}

}  // namespace elvcheck
