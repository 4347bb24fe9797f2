// SPDX-License-Identifier: GPL-2.0-or-later
// tunable.effect: each tunable does what its documentation says.
//
// Every tunable of every scheduler has a witness: a small scenario, two values, a quantity measured on the trace, and
// whether the document promises it to fall or to rise from the first value to the second. A scheduler with a tunable that
// has no witness violates the property, so that a new tunable cannot be forgotten. The scenario under judgement gives only
// the scheduler.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "properties/definitions.hpp"
#include "properties/observation.hpp"
#include "properties/witness.hpp"

namespace elvcheck::property {

namespace {

using Measure = std::int64_t (*)(const std::vector<TraceEvent>& events);

struct Witness {
  const char* tunable;
  const char* effect;  ///< what the documentation says
  std::int64_t first;
  std::int64_t second;
  bool rises;  ///< the measure is larger with the second value
  Measure measure;
  std::vector<NamedValue> others;  ///< tunables fixed for both runs
  std::vector<WitnessProgram> programs;
  std::vector<NamedValue> device = {};  ///< parameters of flat
};

// Measures. Places below `marked` belong to the request that a witness watches.
constexpr Sector marked = 1000;

std::int64_t issue_of_marked(const std::vector<TraceEvent>& events) {
  for (const TraceEvent& event : events) {
    if (event.kind == EventKind::issue && event.sector < marked) return event.at.count();
  }
  return std::numeric_limits<std::int64_t>::max();
}

std::int64_t completion_of_marked(const std::vector<TraceEvent>& events) {
  for (const TraceEvent& event : events) {
    if (event.kind == EventKind::complete && event.sector < marked) return event.at.count();
  }
  return std::numeric_limits<std::int64_t>::max();
}

std::int64_t front_merges(const std::vector<TraceEvent>& events) {
  return std::count_if(events.begin(), events.end(),
                       [](const TraceEvent& event) { return event.kind == EventKind::front_merge; });
}

std::int64_t descents(const std::vector<TraceEvent>& events) {
  Sector last = 0;
  std::int64_t count = 0;
  for (const TraceEvent& event : events) {
    if (event.kind != EventKind::issue) continue;
    if (event.sector < last) ++count;
    last = event.sector;
  }
  return count;
}

std::int64_t most_writes_allocated(const std::vector<TraceEvent>& events) {
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const TraceEvent& event : events) {
    if (!is_write(event.op)) continue;
    if (event.kind == EventKind::get_request) most = std::max(most, ++now);
    if (event.kind == EventKind::complete) --now;
  }
  return most;
}

/// When the last of the marked requests was issued.
std::int64_t last_issue_of_marked(const std::vector<TraceEvent>& events) {
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  for (const TraceEvent& event : events) {
    if (event.kind == EventKind::issue && event.sector < marked) last = event.at.count();
  }
  return last;
}

/// Requests issued before the first marked one.
std::int64_t issues_before_marked(const std::vector<TraceEvent>& events) {
  std::int64_t count = 0;
  for (const TraceEvent& event : events) {
    if (event.kind != EventKind::issue) continue;
    if (event.sector < marked) return count;
    ++count;
  }
  return std::numeric_limits<std::int64_t>::max();
}

/// How often the device is handed a request of another process than before.
std::int64_t switches(const std::vector<TraceEvent>& events) {
  ProcessId last = 0;
  std::int64_t count = 0;
  for (const TraceEvent& event : events) {
    if (event.kind != EventKind::issue) continue;
    if (event.process != last) ++count;
    last = event.process;
  }
  return count;
}

std::int64_t most_at_device(const std::vector<TraceEvent>& events) {
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const TraceEvent& event : events) {
    if (event.kind == EventKind::issue) most = std::max(most, ++now);
    if (event.kind == EventKind::complete) --now;
  }
  return most;
}

