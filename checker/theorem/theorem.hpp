// SPDX-License-Identifier: GPL-2.0-or-later
// What a theorem of the catalogue is.
//
// A theorem speaks of the decision core that the simulation runs, read over Z3 terms; the file that states it says in its
// head what the core leaves out and what is assumed of the rest. To add one: a file beside this one with a function that
// returns a Theorem, and one line in catalogue.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/z3/prover.hpp"
#include "properties/case_file.hpp"

namespace elvcheck {

/// How a theorem is closed.
enum class Method {
  induction,  ///< over all states that satisfy the invariant: holds for runs of any length
  bounded,    ///< over all runs of a stated length
  direct,     ///< over all states: nothing to induct over
};
std::string_view to_string(Method method);

/// What the catalogue expects of a theorem.
enum class Expectation {
  proved,
  refuted,  ///< a plausible claim that is false; the counterexample must replay on the simulation
};
std::string_view to_string(Expectation expectation);

/// One verification condition of a theorem. Conditions of one theorem have different names.
struct Condition {
  std::string name;                        ///< "step"; letters, digits, '-', '.'
  std::string statement;                   ///< in words
  std::function<void(Obligation&)> state;  ///< states hypotheses and goal over variables of the current scope
  Question question = Question::always;
};

/// A defect that the theorem must notice: the conditions of the theorem over a defective variant of the core.
struct PlantedBug {
  std::string name;                   ///< "expiry-ignored"
  std::string statement;              ///< what it does, in words
  std::vector<Condition> conditions;  ///< at least one must fail
};

struct Theorem {
  std::string name;         ///< "deadline.expired-rank"
  std::string statement;    ///< in words
  std::string core;         ///< the template it speaks of: "DeadlineCore"
  std::string abstraction;  ///< in words: what is left out and what is assumed of it
  std::string flows;        ///< what competes, and how many of them: "any number of reads and writes"
  std::string symbolic;     ///< the parameters it holds for all values of, with their ranges
  Method method = Method::induction;
  Expectation expectation = Expectation::proved;
  std::vector<Condition> conditions;
  std::vector<PlantedBug> planted_bugs;
  /// For a refuted claim one of two. The smallest counterexample as a case that violates a property on the simulation; or,
  /// of a claim about a part that no property sees, what the running part does with it, in a sentence (std::runtime_error:
  /// not what was expected).
  std::function<CaseFile()> counterexample;
  std::function<std::string()> demonstration;
};

/// Every theorem, in the order in which `elvcheck list` and `elvcheck prove` show them.
std::span<const Theorem> theorems();

/// The theorem of that name, or null.
const Theorem* find_theorem(std::string_view name);

}  // namespace elvcheck
