// SPDX-License-Identifier: GPL-2.0-or-later
// What a campaign is made of: coverage against runs worked out by hand, recipes against what they promise, steering, the
// adapter to RapidCheck, and the metamorphic relations against scenarios that they must leave alone.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "model/device/preset.hpp"
#include "properties/case_file.hpp"
#include "properties/coverage.hpp"
#include "properties/rapidcheck_adapter.hpp"
#include "properties/steering.hpp"

namespace elvcheck {
namespace {

Reached reached_by(const Scenario& scenario) {
  Machine machine(scenario);
  RunCoverage coverage(machine.facts(), scenario);
  machine.trace().add(coverage);
  machine.run();
  return coverage.reached();
}

Reached reached_by(const std::string& text) {
  return reached_by(parse_case("elvcheck_case = 1\nexpect = \"held\"\n" + text, "test").scenario);
}

TEST(Coverage, PlacesOfWaitingRequests) {
  // One server of 1 ms: the second and later requests wait behind the first. Merging is off, so each stays itself.
  const char* const head = "scheduler = \"noop-4.19\"\n[block]\nnomerges = 2\n[[process]]\nname = \"a\"\n";
  const auto run = [&](const char* ops) {
    return reached_by(head + std::string("ops = [\"read 9000 +8 nowait\", ") + ops + "]\n");
  };
  const Reached equal = run("\"read 64 +8 nowait\", \"read 64 +8 nowait\"");
  EXPECT_TRUE(equal.hit(Corner::equal));
  EXPECT_FALSE(equal.hit(Corner::adjacent));
  EXPECT_FALSE(equal.hit(Corner::overlapping));
  const Reached adjacent = run("\"read 64 +8 nowait\", \"read 72 +8 nowait\"");
  EXPECT_TRUE(adjacent.hit(Corner::adjacent));
  EXPECT_FALSE(adjacent.hit(Corner::equal));
  const Reached overlapping = run("\"read 64 +8 nowait\", \"read 68 +8 nowait\"");
  EXPECT_TRUE(overlapping.hit(Corner::overlapping));
  const Reached apart = run("\"read 64 +8 nowait\", \"read 100 +8 nowait\"");
  EXPECT_FALSE(apart.hit(Corner::equal) || apart.hit(Corner::adjacent) || apart.hit(Corner::overlapping));
}

TEST(Coverage, TheTicksAroundADeadline) {
  // HZ 1000, deadline 10 ms after insertion at 0. One server of 1 ms; n earlier requests of a batch of 100 delay the read.
  const auto run = [&](int earlier) {
    return reached_by(
        "scheduler = \"deadline-4.19\"\n[tunables]\nread_expire = 10\nfifo_batch = 100\n[block]\nhz = 1000\n"
        "nomerges = 2\n[[process]]\nname = \"a\"\nops = [\"plug\", \"read 0 +8 x" +
        std::to_string(earlier) + " stride 16 nowait\", \"read 50000 +8 nowait\", \"unplug\"]\n");
  };
  const auto corners_of = [](const Reached& r) {
    return std::tuple(r.hit(Corner::expiry_before), r.hit(Corner::expiry_exact), r.hit(Corner::expiry_after));
  };
  EXPECT_EQ(corners_of(run(8)), std::tuple(false, false, false));  // last issue at 8 ms
  EXPECT_EQ(corners_of(run(9)), std::tuple(true, false, false));   // at 9 ms
  EXPECT_EQ(corners_of(run(10)), std::tuple(true, true, false));   // at 10 ms
  EXPECT_EQ(corners_of(run(11)), std::tuple(true, true, true));    // at 11 ms
}

TEST(Coverage, EndOfDiskAndWrap) {
  // flat has 2097152 sectors.
  const Reached end =
      reached_by("scheduler = \"none\"\n[[process]]\nname = \"a\"\nops = [\"read 2097144 +8\", \"read 0 +8\"]\n");
  EXPECT_TRUE(end.hit(Corner::end_of_disk));
  EXPECT_TRUE(end.hit(Corner::wrap));
  const Reached near =
      reached_by("scheduler = \"none\"\n[[process]]\nname = \"a\"\nops = [\"read 2097136 +8\", \"read 0 +8\"]\n");
  EXPECT_FALSE(near.hit(Corner::end_of_disk));
  EXPECT_FALSE(near.hit(Corner::wrap));
}

TEST(Coverage, CountsEachFiringOfARule) {
  // fifo_batch 1: each of five reads starts a batch.
  const Reached batches = reached_by(
      "scheduler = \"deadline-4.19\"\n[tunables]\nfifo_batch = 1\n[[process]]\nname = \"a\"\n"
      "ops = [\"read 0 +8 x5 stride 64 depth 5\"]\n");
  const auto rules = rules_of(*find_scheduler("deadline-4.19"));
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (std::string_view(rules[i]->name) == "deadline.start-batch") {
      EXPECT_EQ(batches.rule_hits[i], 5U);
    }
    if (std::string_view(rules[i]->name) == "deadline.continue-batch") {
      EXPECT_EQ(batches.rule_hits[i], 0U);
    }
  }
}

Scenario corners_with(RecipeSet chosen, std::uint64_t seed, const char* scheduler = "mq-deadline") {
  const DeviceSpec device{"flat", {}};
  return generate_corners(SplitMix64(seed), *find_scheduler(scheduler), device, make_device(device)->info().capacity,
                          chosen);
}

TEST(Recipes, EachRaisesTheCornerThatItIsFor) {
  const std::pair<Recipe, Corner> promises[] = {{Recipe::equal, Corner::equal},
                                                {Recipe::adjacent, Corner::adjacent},
                                                {Recipe::overlapping, Corner::overlapping},
                                                {Recipe::end_of_disk, Corner::end_of_disk},
                                                {Recipe::end_of_disk, Corner::wrap},
                                                {Recipe::burst, Corner::burst},
                                                {Recipe::short_expiry, Corner::expiry_exact},
                                                {Recipe::few_requests, Corner::no_request_left},
                                                {Recipe::prio_ties, Corner::prio_tie},
                                                {Recipe::prio_mix, Corner::prio_mix},
                                                {Recipe::exit_inside, Corner::exit_inside},
                                                {Recipe::refusals, Corner::requeue}};
  for (const auto& [recipe, corner] : promises) {
    int with = 0, without = 0;
    for (std::uint64_t i = 0; i < 60; ++i) {
      with += reached_by(corners_with(RecipeSet{1} << static_cast<unsigned>(recipe), i)).hit(corner);
      without += reached_by(corners_with(0, i)).hit(corner);
    }
    EXPECT_GT(with, without) << recipes[static_cast<std::size_t>(recipe)].name << " for "
                             << corners[static_cast<std::size_t>(corner)].name;
    EXPECT_GE(with, 10) << recipes[static_cast<std::size_t>(recipe)].name;
  }
}

TEST(Recipes, EveryScenarioIsACaseFileAndEnds) {
  SplitMix64 sets(5);
  for (const SchedulerInfo& scheduler : schedulers()) {
    for (std::uint64_t i = 0; i < 100; ++i) {
      CaseFile value;
      value.scenario = corners_with(static_cast<RecipeSet>(sets.next()) & ((1U << recipe_count) - 1), i, scheduler.name);
      EXPECT_EQ(parse_case(format_case(value), "drawn"), value);
      Machine machine(value.scenario);
      EXPECT_FALSE(machine.run().stopped_at_limit) << format_case(value);
    }
  }
}

TEST(Steering, ARecipeForARareTargetGainsWeight) {
  SteeringCounts counts(1);  // one rule and the corners
  Reached nothing{{0}, 0};
  Reached rule{{1}, 0};
  const RecipeSet plugs = RecipeSet{1} << static_cast<unsigned>(Recipe::plugs);
  for (int i = 0; i < 100; ++i) counts.add(0, nothing);
  for (int i = 0; i < 10; ++i) counts.add(plugs, rule);
  for (std::size_t r = 0; r < recipe_count; ++r) {
    if (r != static_cast<std::size_t>(Recipe::plugs)) counts.with[r] = 100;  // tried without success
  }
  const auto weights = recipe_weights(counts);
  for (std::size_t r = 0; r < recipe_count; ++r) {
    EXPECT_GE(weights[r], 24U);
    if (r != static_cast<std::size_t>(Recipe::plugs)) {
      EXPECT_LT(weights[r], weights[static_cast<std::size_t>(Recipe::plugs)]);
    }
  }
}

TEST(RapidCheckAdapter, TheGeneratorIsOneOfRapidCheck) {
  const auto gen = scenarios(*find_scheduler("deadline"), {}, "deadline.*");
  const rc::Random random(3);
  const auto first = gen(random, 40);
  EXPECT_EQ(first.value(), gen(random, 40).value());
  EXPECT_FALSE(first.shrinks().next()) << "what holds has no shrink";
  rc::check("deadline's properties hold", [&] {
    const Scenario scenario = *gen;
    RC_ASSERT(holds(scenario, "deadline.*"));
  });
}

TEST(RapidCheckAdapter, ShrinkingHandsOverToTheMinimiser) {
  const auto gen = scenarios(*find_scheduler("deadline"), {}, "deadline.fifo-batch", "deadline.batch-one-more");
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto drawn = gen(rc::Random(seed), 60);
    if (holds(drawn.value(), "deadline.fifo-batch")) continue;
    auto shrinks = drawn.shrinks();
    const auto small = shrinks.next();
    ASSERT_TRUE(small);
    EXPECT_FALSE(shrinks.next()) << "one shrink is all there is";
    EXPECT_FALSE(holds(small->value(), "deadline.fifo-batch"));
    EXPECT_LE(size_of(small->value()).ops, 6U);
    return;
  }
  FAIL() << "no scenario showed the planted bug";
}

