// SPDX-License-Identifier: GPL-2.0-or-later
// The surroundings of Wf2qCore that its theorems share: N flows of one service tree, as rules with a guard and an effect,
// and the invariants of B-WF2Q+.
//
// What is the core's: every time stamp, the advance and the jump of virtual time, who is eligible, who precedes whom, when
// an idle flow is forgotten. What is abstracted: the trees (a choice is the eligible flow that nobody precedes, which is
// what the repaired search finds; tests/model/scheduler/bfq/service_tree_test.cpp), the cache next_in_service (a choice is
// made when the slot before has been charged), groups, weight raising with its pushed stamps, changes of weights, the
// resumption of budgets (back-shifted activations), and arrivals in the midst of a slot (a slot is one step; they come
// before or after it). Virtual time is that of the image domain: exact, for all weights.
//
// Notation of the comments: phi_j is the weight of flow j, PHI the sum of the weights, V virtual time, S and F start and
// finish, G the finish that the largest budget would have, Bmax that budget, X the largest Bmax. The engine is that of
// Valente and Checconi, "High throughput disk scheduling with fair bandwidth distribution" (IEEE Transactions on Computers,
// 2010), after WF2Q+ of Bennett and Zhang.
#pragma once

#include <string>
#include <vector>

#include "checker/z3/image.hpp"
#include "checker/z3/prover.hpp"
#include "model/scheduler/bfq/wf2q_core.hpp"

namespace elvcheck {

/// Which weights virtual time advances by.
enum class WeightSum {
  all,     ///< those of all flows, always
  active,  ///< those of the busy flows, and of idle ones whose finish virtual time has not reached: wsum of the kernel's
           ///< tree
};

/// Core is bfq::Wf2qCore<Image> or a variant of it.
template <class Core>
class BfqFlows {
 public:
  using Num = Image::Num;
  using Bool = Image::Bool;
  using Stamps = typename Core::Stamps;

  struct Flow {
    Stamps stamps;
    ImagePoint guarantee;  ///< ghost: the finish that the largest budget would have
    Bool busy;
    Num budget;
    Num largest;  ///< largest budget the flow may ever have
  };

  /// Any state in which I1 holds. The hypotheses go to `obligation`.
  BfqFlows(Obligation& obligation, std::size_t count, WeightSum sum) : space_(count), sum_(sum) {
    vtime = space_.point("vtime");
    largest_ = SymbolicReal::variable("X");
    Bool attained(false);
    for (std::size_t j = 0; j < count; ++j) {
      const std::string suffix = std::to_string(j);
      Flow flow{{space_.point("start" + suffix), space_.point("finish" + suffix)},
                space_.point("guarantee" + suffix),
                SymbolicReal::condition("busy" + suffix),
                SymbolicReal::variable("budget" + suffix),
                SymbolicReal::variable("largest" + suffix)};
      obligation.assume(Num(0) < flow.largest && flow.largest <= largest_);
      attained = attained || largest_ == flow.largest;
      flows.push_back(flow);
    }
    obligation.assume(attained);
    obligation.assume(well_formed(), "I1: stamps fit the budgets");
  }

  ImagePoint vtime;
  std::vector<Flow> flows;

  const Num& largest_budget() const { return largest_; }
  ImageSpace& space() { return space_; }

  // Rules.

  /// Flow j becomes busy. Guard: it is idle.
  void arrive(Obligation& obligation, std::size_t j) {
    Flow& flow = flows[j];
    const Num budget = any_budget(obligation, flow, "new-budget");
    const Bool remembered = SymbolicReal::condition("remembered");
    obligation.assume(!flow.busy, "the flow was idle");
    obligation.assume(remembered || Core::forgotten(flow.stamps.finish, vtime));
    const ImagePoint start = Core::activation_start(vtime, flow.stamps.finish, remembered, Bool(false));
    begin(j, start, budget);
    flow.busy = true;
  }

