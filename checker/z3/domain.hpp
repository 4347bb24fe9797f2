// SPDX-License-Identifier: GPL-2.0-or-later
// The symbolic domain: the values over which a decision core becomes a formula.
//
// DeadlineCore<Symbolic> is the same text as DeadlineCore<Concrete>, but its numbers are Z3 terms. Constants stay plain
// integers and are folded before Z3 sees them, so a core that is given only constants never builds a term and agrees with
// the simulation by evaluation. A symbolic condition cannot be branched on: SymbolicBool has no conversion to bool.
//
// Integers here are the mathematical ones; the simulation's have 64 bits. A theorem whose numbers may leave 64 bits has to
// say and bound it.
#pragma once

#include <z3++.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "model/domain/domain.hpp"

namespace elvcheck {

/// Owns a Z3 context and is the current one of this thread until it is destroyed; scopes nest. Values with terms belong to
/// the scope they were made in and must not outlive it. Constants belong to none.
class SymbolicScope {
 public:
  SymbolicScope();
  ~SymbolicScope();
  SymbolicScope(const SymbolicScope&) = delete;
  SymbolicScope& operator=(const SymbolicScope&) = delete;

  z3::context& context() { return context_; }

  /// The innermost scope of this thread. Throws std::logic_error if there is none.
  static SymbolicScope& current();

 private:
  z3::context context_;
  SymbolicScope* outer_;
};

/// A truth value: a constant or a Z3 term.
class SymbolicBool {
 public:
  SymbolicBool() = default;
  template <std::same_as<bool> B>
  SymbolicBool(B value) : constant_(value) {}  // NOLINT: implicit, as bool is in the concrete domain
  /// A term of sort Bool; folded to a constant if it is `true` or `false`.
  explicit SymbolicBool(const z3::expr& term);

  /// The value if it is a constant.
  std::optional<bool> constant() const { return term_ ? std::nullopt : std::optional<bool>(constant_); }
  /// The value as a term of the current scope.
  z3::expr term() const;

  SymbolicBool operator!() const;
  friend SymbolicBool operator&&(const SymbolicBool& a, const SymbolicBool& b);
  friend SymbolicBool operator||(const SymbolicBool& a, const SymbolicBool& b);
  friend SymbolicBool operator==(const SymbolicBool& a, const SymbolicBool& b);

 private:
  std::optional<z3::expr> term_;
  bool constant_ = false;
};

/// What a SymbolicNum ranges over.
enum class Sort { integer, real };

/// A number: a 64-bit constant or a Z3 term. Arithmetic on constants that would overflow is left to Z3, which has no bound.
template <Sort S>
class SymbolicNum {
 public:
  SymbolicNum() = default;
  template <std::integral I>
  requires(!std::same_as<I, bool>) SymbolicNum(I value)
      : constant_(static_cast<std::int64_t>(value)) {}  // NOLINT: implicit, as in the concrete domain
  /// A term of sort Int or Real, as S says.
  explicit SymbolicNum(const z3::expr& term);

  std::optional<std::int64_t> constant() const { return term_ ? std::nullopt : std::optional<std::int64_t>(constant_); }
  z3::expr term() const;

  template <Sort T>
  friend SymbolicNum<T> operator+(const SymbolicNum<T>& a, const SymbolicNum<T>& b);
  template <Sort T>
  friend SymbolicNum<T> operator-(const SymbolicNum<T>& a, const SymbolicNum<T>& b);
  template <Sort T>
  friend SymbolicNum<T> operator*(const SymbolicNum<T>& a, const SymbolicNum<T>& b);
  template <Sort T>
  friend SymbolicBool operator<(const SymbolicNum<T>& a, const SymbolicNum<T>& b);
  template <Sort T>
  friend SymbolicBool operator<=(const SymbolicNum<T>& a, const SymbolicNum<T>& b);
  template <Sort T>
  friend SymbolicBool operator==(const SymbolicNum<T>& a, const SymbolicNum<T>& b);

 private:
  std::optional<z3::expr> term_;
  std::int64_t constant_ = 0;
};

template <Sort S>
SymbolicBool operator>(const SymbolicNum<S>& a, const SymbolicNum<S>& b) {
  return b < a;
}
template <Sort S>
SymbolicBool operator>=(const SymbolicNum<S>& a, const SymbolicNum<S>& b) {
  return b <= a;
}
template <Sort S>
SymbolicBool operator!=(const SymbolicNum<S>& a, const SymbolicNum<S>& b) {
  return !(a == b);
}

/// The domain that a core is instantiated with, over integers or reals.
template <Sort S>
struct SymbolicDomain {
  using Num = SymbolicNum<S>;
  using Bool = SymbolicBool;

  static Num select(const Bool& condition, const Num& yes, const Num& no);
  static Bool select(const Bool& condition, const Bool& yes, const Bool& no);
  /// Half, rounded down. (For negative numbers too; a core uses it for n >= 0 only, where all domains agree.)
  static Num halve(const Num& n);
  /// Quotient, rounded down; a >= 0 and b > 0, where all domains agree. Of integers only.
  static Num divide(const Num& a, const Num& b) requires(S == Sort::integer);
  /// Whether time stamp a lies after b. Time stamps do not wrap here.
  static Bool after(const Num& a, const Num& b) { return b < a; }

  /// The variable of that name in the current scope; equal names are equal variables. Names are made of letters, digits,
  /// '_', '-' and '.'; others throw std::invalid_argument.
  static Num variable(const std::string& name);
  static Bool condition(const std::string& name);
};

using Symbolic = SymbolicDomain<Sort::integer>;
using SymbolicReal = SymbolicDomain<Sort::real>;

static_assert(ArithmeticDomain<Symbolic> && Domain<SymbolicReal>);
static_assert(!std::is_constructible_v<bool, SymbolicBool>, "an `if` on a symbolic condition must not compile");
static_assert(!std::is_constructible_v<SymbolicBool, int>, "a number is not a condition");

}  // namespace elvcheck
