// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck explain CASE`: why a run came out as it did.
#include <fmt/format.h>

#include <algorithm>

#include "checker/cli/options.hpp"
#include "checker/explain/critical_path.hpp"
#include "checker/report/failure.hpp"
#include "properties/case_file.hpp"
#include "properties/case_run.hpp"

namespace elvcheck {
namespace {

struct ExplainOptions {
  OutputOptions output;
  std::string file;
  std::string against;
  std::string scheduler;
  std::uint64_t request = 0;
  std::size_t lines = 40;
};

double ms(Nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

std::vector<TraceEvent> trace_of(const Scenario& scenario, const std::string& name) {
  try {
    return record_trace(scenario);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", name, error.what()));
  }
}

class Explain {
 public:
  explicit Explain(const ExplainOptions& options)
      : options_(options), reporter_(options.output), case_(read_case(options.file)) {
    report_.command = "explain";
  }

  int execute() {
    const std::vector<TraceEvent> events = trace_of(case_.scenario, options_.file);
    const std::vector<CriticalPath> paths = critical_paths(events);
    if (paths.empty())
      throw InputError(fmt::format("{}: no request is completed; there is nothing to explain", options_.file));
    const CriticalPath& path = chosen(paths);
    print_verdict();
    Violation around;
    around.at = path.to;
    around.request = path.request;
    reporter_.print(fmt::format("timeline around request {}\n", path.request));
    reporter_.print(timeline(events, around, options_.lines));
    print_path(path, paths.size());
    print_inversions(priority_inversions(paths));
    if (!options_.against.empty() || !options_.scheduler.empty()) print_difference(events);
    return reporter_.finish(report_);
  }

 private:
  const CriticalPath& chosen(const std::vector<CriticalPath>& paths) const {
    if (options_.request == 0) {
      return *std::max_element(paths.begin(), paths.end(),
                               [](const auto& a, const auto& b) { return a.to - a.from < b.to - b.from; });
    }
    const auto it =
        std::find_if(paths.begin(), paths.end(), [&](const auto& path) { return path.request == options_.request; });
    if (it == paths.end()) {
      throw InputError(fmt::format("{}: no request {} is completed; they are numbered from {} to {}", options_.file,
                                   options_.request, paths.front().request, paths.back().request));
    }
    return *it;
  }

  void print_verdict() {
    if (case_.property.empty()) return;
    const CaseOutcome outcome = run_case(case_);
    reporter_.print(fmt::format("{}: {}\n", case_.property, outcome.explanation));
  }

  void print_path(const CriticalPath& path, std::size_t count) {
    Result result;
    result.kind = "Path";
    result.name = fmt::format("request-{}", path.request);
    result.scheduler = case_.scenario.scheduler;
    result.device = case_.scenario.device.preset;
    result.judged = count;
    result.time = path.to - path.from;
    result.detail =
        fmt::format("request {} of process {} took {:.6f} ms", path.request, path.process, ms(path.to - path.from));
    reporter_.print(fmt::format("request {} of process {} ({}) took {:.6f} ms, {} of {} requests\n", path.request,
                                path.process, to_string(path.ioprio), ms(path.to - path.from),
                                options_.request == 0 ? "the longest" : "one", count));
    result.extra = {{"latency_ns", (path.to - path.from).count()}};
    for (const Wait& wait : path.waits) {
      const std::string holder = wait.holder == 0 ? "" : fmt::format(" request {}", wait.holder);
      const std::string rule = wait.rule == nullptr ? "" : fmt::format(" ({}: {})", wait.rule->name, wait.rule->statement);
      reporter_.print(fmt::format("  {:>14.6f} ms  {}{}{}\n", ms(wait.to - wait.from), wait.reason, holder, rule));
      result.extra["waits"].push_back({{"ns", (wait.to - wait.from).count()},
                                       {"reason", wait.reason},
                                       {"request", wait.holder},
                                       {"rule", wait.rule == nullptr ? "" : wait.rule->name}});
    }
    reporter_.print(fmt::format("  {:>14.6f} ms  in all\n", ms(path.to - path.from)));
    report_.results.push_back(std::move(result));
  }

  void print_inversions(const std::vector<Inversion>& inversions) {
    constexpr std::size_t most = 8;
    report_.summary["inversions"] = inversions.size();
    if (inversions.empty()) return;
    reporter_.print(fmt::format("{} times a request waited for one of a lower priority\n", inversions.size()));
    for (std::size_t i = 0; i < std::min(most, inversions.size()); ++i) {
      const Inversion& inversion = inversions[i];
      reporter_.print(fmt::format("  {:>14.6f} ms  request {} for request {}{}\n", ms(inversion.time), inversion.waiter,
                                  inversion.holder, inversion.mutual ? ", and that one for it: a cycle" : ""));
    }
  }

  void print_difference(const std::vector<TraceEvent>& events) {
    Scenario other = options_.against.empty() ? case_.scenario : read_case(options_.against).scenario;
    if (!options_.scheduler.empty()) other.scheduler = scheduler_by_name(options_.scheduler).name;
    const std::string name = options_.against.empty() ? other.scheduler : options_.against;
    const std::vector<TraceEvent> other_events =
        trace_of(other, options_.against.empty() ? options_.file : options_.against);
    const Difference difference = first_difference(events, other_events);
    report_.summary["issued_alike"] = difference.place;
    if (difference.first == nullptr && difference.second == nullptr) {
      reporter_.print(fmt::format("all {} requests are handed over alike with {}\n", difference.place, name));
      return;
    }
    reporter_.print(fmt::format("first difference, after {} requests that are handed over alike\n", difference.place));
    print_side(options_.file, difference.first, difference.first_decision);
    print_side(name, difference.second, difference.second_decision);
  }

  void print_side(const std::string& name, const TraceEvent* issue, const TraceEvent* decision) {
    reporter_.print(fmt::format("  {}\n", name));
    if (decision != nullptr)
      reporter_.print(fmt::format("    {}\n      {}\n", to_line(*decision), decision->rule->statement));
    reporter_.print(fmt::format("    {}\n", issue == nullptr ? "no more requests" : to_line(*issue)));
  }

  const ExplainOptions& options_;
  Reporter reporter_;
  CaseFile case_;
  Report report_;
};

}  // namespace

Command make_explain_command(CLI::App& program) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* app = program.add_subcommand("explain", "Why: the timeline, and what the longest wait of a case was spent on");
  app->add_option("FILE", options->file, "Case file")->required()->type_name("");
  app->add_option("--request", options->request, "Explain this request; 0: the one that took longest")
      ->type_name("N")
      ->check(whole_number());
  app->add_option("--against", options->against, "Also the first decision that differs in this case")->type_name("FILE");
  app->add_option("--scheduler", options->scheduler, "Also the first decision that differs under this scheduler")
      ->type_name("NAME");
  app->add_option("--lines", options->lines, "Lines of the timeline at most")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  add_output_options(*app, options->output, false);
  app->footer("Exit codes: 0 explained, 2 wrong usage or input.");
  return {app, [options] { return Explain(*options).execute(); }};
}

}  // namespace elvcheck
