// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/block/rbtree.hpp"

namespace elvcheck {

RbLinks* RbTreeBase::first(RbLinks* node) {
  while (node != nullptr && node->left != nullptr) node = node->left;
  return node;
}

RbLinks* RbTreeBase::last(RbLinks* node) {
  while (node != nullptr && node->right != nullptr) node = node->right;
  return node;
}

RbLinks* RbTreeBase::next(RbLinks* node) {
  if (node->right != nullptr) return first(node->right);
  while (node->parent != nullptr && node == node->parent->right) node = node->parent;
  return node->parent;
}

RbLinks* RbTreeBase::prev(RbLinks* node) {
  if (node->left != nullptr) return last(node->left);
  while (node->parent != nullptr && node == node->parent->left) node = node->parent;
  return node->parent;
}

void RbTreeBase::replace_child(RbLinks* parent, RbLinks* old_child, RbLinks* new_child) {
  if (parent == nullptr)
    root_ = new_child;
  else if (parent->left == old_child)
    parent->left = new_child;
  else
    parent->right = new_child;
}

void RbTreeBase::rotate_left(RbLinks* x) {
  RbLinks* y = x->right;
  x->right = y->left;
  if (y->left != nullptr) y->left->parent = x;
  y->parent = x->parent;
  replace_child(x->parent, x, y);
  y->left = x;
  x->parent = y;
}

void RbTreeBase::rotate_right(RbLinks* x) {
  RbLinks* y = x->left;
  x->left = y->right;
  if (y->right != nullptr) y->right->parent = x;
  y->parent = x->parent;
  replace_child(x->parent, x, y);
  y->right = x;
  x->parent = y;
}

void RbTreeBase::insert(RbLinks& added, RbLinks* parent, bool as_left) {
  added.parent = parent;
  added.left = added.right = nullptr;
  added.red = true;
  added.linked = true;
  if (parent == nullptr)
    root_ = &added;
  else if (as_left)
    parent->left = &added;
  else
    parent->right = &added;

  RbLinks* node = &added;
  while (node->parent != nullptr && node->parent->red) {
    RbLinks* up = node->parent;
    RbLinks* grand = up->parent;
    const bool up_is_left = up == grand->left;
    RbLinks* uncle = up_is_left ? grand->right : grand->left;
    if (uncle != nullptr && uncle->red) {
      uncle->red = up->red = false;
      grand->red = true;
      node = grand;
      continue;
    }
    if (node == (up_is_left ? up->right : up->left)) {
      up_is_left ? rotate_left(up) : rotate_right(up);
      node = up;
      up = node->parent;
    }
    up->red = false;
    grand->red = true;
    up_is_left ? rotate_right(grand) : rotate_left(grand);
  }
  root_->red = false;
}

void RbTreeBase::erase(RbLinks& removed) {
  RbLinks* node = &removed;
  RbLinks* child;
  RbLinks* parent;
  bool black_lost;
  if (node->left != nullptr && node->right != nullptr) {
    // The successor takes the node's place and colour; what is lost is the successor's own place.
    RbLinks* successor = first(node->right);
    child = successor->right;
    black_lost = !successor->red;
    parent = successor->parent;
    if (parent == node) {
      parent = successor;
    } else {
      if (child != nullptr) child->parent = parent;
      parent->left = child;
      successor->right = node->right;
      node->right->parent = successor;
    }
    replace_child(node->parent, node, successor);
    successor->parent = node->parent;
    successor->left = node->left;
    node->left->parent = successor;
    successor->red = node->red;
  } else {
    child = node->left != nullptr ? node->left : node->right;
    parent = node->parent;
    black_lost = !node->red;
    if (child != nullptr) child->parent = parent;
    replace_child(parent, node, child);
  }
  removed.linked = false;
  removed.parent = removed.left = removed.right = nullptr;
  if (black_lost) rebalance_after_erase(child, parent);
}

void RbTreeBase::rebalance_after_erase(RbLinks* node, RbLinks* parent) {
  const auto black = [](const RbLinks* links) { return links == nullptr || !links->red; };
  while (node != root_ && black(node)) {
    const bool left = node == parent->left;
    RbLinks* sibling = left ? parent->right : parent->left;
    if (sibling->red) {
      sibling->red = false;
      parent->red = true;
      left ? rotate_left(parent) : rotate_right(parent);
      sibling = left ? parent->right : parent->left;
    }
    if (black(sibling->left) && black(sibling->right)) {
      sibling->red = true;
      node = parent;
      parent = node->parent;
      continue;
    }
    if (black(left ? sibling->right : sibling->left)) {
      (left ? sibling->left : sibling->right)->red = false;
      sibling->red = true;
      left ? rotate_right(sibling) : rotate_left(sibling);
      sibling = left ? parent->right : parent->left;
    }
    sibling->red = parent->red;
    parent->red = false;
    (left ? sibling->right : sibling->left)->red = false;
    left ? rotate_left(parent) : rotate_right(parent);
    node = root_;
  }
  if (node != nullptr) node->red = false;
}

}  // namespace elvcheck
