// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/theorem/prove.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>

#include "checker/z3/isolated.hpp"
#include "properties/atomic_file.hpp"
#include "properties/property.hpp"

namespace elvcheck {

namespace {

/// A task of a call, and where its result belongs.
struct Job {
  std::string name;
  std::function<std::string()> work;
  std::function<void(const IsolatedResult&)> store;
};

Answer expected_answer(const Theorem& theorem) {
  return theorem.expectation == Expectation::proved ? Answer::proved : Answer::refuted;
}

ProofTask condition_task(const std::string& prefix, const Condition& condition, Answer expected) {
  return {prefix + "." + condition.name, condition.statement, condition.state, condition.question, expected};
}

/// Whether the hypotheses of a condition can hold at all: a proof from impossible hypotheses says nothing.
ProofTask vacuity_task(const std::string& prefix, const Condition& condition) {
  const auto hypotheses_only = [state = condition.state](Obligation& obligation) {
    Obligation full;
    state(full);
    for (const Hypothesis& hypothesis : full.hypotheses()) obligation.assume(hypothesis.condition, hypothesis.name);
  };
  return {prefix + "." + condition.name + ".vacuity", "The hypotheses can hold together: " + condition.statement,
          hypotheses_only, Question::sometimes, Answer::proved};
}

void check_directory(const std::string& path, const char* what) {
  if (path.empty()) return;
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    throw InputError(fmt::format("{}: not a directory; make it first, {} are written into it", path, what));
  }
  if (::access(path.c_str(), W_OK | X_OK) != 0) {
    throw InputError(fmt::format("{}: this directory cannot be written to; choose another for the {}", path, what));
  }
}

/// All tasks of a call. The reports do not move while it lives.
class Campaign {
 public:
  Campaign(std::span<const Theorem* const> theorems, const ProveOptions& options)
      : options_(options), reports_(theorems.size()), counterexamples_(theorems.size()) {
    for (std::size_t i = 0; i < theorems.size(); ++i) {
      reports_[i].theorem = theorems[i];
      plan(reports_[i], counterexamples_[i]);
    }
  }

  std::vector<TheoremReport> run() {
    std::vector<std::function<std::string()>> work;
    for (const Job& job : jobs_) work.push_back(job.work);
    IsolatedOptions isolated;
    isolated.jobs = options_.jobs;
    isolated.watchdog = std::chrono::seconds(options_.limits.watchdog_seconds);
    isolated.cancelled = options_.cancelled;
    isolated.done = [&, done = std::size_t{0}](std::size_t task) mutable {
      ++done;
      if (options_.progress) options_.progress({done, jobs_.size(), jobs_[task].name});
    };
    const std::vector<IsolatedResult> results = run_isolated(work, isolated);
    for (std::size_t i = 0; i < jobs_.size(); ++i) jobs_[i].store(results[i]);
    for (std::size_t i = 0; i < reports_.size(); ++i) judge(reports_[i], counterexamples_[i]);
    return std::move(reports_);
  }

 private:
  void plan(TheoremReport& report, IsolatedResult& counterexample) {
    const Theorem& theorem = *report.theorem;
    const Answer expected = expected_answer(theorem);
    // The vectors are filled first and never grow again: the jobs keep pointers into them.
    report.conditions.resize(theorem.conditions.size());
    if (options_.planted_bugs) report.planted_bugs.resize(theorem.planted_bugs.size());
    report.vacuity.reserve(theorem.conditions.size());
    for (std::size_t i = 0; i < theorem.conditions.size(); ++i) {
      const Condition& condition = theorem.conditions[i];
      ProofTask task = condition_task(theorem.name, condition, expected);
      task.name_hypotheses = options_.name_hypotheses;
      add(report, report.conditions[i], std::move(task));
      // An example and a counterexample satisfy the hypotheses by themselves.
      if (expected == Answer::proved && condition.question == Question::always) {
        add(report, report.vacuity.emplace_back(), vacuity_task(theorem.name, condition));
      }
    }
    for (std::size_t b = 0; b < report.planted_bugs.size(); ++b) {
      const PlantedBug& bug = theorem.planted_bugs[b];
      PlantedBugReport& planted = report.planted_bugs[b];
      planted.name = bug.name;
      planted.statement = bug.statement;
      planted.conditions.resize(bug.conditions.size());
      for (std::size_t i = 0; i < bug.conditions.size(); ++i) {
        // Which of the conditions notices the bug is open, so none of the texts claims an answer.
        add(report, planted.conditions[i],
            condition_task(theorem.name + ".bug." + bug.name, bug.conditions[i], Answer::unknown));
      }
    }
    if (theorem.counterexample || theorem.demonstration) {
      const auto find = [&theorem] {
        return theorem.counterexample ? format_case(theorem.counterexample()) : theorem.demonstration();
      };
      jobs_.push_back({theorem.name + ".counterexample", find, [&report, &counterexample](const IsolatedResult& result) {
                         report.seconds += result.seconds;
                         counterexample = result;
                       }});
    }
  }

