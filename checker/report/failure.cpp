// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/report/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "model/workload/fio_job.hpp"

namespace elvcheck {
namespace {

constexpr std::size_t around = 6;  ///< events shown before and after the moment of a violation

bool decides(const TraceEvent& event) { return event.kind == EventKind::note || event.kind == EventKind::timer; }

/// Positions of the events of the request and of the bios in it.
std::vector<std::size_t> life(std::span<const TraceEvent> events, RequestId request) {
  std::set<BioId> bios;
  for (const TraceEvent& event : events) {
    if (event.request == request && event.bio != 0) bios.insert(event.bio);
  }
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const TraceEvent& event = events[i];
    if (event.request == request || event.other == request || (event.bio != 0 && bios.contains(event.bio))) {
      positions.push_back(i);
    }
  }
  return positions;
}

std::string indented(std::string_view text, std::string_view indent) {
  std::string out;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) out += line.empty() ? "\n" : fmt::format("{}{}\n", indent, line);
  return out;
}

}  // namespace

std::vector<TraceEvent> record_trace(const Scenario& scenario) {
  Machine machine(scenario);
  TraceKeeper keeper;
  machine.trace().add(keeper);
  machine.run();
  return std::move(keeper.events);
}

std::string timeline(std::span<const TraceEvent> events, const Violation& violation, std::size_t most) {
  // The first event after the violation: what was known when it was found lies before.
  const auto after =
      static_cast<std::size_t>(std::upper_bound(events.begin(), events.end(), violation.at,
                                                [](Nanoseconds at, const TraceEvent& event) { return at < event.at; }) -
                               events.begin());
  std::set<std::size_t> shown;
  for (std::size_t i = after - std::min(after, around); i < std::min(after + around / 2, events.size()); ++i)
    shown.insert(i);
  if (violation.request != 0) {
    const auto positions = life(events, violation.request);
    // A long life is shown from both ends.
    const std::size_t half = most / 4;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (i < half || i + half >= positions.size()) shown.insert(positions[i]);
    }
    if (!positions.empty()) {
      for (std::size_t i = after; i-- > positions.front() && shown.size() < most;) {
        if (decides(events[i])) shown.insert(i);
      }
    }
  }
  std::string out;
  std::size_t expected = 0;
  for (const std::size_t i : shown) {
    if (i != expected && !out.empty()) out += fmt::format("  ... {} more\n", i - expected);
    const bool own = violation.request != 0 && events[i].request == violation.request;
    out += fmt::format("{} {}\n", own ? "*" : " ", to_line(events[i]));
    expected = i + 1;
  }
  return out;
}

std::string failure_report(const Property& property, const Violation& violation, const Scenario& scenario,
                           const std::string& replay, const std::string& case_text) {
  std::string out = fmt::format("  promise   {}\n  source    {}\n  bound     {}\n  violated  {}\n", property.statement,
                                property.source, property.bound, violation.message);
  out += fmt::format("            rule {}, at {:.6f} ms", violation.rule, static_cast<double>(violation.at.count()) / 1e6);
  if (violation.request != 0) out += fmt::format(", request {}", violation.request);
  if (violation.bound != 0 || violation.measured != 0) {
    out += fmt::format(", measured {}, bound {}", violation.measured, violation.bound);
  }
  out += fmt::format("\n  setting   {} on {}\n", scenario.scheduler, scenario.device.preset);
  if (!replay.empty()) out += fmt::format("  replay    {}\n", replay);
  if (property.monitor != nullptr) {
    out += violation.request != 0 ? "  timeline  (* the request itself)\n" : "  timeline\n";
    out += indented(timeline(record_trace(scenario), violation), "  ");
  }
  if (!case_text.empty()) out += "  case\n" + indented(case_text, "    ");
  if (!case_text.empty()) out += "  fio job, to try it on a disk\n" + indented(format_fio_job(scenario), "    ");
  return out;
}

}  // namespace elvcheck