std::optional<Violation> judge(const char* property, const Scenario& scenario) {
  const auto verdict = judge_property(scenario, *find_property(property));
  return verdict ? verdict->violation : std::nullopt;
}

TEST(Metamorphic, RelationsHoldOnRandomCorners) {
  SplitMix64 sets(9);
  for (const SchedulerInfo& scheduler : schedulers()) {
    for (std::uint64_t i = 0; i < 150; ++i) {
      const Scenario scenario = corners_with(static_cast<RecipeSet>(sets.next() & sets.next()), i, scheduler.name);
      for (const char* property : {"metamorphic.scale-time", "metamorphic.quiet-split"}) {
        const auto violation = judge(property, scenario);
        CaseFile value;
        value.scenario = scenario;
        EXPECT_FALSE(violation) << property << ": " << violation->message << "\n" << format_case(value);
        if (violation) return;
      }
    }
  }
}

TEST(Metamorphic, EachSaysForWhichSchedulersAndDevicesItHolds) {
  const auto applies = [](const char* property, const char* scheduler, const char* device) {
    Scenario scenario;
    scenario.scheduler = scheduler;
    scenario.device.preset = device;
    return find_property(property)->applies(Machine(scenario).facts());
  };
  EXPECT_TRUE(applies("metamorphic.scale-time", "mq-deadline-6.1", "flat"));
  EXPECT_FALSE(applies("metamorphic.scale-time", "deadline-2.6.35", "flat"));  // unplugs after 3 ms
  EXPECT_FALSE(applies("metamorphic.scale-time", "deadline-4.19", "sata-7200-2014"));
  EXPECT_TRUE(applies("metamorphic.quiet-split", "noop-2.6.35", "flat-ssd"));
  EXPECT_FALSE(applies("metamorphic.quiet-split", "mq-deadline-6.1", "flat"));  // blk-mq remembers how busy it was
  EXPECT_FALSE(applies("metamorphic.quiet-split", "deadline-4.19", "seek"));    // remembers the arm's place
}

}  // namespace
}  // namespace elvcheck
