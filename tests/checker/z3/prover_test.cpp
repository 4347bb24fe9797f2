// SPDX-License-Identifier: GPL-2.0-or-later
// One question to Z3: right answers on formulas whose truth is plain, budgets that end it, and texts that say what was
// asked.
#include "checker/z3/prover.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "checker/z3/minimise.hpp"

namespace elvcheck {
namespace {

using Num = Symbolic::Num;

ProofTask task(std::function<void(Obligation&)> state, Question question = Question::always) {
  return {"test.task", "A statement in words.", std::move(state), question, Answer::proved};
}

/// Eleven pigeons do not fit into ten holes: true, but every resolution proof is of exponential length (Haken, The
/// intractability of resolution, 1985).
void pigeonholes(Obligation& obligation) {
  constexpr int pigeons = 11;
  const auto sits = [](int pigeon, int hole) {
    return Symbolic::condition("pigeon" + std::to_string(pigeon) + ".hole" + std::to_string(hole));
  };
  Symbolic::Bool crowded(false);
  for (int pigeon = 0; pigeon < pigeons; ++pigeon) {
    Symbolic::Bool somewhere(false);
    for (int hole = 0; hole + 1 < pigeons; ++hole) {
      somewhere = somewhere || sits(pigeon, hole);
      for (int other = 0; other < pigeon; ++other) crowded = crowded || (sits(pigeon, hole) && sits(other, hole));
    }
    obligation.assume(somewhere);
  }
  obligation.conclude(crowded);
}

/// No two positive cubes add up to a cube (Euler): Z3 finds no end, and inside its non-linear arithmetic overlooks its
/// budget.
void cubes(Obligation& obligation) {
  const Num n = Symbolic::variable("n"), m = Symbolic::variable("m"), k = Symbolic::variable("k");
  for (const Num& x : {n, m, k}) obligation.assume(Num(0) < x);
  obligation.conclude(n * n * n + m * m * m != k * k * k);
}

TEST(Prover, ProvesRefutesAndFindsExamples) {
  const auto below = [](Obligation& o) {
    const Num x = Symbolic::variable("x");
    o.assume(x < Num(5));
    o.conclude(x < Num(6));
  };
  const auto above = [](Obligation& o) {
    const Num x = Symbolic::variable("x");
    o.assume(x < Num(6));
    o.conclude(x < Num(5));
  };
  const auto impossible = [](Obligation& o) {
    const Num x = Symbolic::variable("x");
    o.assume(x < Num(5));
    o.conclude(Num(7) < x);
  };
  EXPECT_EQ(prove_isolated(task(below), {}).answer, Answer::proved);
  const ProofResult refuted = prove_isolated(task(above), {});
  EXPECT_EQ(refuted.answer, Answer::refuted);
  ASSERT_EQ(refuted.model.size(), 1U);
  EXPECT_EQ(refuted.model.front(), (std::pair<std::string, std::string>("x", "5")));  // the only counterexample
  EXPECT_EQ(prove_isolated(task(above, Question::sometimes), {}).answer, Answer::proved);
  EXPECT_EQ(prove_isolated(task(impossible, Question::sometimes), {}).answer, Answer::refuted);
}

TEST(Prover, AGoalThatFoldsAwayStillCounts) {
  EXPECT_EQ(prove_isolated(task([](Obligation& o) { o.conclude(true); }), {}).answer, Answer::proved);
  EXPECT_EQ(prove_isolated(task([](Obligation& o) { o.conclude(false); }), {}).answer, Answer::refuted);
}

TEST(Prover, ASpentBudgetIsUnknownAndTheSameEachTime) {
  ProofLimits limits;
  limits.rlimit = 300'000;
  const ProofResult first = prove_isolated(task(pigeonholes), limits);
  EXPECT_EQ(first.answer, Answer::unknown);
  EXPECT_EQ(first.reason.rfind("Z3 gave up: ", 0), 0U) << first.reason;
  EXPECT_GE(first.rlimit, limits.rlimit);
  EXPECT_EQ(prove_isolated(task(pigeonholes), limits).rlimit, first.rlimit);
}

TEST(Prover, ACrashAHangAndAnExceptionAreUnknown) {
  ProofLimits limits;
  limits.watchdog_seconds = 1;
  const ProofResult hung = prove_isolated(task(cubes), limits);
  EXPECT_EQ(hung.answer, Answer::unknown);
  EXPECT_NE(hung.reason.find("killed after 1 s"), std::string::npos) << hung.reason;
  const ProofResult threw = prove_isolated(task([](Obligation&) { throw std::runtime_error("bad statement"); }), {});
  EXPECT_EQ(threw.answer, Answer::unknown);
  EXPECT_NE(threw.reason.find("bad statement"), std::string::npos) << threw.reason;
}

TEST(Prover, DamagedAnswersAreUnknown) {
  ProofResult result;
  result.answer = Answer::proved;
  result.rlimit = 12;
  result.model = {{"x", "5"}};
  const std::string text = encode_result(result);
  const ProofResult back = decode_result(text);
  EXPECT_EQ(back.answer, Answer::proved);
  EXPECT_EQ(back.rlimit, 12U);
  EXPECT_EQ(back.model, result.model);
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_EQ(decode_result(text.substr(0, length)).answer, Answer::unknown) << length;
  }
  EXPECT_EQ(decode_result("[1]").answer, Answer::unknown);
  EXPECT_EQ(decode_result(R"({"answer":"proved"})").answer, Answer::unknown);
}

TEST(Prover, SmtTextsSayWhatTheyAskAndAskIt) {
  ProofTask asked = task([](Obligation& o) {
    const Num x = Symbolic::variable("reads.x");
    o.assume(x < Num(5));
    o.conclude(x < Num(6));
  });
  const std::string text = to_smt2(asked);
  for (const char* part : {"; test.task\n", "; A statement in words.\n", "expected answer: unsat", "(set-logic ALL)",
                           "(set-info :status unsat)", "(check-sat)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find(":status unknown"), std::string::npos);
  z3::context context;
  z3::solver solver(context);
  solver.from_string(text.c_str());
  EXPECT_EQ(solver.check(), z3::unsat);
  asked.question = Question::sometimes;
  EXPECT_NE(to_smt2(asked).find("expected answer: sat"), std::string::npos);
}

TEST(Minimise, FindsTheLeastValueAndFixesIt) {
  SymbolicScope scope;
  const Num x = Symbolic::variable("x"), y = Symbolic::variable("y");
  z3::solver solver(scope.context());
  solver.add((Num(100) <= x + y && Num(0) <= x && x <= Num(70) && y <= Num(83)).term());
  EXPECT_EQ(minimise(solver, x, 0), 17);   // 100 - 83
  EXPECT_EQ(minimise(solver, y, -5), 83);  // x is 17 now
  const Symbolic::Bool c = Symbolic::condition("c");
  EXPECT_FALSE(minimise(solver, c));
  EXPECT_TRUE(minimise(solver, !c));
  solver.add((x < Num(17)).term());
  EXPECT_THROW(minimise(solver, x, 0), std::logic_error);
}

}  // namespace
}  // namespace elvcheck
