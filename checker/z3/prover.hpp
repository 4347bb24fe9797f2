// SPDX-License-Identifier: GPL-2.0-or-later
// Asking Z3 one question: do the hypotheses imply the goal (or: can both hold)?
//
// The budget is Z3's resource count, which is the same on every machine; wall-clock time only guards against a solver that
// hangs. Whatever goes wrong - a crash, a hang, an empty budget - is `unknown`, never `proved`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/z3/domain.hpp"

namespace elvcheck {

/// What may be assumed, and what it is called when a proof needs it ("fifo_batch >= 1"); without a name it goes without
/// saying.
struct Hypothesis {
  SymbolicBool condition;
  std::string name;
};

/// Hypotheses and goal of one condition.
class Obligation {
 public:
  void assume(const SymbolicBool& condition, std::string name = "") { hypotheses_.push_back({condition, std::move(name)}); }
  /// Adds to the goal: all of what is concluded must hold together.
  void conclude(const SymbolicBool& goal) { goal_ = goal_ && goal; }

  const std::vector<Hypothesis>& hypotheses() const { return hypotheses_; }
  const SymbolicBool& goal() const { return goal_; }

 private:
  std::vector<Hypothesis> hypotheses_;
  SymbolicBool goal_{true};
};

/// What is asked of an obligation.
enum class Question {
  always,     ///< the hypotheses imply the goal
  sometimes,  ///< the hypotheses and the goal hold together in some state
};

enum class Answer {
  proved,   ///< always: in every state; sometimes: a state was found
  refuted,  ///< always: a counterexample was found; sometimes: there is no such state
  unknown,  ///< the solver gave up, crashed or hung
};
std::string_view to_string(Answer answer);

struct ProofLimits {
  std::uint32_t rlimit = 100'000'000;  ///< Z3's resource count (a simple step costs 1; roughly 1-10 million a second)
  unsigned watchdog_seconds = 120;     ///< wall clock, after which the process is killed
  unsigned memory_mib = 3072;          ///< most memory that Z3 may take
  unsigned seed = 0;                   ///< Z3's smt.random_seed
};

struct ProofResult {
  Answer answer = Answer::unknown;
  double seconds = 0;
  std::uint64_t rlimit = 0;                                ///< resources used
  std::vector<std::pair<std::string, std::string>> model;  ///< variable and value, by name: counterexample or example
  std::string reason;                                      ///< of unknown: one sentence
  std::vector<std::string> needed;                         ///< see ProofTask::name_hypotheses
  std::optional<Answer> second_answer;                     ///< of the second solver, if it was asked
};

struct ProofTask {
  std::string name;
  std::string statement;
  std::function<void(Obligation&)> state;
  Question question = Question::always;
  Answer expected = Answer::proved;  ///< written into the SMT-LIB text
  /// Whether the result of a proof lists the named hypotheses that it needs: a minimal set, found by asking once more. Empty
  /// if the budget does not last for that.
  bool name_hypotheses = false;
};

/// "4.8.12": the Z3 library in use.
std::string z3_version();

/// Answers the task in this process, in a scope of its own. The watchdog does not apply. Exceptions of Z3 become `unknown`.
ProofResult prove_here(const ProofTask& task, const ProofLimits& limits);

/// "1.0.3": the cvc5 that is found on $PATH; empty if there is none.
std::string cvc5_version();

/// What cvc5 says of the task: reads to_smt2() of it in a process of its own and gives up after so many seconds. `unknown`
/// also if there is no such program.
Answer ask_cvc5(const ProofTask& task, unsigned seconds);

/// The task as SMT-LIB 2 text with a head that says in words what it is, and which answer (sat or unsat) is expected.
std::string to_smt2(const ProofTask& task);

struct IsolatedResult;

/// What a process that returned encode_result() has found; `unknown` if it did not get that far.
ProofResult result_of(const IsolatedResult& isolated);

/// Answers in a process of its own, under the watchdog.
ProofResult prove_isolated(const ProofTask& task, const ProofLimits& limits);

/// A ProofResult as text that survives a pipe, and back. decode_result("") and any other damaged text is `unknown`.
std::string encode_result(const ProofResult& result);
ProofResult decode_result(std::string_view text);

}  // namespace elvcheck
