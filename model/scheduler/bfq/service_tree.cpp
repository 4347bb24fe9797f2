// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/bfq/service_tree.hpp"

namespace elvcheck::bfq {

void ServiceTree::insert(RbTreeBase& tree, Entity& entity) {
  RbLinks* parent = nullptr;
  bool as_left = false;
  for (RbLinks* at = tree.root(); at != nullptr; at = as_left ? at->left : at->right) {
    parent = at;
    as_left = Core::precedes(entity.stamps(), entity_of(at)->stamps());
  }
  entity.rb_node.owner = &entity;
  tree.insert(entity.rb_node, parent, as_left);
}

void ServiceTree::update_node(RbLinks* links) {
  Entity& entity = *entity_of(links);
  entity.min_start = entity.start;
  for (RbLinks* child : {links->right, links->left}) {
    if (child != nullptr && Concrete::after(entity.min_start, entity_of(child)->min_start))
      entity.min_start = entity_of(child)->min_start;
  }
}

/// From this node to the root, with the siblings on the way: rotations can have moved those too.
void ServiceTree::update_path(RbLinks* links) {
  for (;;) {
    update_node(links);
    RbLinks* parent = links->parent;
    if (parent == nullptr) return;
    if (links == parent->left && parent->right != nullptr)
      update_node(parent->right);
    else if (parent->left != nullptr)
      update_node(parent->left);
    links = parent;
  }
}

void ServiceTree::active_insert(Entity& entity) {
  insert(active_, entity);
  entity.tree = Entity::Tree::active;
  RbLinks* node = &entity.rb_node;
  update_path(node->left != nullptr ? node->left : node->right != nullptr ? node->right : node);
}

/// The deepest node whose subtree a removal of `node` can change; null if the tree gets empty.
RbLinks* ServiceTree::deepest_changed(RbLinks* node) {
  if (node->right == nullptr && node->left == nullptr) return node->parent;
  if (node->right == nullptr) return node->left;
  if (node->left == nullptr) return node->right;
  RbLinks* successor = RbTreeBase::next(node);
  if (successor->right != nullptr) return successor->right;
  return successor->parent != node ? successor->parent : successor;
}

void ServiceTree::active_extract(Entity& entity) {
  RbLinks* deepest = deepest_changed(&entity.rb_node);
  entity.tree = Entity::Tree::none;
  active_.erase(entity.rb_node);
  if (deepest != nullptr) update_path(deepest);
}

void ServiceTree::idle_insert(Entity& entity) {
  if (first_idle == nullptr || Concrete::after(first_idle->finish, entity.finish)) first_idle = &entity;
  if (last_idle == nullptr || Concrete::after(entity.finish, last_idle->finish)) last_idle = &entity;
  insert(idle_, entity);
  entity.tree = Entity::Tree::idle;
}

void ServiceTree::idle_extract(Entity& entity) {
  if (&entity == first_idle) first_idle = entity_of(RbTreeBase::next(&entity.rb_node));
  if (&entity == last_idle) last_idle = entity_of(RbTreeBase::prev(&entity.rb_node));
  entity.tree = Entity::Tree::none;
  idle_.erase(entity.rb_node);
}

template <class StepAt>
Entity* ServiceTree::search(VirtualTime threshold, StepAt step_at) const {
  Entity* best = nullptr;
  for (RbLinks* node = active_.root(); node != nullptr;) {
    Entity* const here = entity_of(node);
    const Entity* const left = entity_of(node->left);
    const auto step =
        step_at(here->start, left != nullptr, left != nullptr ? left->min_start : here->start, threshold, best != nullptr);
    if (step.takes) best = here;
    if (!step.goes_left && step.ends) break;
    node = step.goes_left ? node->left : node->right;
  }
  return best;
}

Entity* ServiceTree::eligible_shipped(VirtualTime threshold) const { return search(threshold, Core::shipped_step); }

Entity* ServiceTree::eligible_repaired(VirtualTime threshold) const { return search(threshold, Core::repaired_step); }

}  // namespace elvcheck::bfq
