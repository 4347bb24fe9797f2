// SPDX-License-Identifier: GPL-2.0-or-later
// The red-black tree against a sorted list, and its shape against the rules of the textbook.
#include "model/block/rbtree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

namespace elvcheck {
namespace {

struct Item {
  int key = 0;
  int serial = 0;
  RbNode<Item> node;
};
int item_key(const Item& item) { return item.key; }
using Tree = RbTree<Item, &Item::node, &item_key>;

std::vector<Item*> walk(const Tree& tree) {
  std::vector<Item*> items;
  for (Item* item = tree.first(); item != nullptr; item = Tree::next(*item)) items.push_back(item);
  return items;
}

/// Black height if the subtree obeys the rules (no red child of a red node, equal black heights, right parents); -1 otherwise.
int black_height(const RbLinks* node) {
  if (node == nullptr) return 1;
  for (const RbLinks* child : {node->left, node->right}) {
    if (child != nullptr && (child->parent != node || (node->red && child->red))) return -1;
  }
  const int left = black_height(node->left);
  const int right = black_height(node->right);
  if (left < 0 || left != right) return -1;
  return left + (node->red ? 0 : 1);
}

RC_GTEST_PROP(RbTreeTest, EqualsASortedListAndKeepsItsRules, (const std::vector<std::pair<std::uint8_t, bool>>& steps)) {
  Tree tree;
  std::deque<Item> storage;
  std::vector<Item*> model;  // ascending, equal keys in order of insertion
  for (const auto& [number, insert] : steps) {
    if (insert || model.empty()) {
      Item& item = storage.emplace_back();
      item.key = number % 16;
      item.serial = static_cast<int>(storage.size());
      tree.insert(item);
      model.insert(std::upper_bound(model.begin(), model.end(), &item, [](auto* a, auto* b) { return a->key < b->key; }), &item);
    } else {
      const auto at = model.begin() + number % static_cast<int>(model.size());
      tree.erase(**at);
      RC_ASSERT(!Tree::contains(**at));
      model.erase(at);
    }
    RC_ASSERT(walk(tree) == model);
    if (!model.empty()) {
      RbLinks* root = &model.front()->node;
      while (root->parent != nullptr) root = root->parent;
      RC_ASSERT(!root->red);
      RC_ASSERT(black_height(root) > 0);
      RC_ASSERT(tree.last() == model.back());
      const int key = number % 16;
      const auto lower = std::lower_bound(model.begin(), model.end(), key, [](auto* a, int k) { return a->key < k; });
      RC_ASSERT(tree.lower_bound(key) == (lower == model.end() ? nullptr : *lower));
      Item* found = tree.find(key);
      RC_ASSERT((found != nullptr) == (lower != model.end() && (*lower)->key == key));
    }
  }
}

// By hand, after Cormen and others: 1, 2, 3 in ascending order give 2 at the root; a third node with key 2 goes to the right of
// the first, so the look-up from the root finds the older one.
TEST(RbTreeTest, ShapeOfEqualKeys) {
  Tree tree;
  Item items[4];
  const int keys[] = {1, 2, 3, 2};
  for (int i = 0; i < 4; ++i) {
    items[i].key = keys[i];
    tree.insert(items[i]);
  }
  EXPECT_EQ(items[1].node.parent, nullptr);
  EXPECT_EQ(tree.find(2), &items[1]);
  EXPECT_EQ(items[3].node.parent, &items[2].node);
}

// A node with two children is replaced by its successor, not by its predecessor: 4 replaces 3.
TEST(RbTreeTest, TheSuccessorTakesThePlace) {
  Tree tree;
  Item items[5];
  const int keys[] = {3, 1, 5, 4, 6};
  for (int i = 0; i < 5; ++i) {
    items[i].key = keys[i];
    tree.insert(items[i]);
  }
  tree.erase(items[0]);
  EXPECT_EQ(items[3].node.parent, nullptr);
}

}  // namespace
}  // namespace elvcheck
