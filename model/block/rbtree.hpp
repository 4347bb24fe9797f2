// SPDX-License-Identifier: GPL-2.0-or-later
// A red-black tree with the shape that the textbook algorithms give (Cormen, Leiserson, Rivest: insertion and deletion
// with the successor put in the place of a node with two children).
//
// The shape matters: where two nodes have equal keys, a scheduler that walks down from the root finds the one nearer to the
// root, and CFQ's search for a close queue follows the path. An ordinary std::multimap would hide that.
#pragma once

#include <cstdint>

namespace elvcheck {

/// A node, embedded in its owner. Its links are the tree's business.
struct RbLinks {
  RbLinks* parent = nullptr;
  RbLinks* left = nullptr;
  RbLinks* right = nullptr;
  bool red = false;
  bool linked = false;  ///< is in a tree
};

/// The untyped tree: shape only, no keys.
class RbTreeBase {
 public:
  RbLinks* root() const { return root_; }
  /// Links `node` below `parent` (null: as the root) and restores balance.
  void insert(RbLinks& node, RbLinks* parent, bool as_left);
  void erase(RbLinks& node);

  static RbLinks* first(RbLinks* root);
  static RbLinks* last(RbLinks* root);
  static RbLinks* next(RbLinks* node);
  static RbLinks* prev(RbLinks* node);

 private:
  void rotate_left(RbLinks* x);
  void rotate_right(RbLinks* x);
  void replace_child(RbLinks* parent, RbLinks* old_child, RbLinks* new_child);
  void rebalance_after_erase(RbLinks* node, RbLinks* parent);
  RbLinks* root_ = nullptr;
};

template <class T>
struct RbNode : RbLinks {
  T* owner = nullptr;
};

/// A tree of T ordered by `Key(const T&)`, through the node `Node` inside T. Equal keys: the newcomer goes to the right.
template <class T, RbNode<T> T::*Node, auto Key>
class RbTree {
 public:
  bool empty() const { return tree_.root() == nullptr; }
  static bool contains(const T& item) { return (item.*Node).linked; }

  void insert(T& item) {
    RbLinks* parent = nullptr;
    bool as_left = false;
    for (RbLinks* at = tree_.root(); at != nullptr; at = as_left ? at->left : at->right) {
      parent = at;
      as_left = Key(item) < Key(*owner(at));
    }
    (item.*Node).owner = &item;
    tree_.insert(item.*Node, parent, as_left);
  }
  void erase(T& item) { tree_.erase(item.*Node); }

  /// The first item with this key on the way down from the root, or null.
  template <class K>
  T* find(const K& key) const {
    RbLinks* at = tree_.root();
    while (at != nullptr) {
      const auto here = Key(*owner(at));
      if (key < here)
        at = at->left;
      else if (here < key)
        at = at->right;
      else
        return owner(at);
    }
    return nullptr;
  }
  /// Where a search for this key ends.
  struct Descent {
    T* last = nullptr;   ///< the item with the key, or the last one on the way; null in an empty tree
    bool exact = false;
  };
  template <class K>
  Descent descend(const K& key) const {
    Descent descent;
    for (RbLinks* at = tree_.root(); at != nullptr && !descent.exact;) {
      descent.last = owner(at);
      const auto here = Key(*descent.last);
      descent.exact = !(key < here) && !(here < key);
      at = key < here ? at->left : at->right;
    }
    return descent;
  }
  /// The leftmost item whose key is not below `key`, or null.
  template <class K>
  T* lower_bound(const K& key) const {
    RbLinks* at = tree_.root();
    T* best = nullptr;
    while (at != nullptr) {
      if (Key(*owner(at)) < key) {
        at = at->right;
      } else {
        best = owner(at);
        at = at->left;
      }
    }
    return best;
  }
  T* first() const { return owner(RbTreeBase::first(tree_.root())); }
  T* last() const { return owner(RbTreeBase::last(tree_.root())); }
  static T* next(T& item) { return owner(RbTreeBase::next(&(item.*Node))); }
  static T* prev(T& item) { return owner(RbTreeBase::prev(&(item.*Node))); }

 private:
  static T* owner(RbLinks* links) { return links == nullptr ? nullptr : static_cast<RbNode<T>*>(links)->owner; }
  RbTreeBase tree_;
};

}  // namespace elvcheck
