// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/z3/prover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "checker/z3/isolated.hpp"
#include "reference/kernel/command.hpp"

namespace elvcheck {

namespace {

using Clock = std::chrono::steady_clock;

/// A solver that holds the hypotheses and, for `always`, the negated goal: `sat` then means a counterexample.
z3::solver load(const ProofTask& task) {
  Obligation obligation;
  task.state(obligation);
  // The plain SMT core: the default solver runs a portfolio of tactics some of which end by the clock.
  z3::solver solver(SymbolicScope::current().context(), z3::solver::simple());
  for (const Hypothesis& hypothesis : obligation.hypotheses()) solver.add(hypothesis.condition.term());
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

/// The named hypotheses that the proof of `task` needs.
std::vector<std::string> needed_hypotheses(const ProofTask& task, z3::params parameters) {
  Obligation obligation;
  task.state(obligation);
  z3::context& context = SymbolicScope::current().context();
  z3::solver solver(context, z3::solver::simple());
  parameters.set("core.minimize", true);
  solver.set(parameters);
  std::vector<std::string> names;
  for (const Hypothesis& hypothesis : obligation.hypotheses()) {
    const z3::expr condition = hypothesis.condition.term();
    if (hypothesis.name.empty()) {
      solver.add(condition);
    } else {
      solver.add(condition, ("hypothesis" + std::to_string(names.size())).c_str());
      names.push_back(hypothesis.name);
    }
  }
  solver.add((!obligation.goal()).term());
  std::vector<std::string> needed;
  if (names.empty() || solver.check() != z3::unsat) return needed;
  const z3::expr_vector core = solver.unsat_core();
  std::set<std::string> marks;
  for (unsigned i = 0; i < core.size(); ++i) marks.insert(core[i].decl().name().str());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool listed = std::find(needed.begin(), needed.end(), names[i]) != needed.end();
    if (!listed && marks.contains("hypothesis" + std::to_string(i))) needed.push_back(names[i]);
  }
  return needed;
}

Answer answer_of(std::string_view word) {
  for (const Answer candidate : {Answer::proved, Answer::refuted}) {
    if (word == to_string(candidate)) return candidate;
  }
  return Answer::unknown;
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
    if (task.name_hypotheses && result.answer == Answer::proved && task.question == Question::always) {
      result.needed = needed_hypotheses(task, parameters);
    }
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

std::string cvc5_version() {
  std::istringstream output(kernel::run_command({{"cvc5", "--version"}, {}, {}}).output);
  for (std::string word; output >> word;) {
    if (word == "version") return output >> word ? word : "";
  }
  return {};
}

Answer ask_cvc5(const ProofTask& task, unsigned seconds) {
  kernel::Command command;
  command.arguments = {"cvc5", "--lang=smt2", fmt::format("--tlimit={}", seconds * 1000), "-"};
  command.input = to_smt2(task);
  // The first word is the answer; a time-out leaves a message on standard error and no word.
  std::istringstream output(kernel::run_command(command).output);
  std::string word;
  output >> word;
  if (word != "sat" && word != "unsat") return Answer::unknown;
  return meaning_of(word == "sat" ? z3::sat : z3::unsat, task.question);
}

ProofResult prove_isolated(const ProofTask& task, const ProofLimits& limits) {
  const std::array<std::function<std::string()>, 1> work{[&] { return encode_result(prove_here(task, limits)); }};
  IsolatedOptions options;
  options.watchdog = std::chrono::seconds(limits.watchdog_seconds);
  return result_of(run_isolated(work, options).front());
}

ProofResult result_of(const IsolatedResult& isolated) {
  if (isolated.end == IsolatedResult::End::finished) return decode_result(isolated.text);
  ProofResult result = not_answered("the prover's process: " + isolated.text);
  result.seconds = isolated.seconds;
  return result;
}

std::string encode_result(const ProofResult& result) {
  nlohmann::json json{{"answer", to_string(result.answer)},
                      {"seconds", result.seconds},
                      {"rlimit", result.rlimit},
                      {"model", result.model},
                      {"reason", result.reason},
                      {"needed", result.needed}};
  if (result.second_answer) json["second"] = to_string(*result.second_answer);
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

ProofResult decode_result(std::string_view text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    ProofResult result;
    result.answer = answer_of(json.at("answer").get<std::string>());
    result.seconds = json.at("seconds");
    result.rlimit = json.at("rlimit");
    result.model = json.at("model").get<decltype(result.model)>();
    result.reason = json.at("reason");
    result.needed = json.at("needed").get<std::vector<std::string>>();
    if (json.contains("second")) result.second_answer = answer_of(json.at("second").get<std::string>());
    return result;
  } catch (const nlohmann::json::exception&) {
    return not_answered("the prover's process sent a damaged answer");
  }
}

}  // namespace elvcheck
