// SPDX-License-Identifier: GPL-2.0-or-later
// Proving theorems of the catalogue: what the command line and the tests call.
//
// Every condition, every vacuity check and every planted bug is one task in a process of its own (checker/z3/isolated.hpp),
// so the call must come from a process in which no other thread uses Z3.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/theorem/theorem.hpp"
#include "checker/z3/prover.hpp"

namespace elvcheck {

/// How far a call has come.
struct ProveProgress {
  std::size_t done = 0;   ///< tasks finished
  std::size_t total = 0;  ///< tasks of this call
  std::string latest;     ///< name of the task that has just finished
};

struct ProveOptions {
  unsigned jobs = 1;                 ///< processes at once, >= 1
  ProofLimits limits;                ///< of each task
  std::string smt2_dir;              ///< where each condition is written as SMT-LIB 2 text; empty: nowhere. Must exist.
  bool planted_bugs = true;             ///< try them too; they say something about the theorem, not about the scheduler
  bool name_hypotheses = false;      ///< find out which assumptions each condition needs; costs a second proof
  unsigned cross_check_seconds = 0;  ///< how long cvc5 may think about each task; 0: it is not asked
  std::string case_dir;              ///< where counterexamples are written as case files; empty: nowhere. Must exist.
  std::function<void(const ProveProgress&)> progress;  ///< called after each task; may be empty
  std::function<bool()> cancelled;                     ///< asked about ten times a second; true ends the call; may be empty
};

/// What became of a theorem.
enum class TheoremVerdict {
  proved,               ///< every condition closed, none of them vacuous, every planted bug caught
  refuted_as_expected,  ///< a claim kept because it is false: the counterexample was found and replays on the simulation
  open,                 ///< the solver gave up on something; nothing is claimed
  failed,               ///< the opposite of what the catalogue expects, a vacuous condition, or a planted bug that survived
};
std::string_view to_string(TheoremVerdict verdict);

/// Whether a planted bug was noticed.
enum class BugVerdict {
  caught,       ///< at least one condition failed
  missed,       ///< all conditions held: the theorem does not notice this bug
  not_decided,  ///< none failed, but some have no answer: the solver gave up or the call was interrupted
};
std::string_view to_string(BugVerdict verdict);

/// One task and whether it came out as it must.
struct TaskReport {
  std::string name;       ///< "deadline.expired-rank.step", "deadline.expired-rank.bug.expiry-ignored.step", ...
  std::string statement;  ///< in words
  ProofResult result;
  bool as_expected = false;
};

struct PlantedBugReport {
  std::string name;       ///< "expiry-ignored"
  std::string statement;  ///< what the bug does, in words
  BugVerdict verdict = BugVerdict::not_decided;
  std::vector<TaskReport> conditions;
};

struct TheoremReport {
  const Theorem* theorem = nullptr;  ///< name, statement, flows, symbolic parameters, method, expectation
  TheoremVerdict verdict = TheoremVerdict::open;
  std::string detail;               ///< one sentence: what kept it from being proved, or what the counterexample shows
  double seconds = 0;               ///< sum over the tasks
  std::uint64_t rlimit = 0;         ///< sum over the tasks: Z3's resource count, the same on every machine
  std::vector<std::string> needed;  ///< named assumptions that the proof of some condition needs; empty: not asked for
  std::size_t second_asked = 0;     ///< tasks that the second solver was asked about
  std::size_t second_answered = 0;  ///< those it answered
  std::size_t second_disagreed = 0;
  std::string case_path;  ///< the written counterexample, or empty
  std::vector<TaskReport> conditions;
  std::vector<TaskReport> vacuity;
  std::vector<PlantedBugReport> planted_bugs;
};

/// Proves every theorem whose name matches the glob (`*` and `?`; empty: all), in the order of the catalogue.
/// Throws InputError when a directory cannot be written to.
std::vector<TheoremReport> prove_theorems(std::string_view glob, const ProveOptions& options);

/// The same for given theorems; the reports point to them.
std::vector<TheoremReport> prove_theorems(std::span<const Theorem* const> theorems, const ProveOptions& options);

}  // namespace elvcheck
