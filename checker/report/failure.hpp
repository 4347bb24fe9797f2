// SPDX-License-Identifier: GPL-2.0-or-later
// What a person needs to understand a violation: the promise in words, what broke it, how to see it again, and what happened
// around it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/core/trace.hpp"
#include "properties/property.hpp"

namespace elvcheck {

/// The lines of a trace that matter for a violation: the life of its request, the decisions taken during it, and what
/// happened just before and after. At most `most` lines; what is left out between them is said.
std::string timeline(std::span<const TraceEvent> events, const Violation& violation, std::size_t most = 48);

/// Runs the scenario again and keeps its trace.
std::vector<TraceEvent> record_trace(const Scenario& scenario);

/// The report: property, source and bound in words, the violation, `replay` (a command), the timeline and, unless empty, the
/// case's text. Indented by two, with a line end.
std::string failure_report(const Property& property, const Violation& violation, const Scenario& scenario,
                           const std::string& replay, const std::string& case_text);

}  // namespace elvcheck
