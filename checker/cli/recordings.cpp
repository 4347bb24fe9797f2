// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/recordings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "checker/cli/console.hpp"
#include "checker/cli/data_files.hpp"
#include "checker/cli/worker_pool.hpp"
#include "properties/monitor_set.hpp"

namespace elvcheck {
namespace {

std::vector<const TraceEvent*> issues(const std::vector<TraceEvent>& events) {
  std::vector<const TraceEvent*> out;
  for (const TraceEvent& event : events) {
    if (event.kind == EventKind::issue) out.push_back(&event);
  }
  return out;
}

std::string issue_text(const std::vector<const TraceEvent*>& all, std::size_t index) {
  if (index >= all.size()) return "-";
  const TraceEvent& event = *all[index];
  const char* op = event.op == Op::read ? "R" : event.op == Op::write ? "W" : event.op == Op::flush ? "F" : "D";
  return fmt::format("{:.6f} ms {} {} + {}", static_cast<double>(event.at.count()) / 1e6, op, event.sector, event.sectors);
}

bool same(const TraceEvent& a, const TraceEvent& b) {
  const Nanoseconds shift = a.at < b.at ? b.at - a.at : a.at - b.at;
  return a.op == b.op && a.sector == b.sector && a.sectors == b.sectors && shift <= Comparison::tolerance;
}

/// "uml-hdd1-a-none" of ".../uml-hdd1-a-none.blkparse.txt.gz".
std::string stem(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name.substr(0, name.find('.'));
}

/// Whether a replay under this model must equal the recording. bfq's depends on the exact time at which it was asked, which a
/// recording with processor time in it does not tell.
bool claimed(const std::string& scheduler) { return !scheduler.starts_with("bfq"); }

bool at_least_99_percent(std::size_t part, std::size_t whole) { return part * 100 >= whole * 99; }

Result properties_result(const Recording& recording, const RunFacts& facts, const std::string& path, std::string_view glob) {
  Result result;
  result.kind = "Recording";
  result.name = stem(path);
  result.workload = "recording";
  result.replay = "elvcheck trace " + shell_word(path);
  if (facts.scheduler != nullptr) result.scheduler = facts.scheduler->name;
  const auto start = thread_time();
  for (const Verdict& verdict : judge_recording(recording, facts, glob)) {
    if (verdict.judged == 0 && !verdict.violation) continue;
    ++result.judged;
    if (!verdict.violation) continue;
    ++result.violations;
    result.outcome = Outcome::violated;
    result.detail = fmt::format("{}: {}", verdict.property->name, verdict.violation->message);
    result.report += fmt::format("  {}\n", result.detail);
  }
  if (!result.report.empty()) result.report += "  replay    " + result.replay + "\n";
  result.time = thread_time() - start;
  if (result.judged == 0) {
    result.outcome = Outcome::skipped;
    result.detail = "no property had anything to judge";
  }
  return result;
}

}  // namespace

std::vector<Verdict> judge_recording(const Recording& recording, const RunFacts& facts, std::string_view glob) {
  std::vector<std::pair<const Property*, std::unique_ptr<Monitor>>> watched;
  MonitorSet monitors(facts);
  for (const Property& property : properties()) {
    if (property.monitor == nullptr || property.refuted || !glob_match(glob, property.name) || !property.applies(facts))
      continue;
    watched.emplace_back(&property, property.monitor(facts));
    monitors.add(*watched.back().second);
  }
  for (const TraceEvent& event : recording.events) monitors.on_event(event);
  std::vector<Verdict> verdicts;
  for (const auto& [property, monitor] : watched) {
    monitor->finish(recording.events.empty() ? Nanoseconds(0) : recording.events.back().at, false);
    verdicts.push_back({property, monitor->violation(), monitor->worst(), monitor->judged()});
  }
  return verdicts;
}

ReplayCheck check_replay(const Recording& recording, const std::optional<RecordingSettings>& settings,
                         const std::string& scheduler, const std::optional<DeviceSpec>& device) {
  ReplayCheck check;
  check.setup = choose_setup(recording, settings, scheduler);
  if (device) {
    check.setup.device = *device;
    check.setup.answers = ReplayDevice::model;
  }
  check.replayed = replay(recording, check.setup);
  check.comparison = compare_issues(recording.events, check.replayed.events);
  return check;
}

std::string first_divergence(const Recording& recording, const ReplayCheck& check) {
  const auto recorded = issues(recording.events);
  const auto replayed = issues(check.replayed.events);
  const std::size_t both = std::min(recorded.size(), replayed.size());
  std::size_t first = 0;
  while (first < both && same(*recorded[first], *replayed[first])) ++first;
  if (first == both && recorded.size() == replayed.size()) return {};
  std::vector<std::vector<std::string>> rows = {{"", "issue", "recorded", "replayed"}};
  for (std::size_t i = first - std::min<std::size_t>(first, 3);
       i < std::min(first + 4, std::max(recorded.size(), replayed.size())); ++i) {
    rows.push_back({i == first ? ">" : " ", std::to_string(i + 1), issue_text(recorded, i), issue_text(replayed, i)});
  }
  return format_table(rows, "  ");
}

std::vector<std::string> shipped_recordings() {
  std::vector<std::string> files;
  std::set<std::string> seen;
  for (const std::string& file : shipped_files("recordings")) {
    const bool text = file.ends_with(".blkparse.txt.gz") || file.ends_with(".blkparse.txt");
    if (text && seen.insert(stem(file)).second) files.push_back(file);
  }
  return files;
}

std::vector<Result> judge_shipped_recording(const std::string& path, std::string_view glob) {
  const Recording recording = read_recording(path);
  const auto settings = read_settings(path);
  std::vector<Result> results = {properties_result(recording, recording_facts(recording, settings), path, glob)};
  if (!glob.empty()) return results;  // a filter on properties does not ask for the comparison

  Result result;
  result.kind = "Recording";
  result.name = stem(path) + ".replay";
  result.workload = "recording";
  result.replay = "elvcheck trace " + shell_word(path);
  const auto start = thread_time();
  try {
    const ReplayCheck check = check_replay(recording, settings);
    const Comparison& comparison = check.comparison;
    result.scheduler = check.setup.scheduler;
    result.device = check.setup.device.preset;
    result.judged = comparison.issues;
    result.violations = comparison.issues - comparison.agree;
    result.extra = {{"issues", comparison.issues}, {"in_order", comparison.in_order}, {"within_2us", comparison.within_2us}};
    result.detail = fmt::format("of {} issues {} are in the recorded order, {} within 2 us", comparison.issues,
                                comparison.in_order, comparison.within_2us);
    if (!claimed(check.setup.scheduler)) {
      result.outcome = Outcome::skipped;
      result.detail += "; this scheduler's replay is not held to the recording";
      result.time = thread_time() - start;
      results.push_back(std::move(result));
      return results;
    }
    const bool held = at_least_99_percent(comparison.in_order, comparison.issues) &&
                      at_least_99_percent(comparison.within_2us, comparison.issues);
    if (!held) {
      result.outcome = Outcome::violated;
      result.report = fmt::format("  {}; at least 99 % must be\n  replay    {}\n{}", result.detail, result.replay,
                                  first_divergence(recording, check));
    }
  } catch (const InputError& error) {
    result.outcome = Outcome::skipped;
    result.detail = error.what();
  }
  result.time = thread_time() - start;
  results.push_back(std::move(result));
  return results;
}

}  // namespace elvcheck
