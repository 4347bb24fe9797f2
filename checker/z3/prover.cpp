// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/z3/prover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "checker/z3/isolated.hpp"

namespace elvcheck {

namespace {

using Clock = std::chrono::steady_clock;

/// A solver that holds the hypotheses and, for `always`, the negated goal: `sat` then means a counterexample.
z3::solver load(const ProofTask& task) {
  Obligation obligation;
  task.state(obligation);
  // The plain SMT core: the default solver runs a portfolio of tactics some of which end by the clock.
  z3::solver solver(SymbolicScope::current().context(), z3::solver::simple());
  for (const SymbolicBool& hypothesis : obligation.hypotheses()) solver.add(hypothesis.term());
  solver.add(task.question == Question::always ? (!obligation.goal()).term() : obligation.goal().term());
  return solver;
}

Answer meaning_of(z3::check_result result, Question question) {
  if (result == z3::unknown) return Answer::unknown;
  return (result == z3::unsat) == (question == Question::always) ? Answer::proved : Answer::refuted;
}

std::vector<std::pair<std::string, std::string>> read_model(const z3::model& model) {
  std::vector<std::pair<std::string, std::string>> values;
  for (unsigned i = 0; i < model.num_consts(); ++i) {
    const z3::func_decl variable = model.get_const_decl(i);
    values.emplace_back(variable.name().str(), model.get_const_interp(variable).to_string());
  }
  std::sort(values.begin(), values.end());
  return values;
}

/// Z3's count of resources; the work of the solver alone when taken before and after.
std::uint64_t resources(const z3::solver& solver) {
  const z3::stats statistics = solver.statistics();
  for (unsigned i = 0; i < statistics.size(); ++i) {
    if (statistics.key(i) == "rlimit count" && statistics.is_uint(i)) return statistics.uint_value(i);
  }
  return 0;
}

ProofResult not_answered(std::string reason) {
  ProofResult result;
  result.reason = std::move(reason);
  return result;
}

}  // namespace

std::string_view to_string(Answer answer) {
  static constexpr std::array<std::string_view, 3> names{"proved", "refuted", "unknown"};
  return names[static_cast<std::size_t>(answer)];
}

std::string z3_version() {
  unsigned major = 0, minor = 0, build = 0, revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return fmt::format("{}.{}.{}", major, minor, build);
}

ProofResult prove_here(const ProofTask& task, const ProofLimits& limits) {
  const Clock::time_point started = Clock::now();
  ProofResult result;
  try {
    z3::set_param("memory_max_size", static_cast<int>(limits.memory_mib));
    SymbolicScope scope;
    z3::solver solver = load(task);
    z3::params parameters(scope.context());
    parameters.set("rlimit", limits.rlimit);
    parameters.set("random_seed", limits.seed);
    solver.set(parameters);
    const z3::check_result answer = solver.check();
    result.answer = meaning_of(answer, task.question);
    if (answer == z3::sat) result.model = read_model(solver.get_model());
    if (answer == z3::unknown) result.reason = "Z3 gave up: " + solver.reason_unknown();
    result.rlimit = resources(solver);
  } catch (const z3::exception& error) {
    result = not_answered(fmt::format("Z3 stopped: {}", error.msg()));
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - started).count();
  return result;
}

std::string to_smt2(const ProofTask& task) {
  SymbolicScope scope;
  std::string body = load(task).to_smt2();
  // Z3 opens its text with a comment and an unknown status; the head below says more.
  if (const std::size_t status = body.find("(set-info :status"); status != std::string::npos) {
    body.erase(0, body.find('\n', status) + 1);
  }
  const bool expects_sat = (task.expected == Answer::refuted) == (task.question == Question::always);
  const std::string_view expected = task.expected == Answer::unknown ? "unknown" : expects_sat ? "sat" : "unsat";
  const std::string_view reading = task.question == Question::always
                                       ? "hypotheses and the negated goal: sat is a counterexample"
                                       : "hypotheses and the goal: sat is an example";
  return fmt::format(
      "; {}\n; {}\n; {}\n; written by elvcheck with Z3 {}; expected answer: {}\n(set-logic ALL)\n"
      "(set-info :status {})\n{}",
      task.name, task.statement, reading, z3_version(), expected, expected, body);
}

ProofResult prove_isolated(const ProofTask& task, const ProofLimits& limits) {
  const std::array<std::function<std::string()>, 1> work{[&] { return encode_result(prove_here(task, limits)); }};
  IsolatedOptions options;
  options.watchdog = std::chrono::seconds(limits.watchdog_seconds);
  return result_of(run_isolated(work, options).front());
}

ProofResult result_of(const IsolatedResult& isolated) {
  ProofResult result = isolated.end == IsolatedResult::End::finished
                           ? decode_result(isolated.text)
                           : not_answered("the prover's process: " + isolated.text);
  result.seconds = isolated.seconds;
  return result;
}

std::string encode_result(const ProofResult& result) {
  nlohmann::json json{{"answer", to_string(result.answer)},
                      {"seconds", result.seconds},
                      {"rlimit", result.rlimit},
                      {"model", result.model},
                      {"reason", result.reason}};
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

ProofResult decode_result(std::string_view text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    ProofResult result;
    const std::string answer = json.at("answer");
    for (const Answer candidate : {Answer::proved, Answer::refuted}) {
      if (answer == to_string(candidate)) result.answer = candidate;
    }
    result.seconds = json.at("seconds");
    result.rlimit = json.at("rlimit");
    result.model = json.at("model").get<decltype(result.model)>();
    result.reason = json.at("reason");
    return result;
  } catch (const nlohmann::json::exception&) {
    return not_answered("the prover's process sent a damaged answer");
  }
}

}  // namespace elvcheck
