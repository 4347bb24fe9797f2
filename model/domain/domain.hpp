// SPDX-License-Identifier: GPL-2.0-or-later
// The domains that a decision core is written over.
//
// A decision core is a template over a domain D. With D = Concrete it is plain 64-bit integer code that the simulation runs at
// full speed; with the Z3 domain (checker/z3/domain.hpp) the same text builds the formula that is proved. A core uses only what
// the concept Domain has: arithmetic and comparison on D::Num, logic on D::Bool, D::select for data flow. An `if` on a D::Bool
// of a symbolic domain does not compile, so a core that compiles in both has no hidden branch.
#pragma once

#include <concepts>
#include <cstdint>

namespace elvcheck {

template <class D>
concept Domain = requires(typename D::Num n, typename D::Bool b) {
  { n + n } -> std::same_as<typename D::Num>;
  { n - n } -> std::same_as<typename D::Num>;
  { n < n } -> std::same_as<typename D::Bool>;
  { n <= n } -> std::same_as<typename D::Bool>;
  { n == n } -> std::same_as<typename D::Bool>;
  { b && b } -> std::same_as<typename D::Bool>;
  { b || b } -> std::same_as<typename D::Bool>;
  { !b } -> std::same_as<typename D::Bool>;
  { D::select(b, n, n) } -> std::same_as<typename D::Num>;
  { D::select(b, b, b) } -> std::same_as<typename D::Bool>;
  { D::halve(n) } -> std::same_as<typename D::Num>;
};

/// What cores of proportional-share schedulers need on top: products, quotients, and the order of wrapping time stamps.
template <class D>
concept ArithmeticDomain = Domain<D> && requires(typename D::Num n) {
  { n * n } -> std::same_as<typename D::Num>;
  { D::divide(n, n) } -> std::same_as<typename D::Num>;
  { D::after(n, n) } -> std::same_as<typename D::Bool>;
};

template <Domain D>
typename D::Num least(typename D::Num a, typename D::Num b) {
  return D::select(b < a, b, a);
}

template <Domain D>
typename D::Num greatest(typename D::Num a, typename D::Num b) {
  return D::select(a < b, b, a);
}

/// a - b on a clock of 64 bits that wraps.
inline std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// Whether time stamp a lies after b: a strict order on stamps that are less than 2^63 apart (theorem bfq.timestamp-order).
template <class Stamp>
auto wrapped_after(const Stamp& a, const Stamp& b) {
  return Stamp(0) < wrapping_difference(a, b);
}

/// The domain of the simulation: 64-bit integers and bool.
struct Concrete {
  using Num = std::int64_t;
  using Bool = bool;
  static Num select(bool condition, Num yes, Num no) { return condition ? yes : no; }
  static bool select(bool condition, bool yes, bool no) { return condition ? yes : no; }
  /// Division by two, rounded down; n >= 0.
  static Num halve(Num n) { return n / 2; }
  /// Quotient, rounded down; a >= 0, b > 0.
  static Num divide(Num a, Num b) { return a / b; }
  /// Whether time stamp a lies after b; holds across a wrap as long as they are less than 2^63 apart.
  static bool after(Num a, Num b) { return wrapped_after(a, b); }
};
static_assert(ArithmeticDomain<Concrete>);

}  // namespace elvcheck