  /// Virtual time jumps to the least start. Guard: nobody is eligible, and nobody starts before flow m.
  void jump(Obligation& obligation, std::size_t m) {
    Bool least = flows[m].busy;
    Bool some(false);
    for (const Flow& flow : flows) {
      least = least && (!flow.busy || !Image::after(flows[m].stamps.start, flow.stamps.start));
      some = some || (flow.busy && Core::eligible(flow.stamps.start, vtime));
    }
    obligation.assume(least && !some, "nobody is eligible");
    vtime = Core::jump(vtime, flows[m].stamps.start);
  }

  /// Flow k is served and its slot ends. Guard: it is eligible, and no eligible flow precedes it. Returns the service.
  Num serve(Obligation& obligation, std::size_t k) {
    Flow& flow = flows[k];
    obligation.assume(flow.busy && Core::eligible(flow.stamps.start, vtime), "only eligible flows are served");
    for (const Flow& other : flows) {
      const Bool competes = other.busy && Core::eligible(other.stamps.start, vtime);
      obligation.assume(!competes || !Core::precedes(other.stamps, flow.stamps),
                        "the least finish among the eligible is served");
    }
    const Num service = SymbolicReal::variable("service");
    const Num budget = any_budget(obligation, flow, "next-budget");
    const Bool backlogged = SymbolicReal::condition("backlogged");
    obligation.assume(Num(0) < service && service <= flow.budget, "service <= budget");
    const ImageWeight weight = space_.one(k);
    const Stamps charged = Core::charged(flow.stamps.start, service, weight);
    const ImagePoint advanced = Core::advance(vtime, service, weight_sum());
    begin(k, charged.start, budget);
    flow.stamps.finish = Image::select(backlogged, flow.stamps.finish, charged.finish);
    flow.busy = backlogged;
    vtime = advanced;
    return service;
  }

  // Invariants.

  /// I1. Of a busy flow S <= F <= G, phi(F - S) = B, phi(G - S) = Bmax, 0 < B <= Bmax, phi(S - V) <= Bmax; of an idle one
  /// phi(F - V) <= Bmax.
  Bool well_formed() const {
    Bool all(true);
    for (std::size_t j = 0; j < flows.size(); ++j) {
      const Flow& flow = flows[j];
      const auto& [start, finish] = flow.stamps;
      const Bool backlogged = Core::stamps_ordered(flow.stamps) && !Image::after(finish, flow.guarantee) &&
                              finish.image(j) == start.image(j) + flow.budget &&
                              flow.guarantee.image(j) == start.image(j) + flow.largest && Num(0) < flow.budget &&
                              flow.budget <= flow.largest && start.image(j) - vtime.image(j) <= flow.largest;
      all = all && Image::select(flow.busy, backlogged, finish.image(j) - vtime.image(j) <= flow.largest);
    }
    return all;
  }

  /// I2(t): if V <= t or some busy flow has G <= t, then the service that flows could claim by t fits into X plus what all
  /// of them get until then. Gated with G, not F: a flow whose slot ends early may get a finish that lies behind a deadline
  /// already passed.
  Bool demand_met(const ImagePoint& t) const {
    const Bool ahead = !Image::after(vtime, t);
    Bool live = ahead;
    Num demand(0);
    Num room = largest_;
    for (std::size_t j = 0; j < flows.size(); ++j) {
      const Flow& flow = flows[j];
      const Bool due = flow.busy && !Image::after(flow.stamps.finish, t);
      live = live || (flow.busy && !Image::after(flow.guarantee, t));
      const Num idle_claim = at_least_zero(t.image(j) - idle_since(flow).image(j));
      const Num busy_claim = SymbolicReal::select(due, t.image(j) - flow.stamps.start.image(j), Num(0));
      demand = demand + SymbolicReal::select(flow.busy, busy_claim, SymbolicReal::select(counts(flow), idle_claim, Num(0)));
      const Bool shares = sum_ == WeightSum::all ? Bool(true) : SymbolicReal::select(ahead, counts(flow), due);
      room = room + SymbolicReal::select(shares, t.image(j) - vtime.image(j), Num(0));
    }
    return !live || demand <= room;
  }

