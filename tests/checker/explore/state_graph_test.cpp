// SPDX-License-Identifier: GPL-2.0-or-later
// The explorer on systems that fit on paper, and on the cores. Which of them can starve comes from elsewhere: from the
// theorems (cfq.wait-bound, deadline.expired-rank, deadline.write-starvation), and from what the kernel documents of
// real-time classes and of writes_starved.
#include "checker/explore/state_graph.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "checker/explore/systems.hpp"

namespace elvcheck {
namespace {

/// States are single numbers; the watched one waits in those above 0.
class Numbers final : public TransitionSystem {
 public:
  explicit Numbers(std::function<std::vector<Step>(std::int64_t)> steps) : steps_(std::move(steps)) {}
  StateKey initial() const override { return {1}; }
  std::vector<Step> steps(const StateKey& state) const override { return steps_(state.front()); }
  bool waits(const StateKey& state) const override { return state.front() > 0; }

 private:
  std::function<std::vector<Step>(std::int64_t)> steps_;
};

TEST(Explore, CountsStatesAndFindsTheLongestWait) {
  // 1 -> 2 -> 3 -> 0, and the shortcut 1 -> 0: three states in a row in which it waits, two steps between them.
  const Numbers line([](std::int64_t n) -> std::vector<Step> {
    if (n == 0) return {};
    if (n == 1) return {{{2}, "on", false}, {{0}, "serve", true}};
    return {{{n == 3 ? 0 : n + 1}, n == 3 ? "serve" : "on", n == 3}};
  });
  const Exploration found = explore(line);
  EXPECT_EQ(found.states, 4U);
  EXPECT_EQ(found.steps, 4U);
  EXPECT_TRUE(found.complete);
  EXPECT_FALSE(found.starvation.has_value());
  EXPECT_EQ(found.longest_wait, 2U);
}

TEST(Explore, FindsTheStarvationThatIsReachedSoonest) {
  // Circles at 2 <-> 3 and at 4: that of 2 is nearer.
  const Numbers circles([](std::int64_t n) -> std::vector<Step> {
    switch (n) {
      case 1:
        return {{{2}, "a", false}};
      case 2:
        return {{{3}, "b", false}};
      case 3:
        return {{{2}, "c", false}, {{4}, "d", false}};
      case 4:
        return {{{4}, "e", false}};
      default:
        return {};
    }
  });
  const Exploration found = explore(circles);
  ASSERT_TRUE(found.starvation.has_value());
  EXPECT_EQ(found.starvation->prefix, std::vector<std::string>{"a"});
  EXPECT_EQ(found.starvation->cycle, (std::vector<std::string>{"b", "c"}));
}

TEST(Explore, ACircleInWhichItIsServedIsNoStarvation) {
  const Numbers served([](std::int64_t n) -> std::vector<Step> { return {{{3 - n}, n == 2 ? "serve" : "on", n == 2}}; });
  EXPECT_FALSE(explore(served).starvation.has_value());
}

TEST(Explore, SaysWhenThereAreMoreStatesThanItMayVisit) {
  const Numbers endless([](std::int64_t n) -> std::vector<Step> { return {{{n + 1}, "on", false}}; });
  EXPECT_FALSE(explore(endless, 100).complete);
}

TEST(Systems, NoQueueOfOneClassOfCfqStarves) {
  for (const unsigned processes : {2U, 3U}) {
    const Exploration found = explore(*cfq_system({processes, 1}, false));
    EXPECT_TRUE(found.complete);
    EXPECT_FALSE(found.starvation.has_value()) << processes;
  }
}

TEST(Systems, ARealTimeQueueStarvesTheOthersOfCfq) {
  const Exploration found = explore(*cfq_system({3, 1}, true));
  EXPECT_TRUE(found.complete);
  ASSERT_TRUE(found.starvation.has_value());
  for (const std::string& step : found.starvation->cycle) EXPECT_TRUE(step.starts_with("queue 0 is served")) << step;
}

TEST(Systems, AnExpiredRequestOfDeadlineIsServed) {
  for (const bool write : {false, true}) {
    const Exploration found = explore(*deadline_system({2, 2}, write, 2));
    EXPECT_TRUE(found.complete);
    EXPECT_FALSE(found.starvation.has_value()) << write;
  }
}

TEST(Systems, WithoutALimitOnWritesAnExpiredReadStarves) {
  // writes_starved 0: a write batch whenever there are writes.
  EXPECT_TRUE(explore(*deadline_system({2, 2}, false, 0)).starvation.has_value());
  EXPECT_FALSE(explore(*deadline_system({2, 2}, true, 0)).starvation.has_value());
}

}  // namespace
}  // namespace elvcheck
