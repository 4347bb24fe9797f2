// SPDX-License-Identifier: GPL-2.0-or-later
// cfq.slice-monotone: a better level has a longer slice and waits nearer.
//
// About SliceCore::slice and key_offset as they run, with the truncating division by five. Levels and the number of queues
// of the group are concrete (all of 0..7, and 1 to 8 queues), the tunables symbolic. Left out: scaled slices.
#include <fmt/format.h>

#include "checker/theorem/catalogue.hpp"
#include "model/scheduler/cfq/slice_core.hpp"

namespace elvcheck {

namespace {

using Num = Symbolic::Num;
using Bool = Symbolic::Bool;
using Slices = cfq::SliceCore<Symbolic>;

constexpr std::int64_t levels = 8;
constexpr std::int64_t most_queues = 8;

/// Worse levels get more.
struct LevelsInverted : Slices {
  Num slice(const Bool& sync, const Num& level) const { return Slices::slice(sync, Num(levels - 1) - level); }
};
/// The level does not count.
struct LevelIgnored : Slices {
  Num slice(const Bool& sync, const Num&) const { return Slices::slice(sync, Num(4)); }
};
/// Worse levels wait nearer.
struct OffsetsInverted : Slices {
  Num key_offset(const Bool& sync, const Num& level, const Num& counted) const {
    return Slices::key_offset(sync, Num(levels - 1) - level, counted);
  }
};

template <class Core>
Core any_tunables(Obligation& obligation) {
  Core core;
  core.slice_sync = Symbolic::variable("slice_sync");
  core.slice_async = Symbolic::variable("slice_async");
  obligation.assume(Num(5) <= core.slice_sync, "slice_sync >= 5 units");
  obligation.assume(Num(5) <= core.slice_async, "slice_async >= 5 units");
  return core;
}

template <class Core>
std::vector<Condition> conditions() {
  return {
      {"slice", "The slice of every level is positive and longer than that of the next worse one.",
       [](Obligation& obligation) {
         const Core core = any_tunables<Core>(obligation);
         for (const bool sync : {true, false}) {
           for (std::int64_t level = 0; level + 1 < levels; ++level) {
             obligation.conclude(core.slice(Bool(sync), Num(level + 1)) < core.slice(Bool(sync), Num(level)));
           }
           obligation.conclude(Num(0) < core.slice(Bool(sync), Num(levels - 1)));
         }
       }},
      {"offset", "A sync queue's offset is not negative, and not smaller for a worse level or with more queues.",
       [](Obligation& obligation) {
         const Core core = any_tunables<Core>(obligation);
         for (std::int64_t queues = 1; queues <= most_queues; ++queues) {
           for (std::int64_t level = 0; level < levels; ++level) {
             const Num offset = core.key_offset(Bool(true), Num(level), Num(queues));
             obligation.conclude(Num(0) <= offset);
             if (level + 1 < levels) obligation.conclude(offset <= core.key_offset(Bool(true), Num(level + 1), Num(queues)));
             obligation.conclude(offset <= core.key_offset(Bool(true), Num(level), Num(queues + 1)));
           }
         }
       }},
  };
}

}  // namespace

Theorem cfq_slice_monotone() {
  Theorem theorem;
  theorem.name = "cfq.slice-monotone";
  theorem.statement =
      "Of two levels the better one has the longer slice, sync or async, and of two sync queues it has no larger offset.";
  theorem.core = "cfq::SliceCore";
  theorem.abstraction = "Slices that low_latency does not scale. The queue itself is among the counted ones.";
  theorem.flows = "levels 0 to 7, 1 to 8 queues of a group";
  theorem.symbolic = "slice_sync >= 5 and slice_async >= 5 time units";
  theorem.method = Method::direct;
  theorem.conditions = conditions<Slices>();
  theorem.planted_bugs = {
      {"levels-inverted", "Worse levels get longer slices.", conditions<LevelsInverted>()},
      {"level-ignored", "All levels get the same slice.", conditions<LevelIgnored>()},
      {"offsets-inverted", "Worse levels wait nearer.", conditions<OffsetsInverted>()},
  };
  return theorem;
}

}  // namespace elvcheck