  /// Assumes I2 at the places where the induction step needs it: every F, and G of busy flows.
  void assume_demand_met(Obligation& obligation) const {
    for (const Flow& flow : flows) {
      obligation.assume(demand_met(flow.stamps.finish), "I2 at every finish");
      obligation.assume(!flow.busy || demand_met(flow.guarantee), "I2 at every guarantee");
    }
  }

  /// phi_j(V - S_j) <= X for every busy flow.
  Bool lag_bounded() const {
    Bool all(true);
    for (std::size_t j = 0; j < flows.size(); ++j) {
      all = all && (!flows[j].busy || vtime.image(j) - flows[j].stamps.start.image(j) <= largest_);
    }
    return all;
  }

  /// No flow is ahead of virtual time by more than its largest budget takes alone, less what that takes of all.
  Bool none_ahead() {
    Bool all(true);
    for (std::size_t j = 0; j < flows.size(); ++j) {
      const Flow& flow = flows[j];
      const ImagePoint latest = Core::finish(vtime, flow.largest, space_.one(j));
      const ImagePoint& from = flow.stamps.start;
      all = all && Image::select(flow.busy, !Image::after(Core::advance(from, flow.largest, space_.all()), latest),
                                 !Image::after(Core::advance(flow.stamps.finish, flow.largest, space_.all()), latest));
    }
    return all;
  }

  /// V <= G_j + (X - Bmax_j) / PHI: the lag in points of virtual time.
  Bool not_behind(std::size_t j) {
    const ImagePoint latest = Core::advance(flows[j].guarantee, largest_ - flows[j].largest, space_.all());
    return !flows[j].busy || !Image::after(vtime, latest);
  }

  /// S_i - S_j <= Bmax_i / phi_i + Bmax_j / phi_j.
  Bool fair(std::size_t i, std::size_t j) {
    const ImagePoint latest = Core::finish(flows[j].guarantee, flows[i].largest, space_.one(i));
    return !(flows[i].busy && flows[j].busy) || !Image::after(flows[i].stamps.start, latest);
  }

  /// What is known of virtual time; after everything else.
  void finish(Obligation& obligation) const {
    for (const Bool& axiom : space_.axioms()) obligation.assume(axiom);
  }

 private:
  static Num at_least_zero(const Num& n) { return SymbolicReal::select(n < Num(0), Num(0), n); }

  static Num any_budget(Obligation& obligation, const Flow& flow, const std::string& name) {
    const Num budget = SymbolicReal::variable(name);
    obligation.assume(Num(0) < budget && budget <= flow.largest, "0 < budget <= largest budget");
    return budget;
  }

  void begin(std::size_t j, const ImagePoint& start, const Num& budget) {
    Flow& flow = flows[j];
    flow.stamps = Core::stamps(start, budget, space_.one(j));
    flow.guarantee = Core::finish(start, flow.largest, space_.one(j));
    flow.budget = budget;
  }

  /// Whether the flow's weight is in the sum.
  Bool counts(const Flow& flow) const {
    return sum_ == WeightSum::all ? Bool(true) : flow.busy || !Core::forgotten(flow.stamps.finish, vtime);
  }
  ImageWeight weight_sum() const {
    ImageWeight weight;
    for (const Flow& flow : flows) weight.counted.push_back(counts(flow));
    return weight;
  }
  /// From when on an idle flow could claim service.
  ImagePoint idle_since(const Flow& flow) const {
    return sum_ == WeightSum::active ? flow.stamps.finish
                                     : Image::select(Image::after(flow.stamps.finish, vtime), flow.stamps.finish, vtime);
  }

  ImageSpace space_;
  WeightSum sum_;
  Num largest_;
};

}  // namespace elvcheck
