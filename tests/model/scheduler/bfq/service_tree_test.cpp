// SPDX-License-Identifier: GPL-2.0-or-later
// Service trees. Expected: the least start by a fresh look at every entity; the eligible entity by brute force; the vector
// in which the shipped search goes wrong was found by running the kernel's own functions (block/bfq-wf2q.c, 6.1).
#include "model/scheduler/bfq/service_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "model/scheduler/bfq/weights_tree.hpp"

namespace elvcheck::bfq {
namespace {

struct Trees {
  ServiceTree tree;
  std::deque<Entity> entities;
  std::vector<Entity*> active;

  Entity& add(VirtualTime start, VirtualTime finish) {
    Entity& entity = entities.emplace_back();
    entity.start = start;
    entity.finish = finish;
    tree.active_insert(entity);
    active.push_back(&entity);
    return entity;
  }
};

TEST(ServiceTree, TheShippedSearchMissesAnEligibleEntityWithAnEarlierFinish) {
  Trees t;
  Entity& right = t.add(0, 8);
  t.add(5, 6);
  t.add(0, 9);
  Entity& missed = t.add(0, 7);
  EXPECT_EQ(t.tree.eligible_shipped(0), &right);
  EXPECT_EQ(t.tree.eligible_repaired(0), &missed);
}

TEST(ServiceTree, EqualFinishesKeepTheirOrder) {
  Trees t;
  Entity& first = t.add(0, 5);
  t.add(0, 5);
  EXPECT_EQ(t.tree.eligible_repaired(0), &first);
  EXPECT_EQ(t.tree.eligible_shipped(0), &first);
}

RC_GTEST_PROP(ServiceTree, LeastStartAndRepairedSearchMatchBruteForce, ()) {
  Trees t;
  const int steps = *rc::gen::inRange(1, 80);
  for (int step = 0; step < steps; ++step) {
    if (t.active.empty() || *rc::gen::inRange(0, 3) != 0) {
      const auto start = *rc::gen::inRange<VirtualTime>(0, 40);
      t.add(start, start + *rc::gen::inRange<VirtualTime>(0, 40));
    } else {
      const auto at = t.active.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(t.active.size()));
      t.tree.active_extract(**at);
      t.active.erase(at);
    }
    if (t.active.empty()) {
      RC_ASSERT(t.tree.active_empty());
      continue;
    }
    const auto earlier = [](const Entity* a, const Entity* b) { return a->start < b->start; };
    RC_ASSERT(t.tree.least_start() == (*std::min_element(t.active.begin(), t.active.end(), earlier))->start);

    const auto threshold = *rc::gen::inRange<VirtualTime>(0, 45);
    const Entity* best = nullptr;
    for (const Entity* entity : t.active) {
      if (entity->start <= threshold && (best == nullptr || entity->finish < best->finish)) best = entity;
    }
    const Entity* found = t.tree.eligible_repaired(threshold);
    RC_ASSERT((found == nullptr) == (best == nullptr));
    if (best != nullptr) RC_ASSERT(found->finish == best->finish);
    // Whatever the shipped search returns is eligible.
    const Entity* shipped = t.tree.eligible_shipped(threshold);
    if (shipped != nullptr) RC_ASSERT(shipped->start <= threshold);
  }
}

TEST(ServiceTree, IdleEntitiesByFinish) {
  ServiceTree tree;
  Entity a, b, c;
  a.finish = 5;
  b.finish = 3;
  c.finish = 9;
  for (Entity* entity : {&a, &b, &c}) tree.idle_insert(*entity);
  EXPECT_EQ(tree.first_idle, &b);
  EXPECT_EQ(tree.last_idle, &c);
  tree.idle_extract(b);
  EXPECT_EQ(tree.first_idle, &a);
  tree.idle_extract(c);
  EXPECT_EQ(tree.last_idle, &a);
  tree.idle_extract(a);
  EXPECT_EQ(tree.first_idle, nullptr);
  EXPECT_EQ(tree.last_idle, nullptr);
}

TEST(WeightsTree, VariedAndSmallest) {
  WeightsTree weights;
  weights.add(40);
  weights.add(40);
  EXPECT_FALSE(weights.varied());
  weights.add(10);
  EXPECT_TRUE(weights.varied());
  EXPECT_TRUE(weights.is_smallest(10));
  EXPECT_FALSE(weights.is_smallest(40));
  weights.remove(10);
  EXPECT_FALSE(weights.varied());
  weights.remove(40);
  EXPECT_TRUE(weights.is_smallest(40));
}

}  // namespace
}  // namespace elvcheck::bfq
