// SPDX-License-Identifier: GPL-2.0-or-later
// The timeline of a violation keeps what matters and stays short.
#include "checker/report/failure.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace elvcheck {
namespace {

const DecisionRule rule{"test.decision", "A decision.", {"number"}};

/// A request of interest that lives from event 10 to event 990 of a thousand others'.
std::vector<TraceEvent> long_trace() {
  std::vector<TraceEvent> events;
  for (int i = 0; i < 1000; ++i) {
    TraceEvent event;
    event.at = Nanoseconds(i * 1000);
    event.kind = EventKind::complete;
    event.request = static_cast<RequestId>(1000 + i);
    event.sectors = 8;
    events.push_back(event);
  }
  events[10].kind = EventKind::insert;
  events[10].request = 7;
  events[990].kind = EventKind::issue;
  events[990].request = 7;
  events[500].kind = EventKind::note;
  events[500].request = 0;
  events[500].rule = &rule;
  return events;
}

TEST(Timeline, ShowsTheRequestTheDecisionsAndTheMoment) {
  const auto events = long_trace();
  Violation violation;
  violation.request = 7;
  violation.at = events[990].at;
  const std::string text = timeline(events, violation);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 60);
  EXPECT_NE(text.find("* " + to_line(events[10])), std::string::npos) << text;
  EXPECT_NE(text.find("* " + to_line(events[990])), std::string::npos) << text;
  EXPECT_NE(text.find("test.decision"), std::string::npos) << text;
  EXPECT_NE(text.find("  ... 489 more"), std::string::npos) << text;  // events 11 to 499
  EXPECT_EQ(text.find(to_line(events[300])), std::string::npos) << text;
}

TEST(Timeline, WithoutARequestShowsTheMoment) {
  const auto events = long_trace();
  Violation violation;
  violation.at = events[700].at;
  const std::string text = timeline(events, violation);
  EXPECT_NE(text.find(to_line(events[700])), std::string::npos);
  EXPECT_EQ(text.find(to_line(events[10])), std::string::npos);
  EXPECT_TRUE(timeline({}, violation).empty());
}

}  // namespace
}  // namespace elvcheck
