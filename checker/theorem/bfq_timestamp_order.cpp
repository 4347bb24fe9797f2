// SPDX-License-Identifier: GPL-2.0-or-later
// bfq.timestamp-order: comparing 64-bit time stamps by the sign of their difference orders them right, as long as all lie
// within a window of 2^63; outside of one it does not.
//
// About wrapped_after() of model/domain/domain.hpp, which compares virtual time in BFQ, over bit-vectors of 64 bits. That
// the stamps of a tree keep to such a window is not part of it: it follows from bfq.lag and bfq.well-formed while no flow's
// budget over its weight comes near 2^63 units.
#include "checker/theorem/catalogue.hpp"
#include "model/domain/domain.hpp"

namespace elvcheck {

namespace {

/// A time stamp of 64 bits.
struct WrappingStamp {
  explicit WrappingStamp(std::int64_t value) : term(SymbolicScope::current().context().bv_val(value, 64)) {}
  explicit WrappingStamp(const z3::expr& bits) : term(bits) {}
  z3::expr term;
};

WrappingStamp wrapping_difference(const WrappingStamp& a, const WrappingStamp& b) { return WrappingStamp(a.term - b.term); }
SymbolicBool operator<(const WrappingStamp& a, const WrappingStamp& b) {
  return SymbolicBool(a.term < b.term);
}  // as signed numbers

struct AsItRuns {
  static SymbolicBool after(const WrappingStamp& a, const WrappingStamp& b) { return wrapped_after(a, b); }
};
/// Compared as plain numbers.
struct WrapForgotten {
  static SymbolicBool after(const WrappingStamp& a, const WrappingStamp& b) { return b < a; }
};

WrappingStamp any_stamp(const char* name) { return WrappingStamp(SymbolicScope::current().context().bv_const(name, 64)); }

/// Any stamp of a window of 2^63 that begins at `window`, and its place there.
struct Placed {
  Placed(Obligation& obligation, const WrappingStamp& window, const char* name)
      : place(any_stamp(name).term), stamp(window.term + place) {
    const z3::expr half = SymbolicScope::current().context().bv_val(std::uint64_t{1} << 63, 64);
    obligation.assume(SymbolicBool(z3::ult(place, half)), "all stamps lie within a window of 2^63");
  }
  z3::expr place;
  WrappingStamp stamp;
};

template <class Order>
void agrees(Obligation& obligation) {
  const WrappingStamp window = any_stamp("window");
  const Placed a(obligation, window, "place-of-a");
  const Placed b(obligation, window, "place-of-b");
  obligation.conclude(Order::after(a.stamp, b.stamp) == SymbolicBool(z3::ult(b.place, a.place)));
}

template <class Order>
void cycle(Obligation& obligation) {
  const WrappingStamp a = any_stamp("a");
  const WrappingStamp b = any_stamp("b");
  const WrappingStamp c = any_stamp("c");
  obligation.conclude(Order::after(a, b) && Order::after(b, c) && Order::after(c, a));
}

template <class Order>
std::vector<Condition> conditions() {
  return {
      {"window", "Within a window of 2^63 the comparison agrees with the order of the places in the window.", agrees<Order>},
      {"cycle", "Outside of such a window three stamps can lie after each other in a circle.", cycle<Order>,
       Question::sometimes},
  };
}

}  // namespace

Theorem bfq_timestamp_order() {
  Theorem theorem;
  theorem.name = "bfq.timestamp-order";
  theorem.statement =
      "Time stamps within a window of 2^63 are ordered by the sign of their wrapping difference; without it they are not.";
  theorem.core = "wrapped_after";
  theorem.abstraction = "That the stamps of a service tree keep to such a window is not shown here.";
  theorem.flows = "three time stamps";
  theorem.symbolic = "64-bit stamps, place of the window";
  theorem.method = Method::direct;
  theorem.conditions = conditions<AsItRuns>();
  theorem.planted_bugs = {{"wrap-forgotten", "Stamps are compared as plain numbers.", conditions<WrapForgotten>()}};
  return theorem;
}

}  // namespace elvcheck