const std::vector<Witness>& witnesses() {
  // Each operation takes 1 ms; ascending streams keep batches going.
  static const std::vector<WitnessProgram> two_readers{{"one", "none", {"read 10000 +8 x150 think 200us"}},
                                                       {"two", "none", {"read 900000 +8 x150 think 200us"}}};
  static const std::vector<WitnessProgram> two_deep_readers{{"one", "none", {"read 10000 +8 x300 stride 16 depth 8"}},
                                                            {"two", "none", {"read 900000 +8 x300 stride 16 depth 8"}}};
  static const std::vector<Witness> table{
      {"read_expire",
       "a read is served sooner when its deadline is earlier",
       500,
       20,
       false,
       issue_of_marked,
       {{"fifo_batch", 4}},
       {{"stream", "none", {"read 10000 +8 x200 stride 16 depth 8"}}, {"watched", "none", {"at 5ms", "read 8 +8"}}}},
      {"write_expire",
       "a write is served sooner when its deadline is earlier",
       5000,
       20,
       false,
       issue_of_marked,
       {{"fifo_batch", 4}},
       {{"stream", "none", {"write 10000 +8 x200 stride 16 depth 8"}}, {"watched", "none", {"at 5ms", "write 8 +8"}}}},
      {"writes_starved",
       "a write waits longer when reads may be preferred more often",
       1,
       6,
       true,
       issue_of_marked,
       {{"fifo_batch", 4}},
       {{"stream", "none", {"read 10000 +8 x200 stride 16 depth 8"}}, {"watched", "none", {"at 5ms", "write 8 +8"}}}},
      {"fifo_batch",
       "a longer batch turns back less often",
       1,
       16,
       false,
       descents,
       {{"read_expire", 0}},
       {{"up", "none", {"read 10000 +8 x60 stride 16 depth 8"}}, {"far", "none", {"read 900000 +8 x120 stride 16 depth 8"}}}},
      {"front_merges",
       "0 ends the search for front merges",
       1,
       0,
       false,
       front_merges,
       {},
       {{"busy", "none", {"read 500000 +8 x8 stride 4096 depth 8"}},
        {"watched", "none", {"at 500us", "read 200000 +8 nowait", "read 100000 +8 nowait", "read 99992 +8 nowait"}}}},
      {"async_depth",
       "fewer writes are allocated at once",
       32,
       4,
       false,
       most_writes_allocated,
       {},
       {{"writer", "none", {"write 10000 +8 x64 stride 16 async"}}}},
      {"prio_aging_expire",
       "a request of a lower class is served sooner when it ages earlier",
       10000,
       20,
       false,
       issue_of_marked,
       {},
       {{"stream", "rt/0", {"read 10000 +8 x100 stride 16 depth 4"}}, {"watched", "be/4", {"at 5ms", "read 8 +8"}}}},
      // bfq
      {"slice_idle",
       "0 ends idling, so the device changes from one reader to the other more often",
       8,
       0,
       true,
       switches,
       {{"low_latency", 0}},
       two_readers},
      {"slice_idle_us",
       "0 ends idling, so the device changes from one reader to the other more often",
       8000,
       0,
       true,
       switches,
       {{"low_latency", 0}},
       two_readers},
      {"strict_guarantees",
       "1 lets one request into the device at a time",
       0,
       1,
       false,
       most_at_device,
       {{"low_latency", 0}},
       {{"reader", "none", {"read 10000 +8 x60 stride 16 depth 8"}}},
       {{"queue_depth", 8}}},
      {"back_seek_max",
       "a request behind the last one is no longer taken for near",
       16384,
       1,
       true,
       issues_before_marked,
       {{"low_latency", 0}},
       {{"reader",
         "none",
         {"read 1064 +8", "plug", "read 20000 +8 nowait", "read 900 +8 nowait", "read 40000 +8 nowait", "unplug"}}}},
      {"back_seek_penalty",
       "a request behind the last one counts as farther away",
       1,
       50,
       true,
       issues_before_marked,
       {{"low_latency", 0}},
       {{"reader",
         "none",
         {"read 1064 +8", "plug", "read 2000 +8 nowait", "read 900 +8 nowait", "read 3000 +8 nowait", "unplug"}}}},
      {"fifo_expire_sync",
       "a read that others of its process pass over is served sooner when it expires earlier",
       5000,
       10,
       false,
       issue_of_marked,
       {{"low_latency", 0}, {"timeout_sync", 20}},
       {{"passing",
         "none",
         {"read 19000 +8", "read 20000 +8 x20 stride 16 nowait", "read 8 +8 nowait", "read 30000 +8 x300 stride 16 nowait"}},
        {"other", "none", {"read 15000 +8 x300 depth 4"}}}},
      {"fifo_expire_async",
       "a write that others pass over is served sooner when it expires earlier",
       5000,
       10,
       false,
       issue_of_marked,
       {{"low_latency", 0}, {"timeout_sync", 20}},
       {{"passing",
         "none",
         {"read 19000 +8", "write 20000 +8 x20 stride 16 async", "write 8 +8 async", "write 30000 +8 x300 stride 16 async"}},
        {"other", "none", {"read 15000 +8 x300 depth 4"}}}},
      {"timeout_sync",
       "a shorter slice changes from one reader to the other more often",
       500,
       10,
       true,
       switches,
       {{"low_latency", 0}},
       two_deep_readers},
      {"max_budget",
       "a smaller budget changes from one reader to the other more often",
       16384,
       64,
       true,
       switches,
       {{"low_latency", 0}},
       two_deep_readers},
      {"low_latency",
       "0 ends the preference of what has just started",
       1,
       0,
       true,
       last_issue_of_marked,
       {},
       {{"old", "be/3", {"read 10000 +8 x1500 stride 16 depth 8"}},
        {"older", "be/3", {"read 500000 +8 x1500 stride 16 depth 8"}},
        {"new", "none", {"at 1000ms", "read 8 +8 x60 stride 8"}}}},
      // kyber. Requests wait in the device, 2 ms for each before them; 500 of the stream change its domain's depth.
      {"read_lat_nsec",
       "reads that miss their target have writes throttled, so a read is done sooner",
       1'000'000'000,
       100'000,
       false,
       completion_of_marked,
       {{"write_lat_nsec", 1'000'000'000}},
       {{"stream", "none", {"write 10000 +8 x3500 stride 16 depth 28 sync"}},
        {"others", "none", {"read 900000 +8 x60 stride 16"}},
        {"watched", "none", {"at 4500ms", "read 8 +8"}}},
       {{"service_ns", 2'000'000}, {"queue_depth", 64}}},
      {"write_lat_nsec",
       "writes that miss their target have reads throttled, so a write is done sooner",
       1'000'000'000,
       100'000,
       false,
       completion_of_marked,
       {{"read_lat_nsec", 1'000'000'000}},
       {{"stream", "none", {"read 10000 +8 x3000 stride 16 depth 28"}},
        {"others", "none", {"write 900000 +8 x90 stride 16 sync"}},
        {"watched", "none", {"at 5s", "write 8 +8 sync"}}},
       {{"service_ns", 2'000'000}, {"queue_depth", 64}}},
  };
  return table;
}

std::int64_t measure(const Witness& witness, const Scenario& judged, std::int64_t value) {
  std::vector<NamedValue> tunables = witness.others;
  tunables.push_back({witness.tunable, value});
  return witness.measure(run_witness(judged, tunables, witness.programs, witness.device));
}

/// cfq and the bfq of 2014: what each tunable and feature changes is tested on recorded streams (tests/reference/stream).
bool witnessed_elsewhere(const RunFacts& facts) {
  return runs(facts, "cfq") || (runs(facts, "bfq") && !is_multi_queue(facts.scheduler->flavour));
}

std::optional<Violation> judge_tunable(const TunableInfo& tunable, const Scenario& judged) {
  const auto found = std::find_if(witnesses().begin(), witnesses().end(),
                                  [&](const Witness& w) { return std::string_view(w.tunable) == tunable.name; });
  if (found == witnesses().end())
    return Violation{"no-witness", fmt::format("{} of {} has no witness", tunable.name, judged.scheduler), 0ns, 0, 1, 0};
  const std::int64_t first = measure(*found, judged, found->first);
  const std::int64_t second = measure(*found, judged, found->second);
  if (found->rises ? second > first : second < first) return std::nullopt;
  return Violation{"no-effect",
                   fmt::format("{} from {} to {}: {}, but the measure went from {} to {}", tunable.name, found->first,
                               found->second, found->effect, first, second),
                   0ns,
                   0,
                   second,
                   first};
}

std::optional<Violation> judge_scheduler(PlainRun& run) {
  const Scenario& scenario = run.scenario();
  for (const TunableInfo& tunable : find_scheduler(scenario.scheduler)->tunables) {
    if (tunable.feature) continue;  // of these, tests on recorded streams show the effect
    if (auto violation = judge_tunable(tunable, scenario)) return violation;
  }
  return std::nullopt;
}

}  // namespace

Property tunable_effect() {
  return {"tunable.effect",
          "Each tunable of the scheduler changes a run in the direction that its documentation says.",
          "Documentation/block/deadline-iosched.rst, bfq-iosched.rst; block/mq-deadline.c (6.1)",
          "a strict change of the witness's measure",
          [](const RunFacts& facts) {
            return facts.simulated && facts.scheduler != nullptr && !facts.scheduler->tunables.empty() &&
                   !witnessed_elsewhere(facts);
          },
          nullptr,
          judge_scheduler,
          false,
          true};
}

}  // namespace elvcheck::property