  void add(TheoremReport& report, TaskReport& slot, ProofTask task) {
    slot.name = task.name;
    slot.statement = task.statement;
    const Answer expected = task.expected;
    jobs_.push_back({task.name,
                     [task = std::move(task), this] {
                       if (!options_.smt2_dir.empty()) {
                         write_file_atomically(options_.smt2_dir + "/" + task.name + ".smt2", to_smt2(task));
                       }
                       ProofResult result = prove_here(task, options_.limits);
                       if (options_.cross_check_seconds > 0) {
                         result.second_answer = ask_cvc5(task, options_.cross_check_seconds);
                       }
                       return encode_result(result);
                     },
                     [&report, &slot, expected](const IsolatedResult& isolated) {
                       slot.result = result_of(isolated);
                       slot.as_expected = slot.result.answer == expected;
                       report.seconds += slot.result.seconds;
                       report.rlimit += slot.result.rlimit;
                       count_second(report, slot.result);
                     }});
  }

  static void count_second(TheoremReport& report, const ProofResult& result) {
    if (!result.second_answer) return;
    ++report.second_asked;
    if (*result.second_answer == Answer::unknown) return;
    ++report.second_answered;
    if (result.answer != Answer::unknown && result.answer != *result.second_answer) ++report.second_disagreed;
  }

  /// Lowers the verdict: `failed` wins over `open`, and the first reason of the final verdict is kept.
  static void lower(TheoremReport& report, TheoremVerdict verdict, std::string detail) {
    const bool worse = report.verdict != TheoremVerdict::failed &&
                       (verdict == TheoremVerdict::failed || report.verdict != TheoremVerdict::open);
    if (!worse) return;
    report.verdict = verdict;
    report.detail = std::move(detail);
  }

  void judge(TheoremReport& report, const IsolatedResult& counterexample) {
    const Theorem& theorem = *report.theorem;
    const bool refuted = theorem.expectation == Expectation::refuted;
    report.verdict = refuted ? TheoremVerdict::refuted_as_expected : TheoremVerdict::proved;
    judge_tasks(report, report.conditions, refuted ? "the claim was not refuted" : "the condition was refuted");
    judge_tasks(report, report.vacuity, "the hypotheses contradict each other, so the proof says nothing");
    const Answer noticed = refuted ? Answer::proved : Answer::refuted;
    for (PlantedBugReport& bug : report.planted_bugs) judge_bug(report, bug, noticed);
    if (theorem.counterexample) judge_counterexample(report, counterexample);
    if (theorem.demonstration) judge_demonstration(report, counterexample);
    for (const TaskReport& task : report.conditions) {
      for (const std::string& name : task.result.needed) {
        if (std::find(report.needed.begin(), report.needed.end(), name) == report.needed.end())
          report.needed.push_back(name);
      }
    }
    if (report.second_disagreed > 0) {
      lower(report, TheoremVerdict::failed, fmt::format("cvc5 disagrees with Z3 about {} tasks", report.second_disagreed));
    }
  }

  static void judge_tasks(TheoremReport& report, const std::vector<TaskReport>& tasks, const char* wrong) {
    for (const TaskReport& task : tasks) {
      if (task.as_expected) continue;
      if (task.result.answer == Answer::unknown) {
        lower(report, TheoremVerdict::open, fmt::format("{}: {}", task.name, task.result.reason));
      } else {
        lower(report, TheoremVerdict::failed, fmt::format("{}: {}", task.name, wrong));
      }
    }
  }

