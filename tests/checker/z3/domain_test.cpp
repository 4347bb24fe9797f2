// SPDX-License-Identifier: GPL-2.0-or-later
// The symbolic domain: constants are folded, terms mean what Z3 and SMT-LIB say, and nothing symbolic can be branched on.
#include "checker/z3/domain.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <stdexcept>
#include <thread>

namespace elvcheck {
namespace {

using Num = Symbolic::Num;
using Bool = Symbolic::Bool;

template <class B>
concept Branchable = requires(B b) {
  b ? 1 : 2;
};
static_assert(Branchable<Concrete::Bool>);
static_assert(!Branchable<Symbolic::Bool>, "`if` on a symbolic condition must not compile");
static_assert(!std::is_convertible_v<Num, std::int64_t>);
static_assert(!std::is_constructible_v<Num, bool>, "a condition is not a number");

bool valid(const Bool& claim) {
  z3::solver solver(SymbolicScope::current().context());
  solver.add((!claim).term());
  return solver.check() == z3::unsat;
}

TEST(SymbolicDomain, FoldsConstantsWithoutAnyScope) {
  EXPECT_EQ((Num(2) + Num(3)).constant(), 5);
  EXPECT_EQ((Num(2) - Num(3)).constant(), -1);
  EXPECT_EQ((Num(-4) * Num(3)).constant(), -12);
  EXPECT_EQ((Num(2) < Num(3)).constant(), true);
  EXPECT_EQ((Num(3) <= Num(2)).constant(), false);
  EXPECT_EQ((Num(3) == Num(3)).constant(), true);
  EXPECT_EQ((Bool(true) && Bool(false)).constant(), false);
  EXPECT_EQ((Bool(true) || Bool(false)).constant(), true);
  EXPECT_EQ((!Bool(true)).constant(), false);
  EXPECT_EQ(Symbolic::select(Bool(true), Num(7), Num(8)).constant(), 7);
  EXPECT_EQ(Symbolic::halve(Num(7)).constant(), 3);
  EXPECT_EQ(Symbolic::halve(Num(-7)).constant(), -4);  // rounded down
}

TEST(SymbolicDomain, NeutralAndAbsorbingConstantsLeaveNoTerm) {
  SymbolicScope scope;
  const Num x = Symbolic::variable("x");
  const Bool c = Symbolic::condition("c");
  EXPECT_TRUE(z3::eq((x + Num(0)).term(), x.term()));
  EXPECT_TRUE(z3::eq((Num(1) * x).term(), x.term()));
  EXPECT_EQ((x * Num(0)).constant(), 0);
  EXPECT_EQ((x - x).constant(), 0);
  EXPECT_EQ((x < x).constant(), false);
  EXPECT_EQ((x <= x).constant(), true);
  EXPECT_EQ((c && Bool(false)).constant(), false);
  EXPECT_TRUE(z3::eq((c && Bool(true)).term(), c.term()));
  EXPECT_TRUE(z3::eq((c || c).term(), c.term()));
  EXPECT_TRUE(z3::eq(Symbolic::select(c, x, x).term(), x.term()));
  EXPECT_TRUE(z3::eq(Symbolic::select(c, Bool(true), Bool(false)).term(), c.term()));
}

TEST(SymbolicDomain, OverflowingConstantsBecomeExactTerms) {
  SymbolicScope scope;
  const Num largest(std::numeric_limits<std::int64_t>::max());
  const Num sum = largest + Num(1);
  EXPECT_FALSE(sum.constant().has_value());
  EXPECT_TRUE(valid(largest < sum));
  EXPECT_TRUE(valid(largest < largest * largest));
}

TEST(SymbolicDomain, RealsAreRealAndHalveRoundsDownInBothSorts) {
  SymbolicScope scope;
  const SymbolicReal::Num x = SymbolicReal::variable("x");
  const Num n = Symbolic::variable("n");
  EXPECT_FALSE(valid(x <= SymbolicReal::Num(0) || SymbolicReal::Num(1) <= x));  // a real lies between 0 and 1
  EXPECT_TRUE(valid(n <= Num(0) || Num(1) <= n));                               // no integer does
  EXPECT_TRUE(valid(n != Num(7) || Symbolic::halve(n) == Num(3)));
  EXPECT_TRUE(valid(x != SymbolicReal::Num(7) || SymbolicReal::halve(x) == SymbolicReal::Num(3)));
  EXPECT_TRUE(valid(Num(2) * Symbolic::halve(n) <= n && n <= Num(2) * Symbolic::halve(n) + Num(1)));
}

TEST(SymbolicDomain, ScopesNestAndBelongToAThread) {
  EXPECT_THROW(SymbolicScope::current(), std::logic_error);
  SymbolicScope outer;
  {
    SymbolicScope inner;
    EXPECT_EQ(&SymbolicScope::current(), &inner);
  }
  EXPECT_EQ(&SymbolicScope::current(), &outer);
  std::thread([] { EXPECT_THROW(SymbolicScope::current(), std::logic_error); }).join();
}

TEST(SymbolicDomain, NamesArePlain) {
  SymbolicScope scope;
  EXPECT_NO_THROW(Symbolic::variable("reads.next-is_older2"));
  for (const char* bad : {"", "a b", "a<b", "a=b", "f(x)", "|x|"}) {
    EXPECT_THROW(Symbolic::variable(bad), std::invalid_argument) << bad;
    EXPECT_THROW(Symbolic::condition(bad), std::invalid_argument) << bad;
  }
}

// Each operation, done by folding and done by Z3 on variables fixed to the same values, agrees with C++ on 64-bit integers.
RC_GTEST_PROP(SymbolicDomain, OperationsAgreeWithTheConcreteDomain, (std::int16_t a16, std::int16_t b16, bool condition)) {
  const std::int64_t a = a16, b = b16;
  SymbolicScope scope;
  const Num x = Symbolic::variable("x"), y = Symbolic::variable("y");
  const Bool c = Symbolic::condition("c");
  z3::solver solver(scope.context());
  solver.add((x == Num(a) && y == Num(b) && c == Bool(condition)).term());
  RC_ASSERT(solver.check() == z3::sat);
  const z3::model model = solver.get_model();
  const auto number = [&](const Num& n) { return model.eval(n.term(), true).get_numeral_int64(); };
  const auto truth = [&](const Bool& t) { return model.eval(t.term(), true).is_true(); };

  RC_ASSERT((Num(a) + Num(b)).constant() == a + b);
  RC_ASSERT(number(x + y) == a + b);
  RC_ASSERT((Num(a) - Num(b)).constant() == a - b);
  RC_ASSERT(number(x - y) == a - b);
  RC_ASSERT((Num(a) * Num(b)).constant() == a * b);
  RC_ASSERT(number(x * y) == a * b);
  RC_ASSERT(truth(x < y) == (a < b));
  RC_ASSERT(truth(x <= y) == (a <= b));
  RC_ASSERT(truth(x == y) == (a == b));
  RC_ASSERT(truth(x > y) == (a > b));
  RC_ASSERT(truth(x >= y) == (a >= b));
  RC_ASSERT(truth(x != y) == (a != b));
  RC_ASSERT(number(Symbolic::select(c, x, y)) == Concrete::select(condition, a, b));
  RC_ASSERT(truth(Symbolic::select(c, x < y, y < x)) == Concrete::select(condition, a < b, b < a));
  RC_ASSERT(number(Symbolic::halve(x)) == Symbolic::halve(Num(a)).constant());
  if (a >= 0) RC_ASSERT(number(Symbolic::halve(x)) == Concrete::halve(a));
}

}  // namespace
}  // namespace elvcheck
