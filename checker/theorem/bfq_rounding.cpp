// SPDX-License-Identifier: GPL-2.0-or-later
// bfq.rounding: how far rounded time stamps fall behind exact ones.
//
// The kernel divides service by weight and rounds down to a unit of virtual time, 2^-22 sectors for each unit of weight.
// Wf2qCore over whole numbers does the same. The ghost `exact` is weight times the exact stamp, in units; it grows by
// service * 2^22 with each slot. The other theorems of the engine are about exact stamps; this one says what rounding adds,
// for a flow of constant weight and for virtual time while the sum of weights is constant. Left out: 64 bits
// (bfq.timestamp-order), and the sums over all flows.
#include "checker/theorem/bfq_stamps.hpp"
#include "checker/theorem/catalogue.hpp"

namespace elvcheck {

namespace {

using Num = Symbolic::Num;
using Bool = Symbolic::Bool;

/// Rounds up.
struct RoundedUp : StampCore {
  static Stamps charged(const Num& start, const Num& service, const Num& weight) {
    const Stamps down = StampCore::charged(start, service, weight);
    return {down.start + Num(1), down.finish + Num(1)};
  }
};
/// Rounds service to whole sectors for each unit of weight.
struct FractionLost : StampCore {
  static Stamps charged(const Num& start, const Num& service, const Num& weight) {
    const Num unit(std::int64_t{1} << bfq::wfq_service_shift);
    const Num end = start + Symbolic::divide(service, weight) * unit;
    return {end, end};
  }
};

template <class Core>
void after_a_slot(Obligation& obligation) {
  const Num weight = Symbolic::variable("weight");
  const Num stamp = Symbolic::variable("stamp");
  const Num exact = Symbolic::variable("exact");
  const Num slots = Symbolic::variable("slots");
  const Num service = Symbolic::variable("service");
  obligation.assume(Num(1) <= weight, "weight >= 1");
  obligation.assume(Num(0) <= service, "service >= 0");
  obligation.assume(Num(0) <= slots);
  const auto within = [&](const Num& rounded, const Num& exactly, const Num& count) {
    return weight * rounded <= exactly && exactly <= weight * rounded + weight * count;
  };
  obligation.assume(within(stamp, exact, slots), "so far at most a unit for each slot");
  const auto charged = Core::charged(stamp, service, weight);
  const Num exact_now = exact + service * Num(std::int64_t{1} << bfq::wfq_service_shift);
  obligation.conclude(within(charged.start, exact_now, slots + Num(1)));
}

template <class Core>
std::vector<Condition> conditions() {
  return {{"slot", "A slot adds at most one unit to what the stamp is behind the exact one, and never puts it ahead.",
           after_a_slot<Core>}};
}

}  // namespace

Theorem bfq_rounding() {
  Theorem theorem;
  theorem.name = "bfq.rounding";
  theorem.statement =
      "After n slots a time stamp is behind the exact one by at most n units of virtual time, and never ahead of it.";
  theorem.core = "bfq::Wf2qCore";
  theorem.abstraction = "The weight (or sum of weights) is constant; stamps do not wrap.";
  theorem.flows = "one flow, any number of slots";
  theorem.symbolic = "weight >= 1, services >= 0";
  theorem.conditions = conditions<StampCore>();
  theorem.planted_bugs = {
      {"rounded-up", "Stamps are rounded up.", conditions<RoundedUp>()},
      {"fraction-lost", "Service is rounded to whole sectors for each unit of weight.", conditions<FractionLost>()},
  };
  return theorem;
}

}  // namespace elvcheck