  static void judge_bug(TheoremReport& report, PlantedBugReport& bug, Answer noticed) {
    bool caught = false;
    bool gave_up = false;
    for (TaskReport& task : bug.conditions) {
      task.as_expected = task.result.answer == noticed;
      caught = caught || task.as_expected;
      gave_up = gave_up || task.result.answer == Answer::unknown;
    }
    bug.verdict = caught ? BugVerdict::caught : gave_up ? BugVerdict::not_decided : BugVerdict::missed;
    if (caught) return;
    lower(report, gave_up ? TheoremVerdict::open : TheoremVerdict::failed,
          fmt::format("planted bug {} {}: {}", bug.name, gave_up ? "was not decided" : "went unnoticed", bug.statement));
  }

  static void judge_demonstration(TheoremReport& report, const IsolatedResult& shown) {
    if (shown.end == IsolatedResult::End::finished) {
      if (report.verdict == TheoremVerdict::refuted_as_expected) report.detail = shown.text;
    } else if (shown.end == IsolatedResult::End::threw) {
      lower(report, TheoremVerdict::failed,
            fmt::format("the counterexample does not replay ({}): a defect of the checker", shown.text));
    } else {
      lower(report, TheoremVerdict::open, fmt::format("no counterexample was found: {}", shown.text));
    }
  }

  /// The counterexample must violate its property on the simulation; otherwise the checker itself is wrong.
  void judge_counterexample(TheoremReport& report, const IsolatedResult& found) {
    if (found.end != IsolatedResult::End::finished) {
      lower(report, TheoremVerdict::open, fmt::format("no counterexample was found: {}", found.text));
      return;
    }
    const std::string name = report.theorem->name + ".case";
    const CaseFile value = parse_case(found.text, name);
    if (!options_.case_dir.empty()) {
      const std::string path = options_.case_dir + "/" + report.theorem->name + ".toml";
      write_case(value, path);
      report.case_path = path;
    }
    std::string problem = "does not violate " + value.property + " on the simulation";
    try {
      for (const Verdict& verdict : judge_scenario(value.scenario, value.property, true)) {
        if (!verdict.violation) continue;
        if (report.verdict == TheoremVerdict::refuted_as_expected) report.detail = verdict.violation->message;
        return;
      }
    } catch (const std::invalid_argument& error) {
      problem = fmt::format("cannot be run ({})", error.what());
    }
    lower(report, TheoremVerdict::failed, "the counterexample " + problem + ": a defect of the checker");
  }

  const ProveOptions& options_;
  std::vector<Job> jobs_;
  std::vector<TheoremReport> reports_;
  std::vector<IsolatedResult> counterexamples_;
};

}  // namespace

std::string_view to_string(Method method) {
  static constexpr std::array<std::string_view, 3> names{"induction", "bounded model checking", "direct proof"};
  return names[static_cast<std::size_t>(method)];
}

std::string_view to_string(Expectation expectation) { return expectation == Expectation::proved ? "proved" : "refuted"; }

std::string_view to_string(BugVerdict verdict) {
  static constexpr std::array<std::string_view, 3> names{"caught", "NOT CAUGHT", "not decided"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string_view to_string(TheoremVerdict verdict) {
  static constexpr std::array<std::string_view, 4> names{"proved", "refuted as expected", "open", "failed"};
  return names[static_cast<std::size_t>(verdict)];
}

std::vector<TheoremReport> prove_theorems(std::span<const Theorem* const> theorems, const ProveOptions& options) {
  check_directory(options.smt2_dir, "SMT-LIB texts");
  check_directory(options.case_dir, "case files");
  return Campaign(theorems, options).run();
}

std::vector<TheoremReport> prove_theorems(std::string_view glob, const ProveOptions& options) {
  std::vector<const Theorem*> chosen;
  for (const Theorem& theorem : theorems()) {
    if (glob_match(glob, theorem.name)) chosen.push_back(&theorem);
  }
  return prove_theorems(chosen, options);
}

}  // namespace elvcheck
