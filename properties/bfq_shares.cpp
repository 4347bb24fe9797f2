// SPDX-License-Identifier: GPL-2.0-or-later
// bfq.shares: what BFQ promises about weights and classes, on fixed scenarios in which it is easy to see.
//
// Two readers always have requests waiting, low_latency is off, and each operation takes 1 ms, so that service in sectors
// and in time is the same. The bounds are wide: they leave room for the last budget of each reader, and for the requests
// that BFQ injects while it idles. The scenario under judgement gives only the scheduler.
#include <fmt/format.h>

#include <array>

#include "properties/definitions.hpp"
#include "properties/observation.hpp"
#include "properties/queue_monitor.hpp"
#include "properties/witness.hpp"

namespace elvcheck::property {

namespace {

struct Share {
  const char* rule;
  const char* promise;
  const char* first;  ///< priority of the reader that is counted against the other
  const char* second;
  std::int64_t least;  ///< requests of the second reader while the first issues 1200
  std::int64_t most;
};

constexpr std::int64_t counted = 1200;
constexpr Sector second_reader = 1'000'000;  // its places begin here

// Weight of a level: (8 - level) x 10.
constexpr std::array shares{
    Share{"weights", "8 : 1 by weights of 80 and 10", "be/0", "be/7", counted / 14, counted / 4},
    Share{"equal-weights", "1 : 1 by equal weights", "be/4", "be/4", counted * 6 / 10, counted * 16 / 10},
    Share{"class-order", "none for a lower class while the real-time class has requests", "rt/4", "be/0", 0, counted / 20},
    Share{"idle-class", "a thin share for the idle class, so that it does not starve", "be/4", "idle", 1, counted / 4},
};

std::int64_t served_beside(const Scenario& judged, const Share& share) {
  const auto events = run_witness(judged, {{"low_latency", 0}},
                                  {{"first", share.first, {"read 1000 +8 x1200 stride 16 depth 4"}},
                                   {"second", share.second, {"read 1000000 +8 x2400 stride 16 depth 4"}}});
  std::int64_t first = 0;
  std::int64_t second = 0;
  for (const TraceEvent& event : events) {
    if (event.kind != EventKind::issue || first == counted) continue;
    ++(event.sector < second_reader ? first : second);
  }
  return second;
}

std::optional<Violation> judge_shares(PlainRun& run) {
  const Scenario& scenario = run.scenario();
  for (const Share& share : shares) {
    const std::int64_t second = served_beside(scenario, share);
    if (second >= share.least && second <= share.most) continue;
    return Violation{share.rule,
                     fmt::format("while a reader of {} was given {} requests, one of {} was given {}; promised is {}",
                                 share.first, counted, share.second, second, share.promise),
                     0ns,
                     0,
                     second,
                     second < share.least ? share.least : share.most};
  }
  return std::nullopt;
}

}  // namespace

Property bfq_shares() {
  return {"bfq.shares",
          "Readers that always have requests waiting are served in proportion to their weights, strictly by class, and the "
          "idle class a "
          "little.",
          "Documentation/block/bfq-iosched.rst: weights, classes; block/bfq-wf2q.c (6.1): BFQ_CL_IDLE_TIMEOUT",
          "requests beside 1200 of the other reader: 85 to 300 for weights 10 : 80, 720 to 1920 for equal ones, at most 60 "
          "for a lower "
          "class, 1 to 300 for the idle class",
          [](const RunFacts& facts) { return facts.simulated && runs(facts, "bfq"); },
          nullptr,
          judge_shares,
          false,
          true};
}

}  // namespace elvcheck::property
