// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck explain CASE`: why a run came out as it did.
#include <fmt/format.h>

#include <algorithm>

#include "checker/cli/options.hpp"
#include "checker/explain/critical_path.hpp"
#include "checker/report/failure.hpp"
#include "model/scheduler/registry.hpp"
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
    const CriticalPath& path = choose(paths);
    Violation around;
    around.at = path.to;
    around.request = path.request;
    reporter_.print(fmt::format("timeline around request {}\n", path.request));
    reporter_.print(timeline(events, around, options_.lines));
    print_path(path);
    print_inversions(priority_inversions(paths));
    if (!options_.against.empty() || !options_.scheduler.empty()) print_difference(events);
    return reporter_.finish(report_);
  }

 private:
  /// The request that was asked for, or the one that breaks the case's property, or the one that took longest.
  const CriticalPath& choose(const std::vector<CriticalPath>& paths) {
    std::uint64_t wanted = options_.request;
    why_ = "as asked for";
    if (!case_.property.empty()) {
      const CaseOutcome outcome = run_case(case_);
      reporter_.print(fmt::format("{}: {}\n", case_.property, outcome.explanation));
      if (wanted == 0 && outcome.deciding && outcome.deciding->violation) {
        wanted = outcome.deciding->violation->request;
        why_ = "the one that breaks the property";
      }
    }
    const auto it = std::find_if(paths.begin(), paths.end(), [&](const auto& path) { return path.request == wanted; });
    if (it != paths.end()) return *it;
    if (options_.request != 0) {
      throw InputError(fmt::format("{}: no request {} is completed; they are numbered from {} to {}", options_.file,
                                   options_.request, paths.front().request, paths.back().request));
    }
    why_ = "the longest";
    return *std::max_element(paths.begin(), paths.end(),
                             [](const auto& a, const auto& b) { return a.to - a.from < b.to - b.from; });
  }

  void print_path(const CriticalPath& path) {
    Result result;
    result.kind = "Path";
    result.name = fmt::format("request-{}", path.request);
    result.scheduler = case_.scenario.scheduler;
    result.device = case_.scenario.device.preset;
    result.judged = 1;
    result.time = path.to - path.from;
    result.detail =
        fmt::format("request {} of process {} took {:.6f} ms", path.request, path.process, ms(path.to - path.from));
    reporter_.print(fmt::format("request {} of process {} ({}) took {:.6f} ms; {}\n", path.request, path.process,
                                to_string(path.ioprio), ms(path.to - path.from), why_));
    for (std::size_t i = 0; i < path.waits.size();) i = print_alike(path.waits, i);
    reporter_.print(fmt::format("  {:>14.6f} ms  in all\n", ms(path.to - path.from)));
    result.extra = {{"latency_ns", (path.to - path.from).count()}};
    for (const Wait& wait : path.waits) {
      result.extra["waits"].push_back({{"ns", (wait.to - wait.from).count()},
                                       {"reason", wait.reason},
                                       {"request", wait.holder},
                                       {"rule", wait.rule == nullptr ? "" : wait.rule->name}});
    }
    report_.results.push_back(std::move(result));
  }

  /// One line for the wait number `from` and those after it with the same reason and rule. Returns the number of the next.
  std::size_t print_alike(const std::vector<Wait>& waits, std::size_t from) {
    constexpr std::size_t most = 6;
    const Wait& first = waits[from];
    std::size_t to = from;
    std::string holders;
    for (; to < waits.size() && waits[to].reason == first.reason && waits[to].rule == first.rule; ++to) {
      if (to - from < most && waits[to].holder != 0)
        holders += fmt::format("{}{}", to == from ? " " : ", ", waits[to].holder);
    }
    if (to - from > most) holders += fmt::format(" and {} more", to - from - most);
    const std::string rule = first.rule == nullptr ? "" : fmt::format(" ({}: {})", first.rule->name, first.rule->statement);
    reporter_.print(fmt::format("  {:>14.6f} ms  {}{}{}\n", ms(waits[to - 1].to - first.from), first.reason, holders, rule));
    return to;
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
    if (!options_.scheduler.empty()) {
      const SchedulerInfo& info = scheduler_by_name(options_.scheduler);
      other.scheduler = info.name;
      std::erase_if(other.tunables, [&](const NamedValue& tunable) {
        return std::none_of(info.tunables.begin(), info.tunables.end(),
                            [&](const TunableInfo& known) { return tunable.name == known.name; });
      });
    }
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
  std::string why_;  ///< why this request is explained
};

}  // namespace

Command make_explain_command(CLI::App& program) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* app = program.add_subcommand("explain", "Why: the timeline, and what the longest wait of a case was spent on");
  app->add_option("FILE", options->file, "Case file")->required()->type_name("");
  app->add_option("--request", options->request,
                  "Explain this request; 0: the one that breaks the property, or took longest")
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
