// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/bfq/wf2q.hpp"

#include "model/scheduler/bfq/weight_core.hpp"

namespace elvcheck::bfq {

namespace {

constexpr std::size_t group_class = 1;  // BFQ_DEFAULT_GRP_CLASS: groups are best-effort
constexpr std::size_t idle_class = class_count - 1;

std::size_t class_index(const Entity& entity) { return entity.queue != nullptr ? entity.queue->class_index() : group_class; }

void set_stamps(Entity& entity, const Core::Stamps& stamps) {
  entity.start = stamps.start;
  entity.finish = stamps.finish;
}

bool stops_being_next(const Entity& entity) { return entity.queue != nullptr || entity.my_sched_data->active_entities == 1; }

}  // namespace

Wf2q::Wf2q(Owner& owner, const KernelTime& time, const Features& features)
    : owner_(owner), time_(time), features_(features) {
  root.class_idle_last_service = time.jiffies();
}

ServiceTree& Wf2q::service_tree(const Entity& entity) { return entity.sched_data->service_tree[class_index(entity)]; }

// Trees and lists.

void Wf2q::active_insert(ServiceTree& tree, Entity& entity) {
  tree.active_insert(entity);
  if (entity.queue != nullptr) active_list.push_front(*entity.queue);
  if (entity.sched_data != &root) ++entity.sched_data->active_entities;
}

void Wf2q::active_extract(ServiceTree& tree, Entity& entity) {
  tree.active_extract(entity);
  if (entity.queue != nullptr) QueueList::unlink(*entity.queue);
  if (entity.sched_data != &root) --entity.sched_data->active_entities;
}

void Wf2q::idle_insert(ServiceTree& tree, Entity& entity) {
  tree.idle_insert(entity);
  if (entity.queue != nullptr) idle_list.push_front(*entity.queue);
}

void Wf2q::idle_extract(ServiceTree& tree, Entity& entity) {
  tree.idle_extract(entity);
  if (entity.queue != nullptr) QueueList::unlink(*entity.queue);
}

/// The entity has no share any more. One that is in service loses its reference when its service ends.
void Wf2q::forget(ServiceTree& tree, Entity& entity, bool in_service) {
  entity.on_st_or_in_serv = false;
  tree.wsum -= entity.weight;
  if (entity.queue != nullptr && !in_service) owner_.put_queue(*entity.queue);
}

/// bfq_forget_idle(): one entity at most.
void Wf2q::forget_idle(ServiceTree& tree) {
  Entity* first = tree.first_idle;
  if (tree.active_empty() && tree.last_idle != nullptr && Core::forgotten(tree.last_idle->finish, tree.vtime))
    tree.vtime = tree.last_idle->finish;
  if (first != nullptr && Core::forgotten(first->finish, tree.vtime)) {
    idle_extract(tree, *first);
    forget(tree, *first, first == first->sched_data->in_service_entity);
  }
}

// Weights and classes.

ServiceTree& Wf2q::update_weight_prio(ServiceTree& old_tree, Entity& entity, bool class_too) {
  if (!entity.prio_changed) return old_tree;
  Queue* bfqq = entity.queue;
  old_tree.wsum -= entity.weight;
  if (entity.new_weight != entity.orig_weight) {
    entity.new_weight = WeightCore<Concrete>::clamped(entity.new_weight);
    entity.orig_weight = entity.new_weight;
    if (bfqq != nullptr) bfqq->ioprio = WeightCore<Concrete>::to_ioprio(entity.orig_weight);
  }
  if (bfqq != nullptr && class_too) bfqq->ioprio_class = bfqq->new_ioprio_class;
  if (bfqq == nullptr || bfqq->ioprio_class == bfqq->new_ioprio_class) entity.prio_changed = false;

  ServiceTree& new_tree = service_tree(entity);
  const std::int64_t weight = WeightCore<Concrete>::raised(entity.orig_weight, bfqq != nullptr ? bfqq->wr.wr_coeff : 1);
  const bool changed = weight != entity.weight && bfqq != nullptr;
  if (changed) owner_.weight_uncounted(*bfqq);
  entity.weight = weight;
  if (changed && bfqq->wr.wr_coeff == 1) owner_.weight_counted(*bfqq);
  new_tree.wsum += entity.weight;
  if (&new_tree != &old_tree) entity.start = new_tree.vtime;
  return new_tree;
}

// Activation.

void Wf2q::update_finish_and_enqueue(Entity& entity, ServiceTree& tree, bool backshifted) {
  ServiceTree& target = update_weight_prio(tree, entity, true);
  set_stamps(entity, Core::enqueue(entity.start, entity.budget, entity.weight, target.vtime, backshifted,
                                   entity.queue != nullptr ? entity.queue->wr.wr_coeff : 1));
  active_insert(target, entity);
}

void Wf2q::activate_entity(Entity& entity, bool resumes_budget) {
  ServiceTree& tree = service_tree(entity);
  const bool backshifted = Core::backshifts(resumes_budget, tree.vtime, entity.finish);
  const bool remembered = entity.tree == Entity::Tree::idle;
  entity.start = Core::activation_start(tree.vtime, entity.finish, remembered, backshifted);
  if (remembered) {
    idle_extract(tree, entity);
  } else {
    tree.wsum += entity.weight;
    if (entity.queue != nullptr) ++entity.queue->ref;
    entity.on_st_or_in_serv = true;
  }
  if (entity.queue == nullptr && !entity.in_groups_with_pending_reqs) {
    entity.in_groups_with_pending_reqs = true;
    ++groups_with_pending_reqs;
  }
  update_finish_and_enqueue(entity, tree, backshifted);
}

void Wf2q::requeue_entity(Entity& entity) {
  ServiceTree& tree = service_tree(entity);
  if (&entity == entity.sched_data->in_service_entity) {
    set_stamps(entity, Core::charged(entity.start, entity.service, entity.weight));
    if (entity.tree != Entity::Tree::none) active_extract(tree, entity);
  } else {
    active_extract(tree, entity);
  }
  update_finish_and_enqueue(entity, tree, false);
}

void Wf2q::activate_requeue(Entity& leaf, bool resumes_budget, bool requeue, bool expiration) {
  for (Entity* entity = &leaf; entity != nullptr; entity = entity->parent) {
    SchedData& sched_data = *entity->sched_data;
    if (sched_data.in_service_entity == entity || entity->tree == Entity::Tree::active)
      requeue_entity(*entity);
    else
      activate_entity(*entity, resumes_budget);
    if (!update_next_in_service(sched_data, entity, expiration) && !requeue) break;
  }
}

void Wf2q::activate(Queue& bfqq) {
  activate_requeue(bfqq.entity, bfqq.non_blocking_wait_rq, false, false);
  bfqq.non_blocking_wait_rq = false;
}

void Wf2q::requeue(Queue& bfqq, bool in_service, bool expiration) {
  activate_requeue(bfqq.entity, false, in_service, expiration);
}

// Deactivation.

bool Wf2q::deactivate_entity(Entity& entity, bool into_idle_tree) {
  if (!entity.on_st_or_in_serv) return false;
  ServiceTree& tree = service_tree(entity);
  const bool in_service = &entity == entity.sched_data->in_service_entity;
  entity.finish = Core::finish(entity.start, entity.service, entity.weight);
  if (in_service)
    entity.sched_data->in_service_entity = nullptr;
  else
    entity.service = 0;
  if (entity.tree == Entity::Tree::active)
    active_extract(tree, entity);
  else if (!in_service && entity.tree == Entity::Tree::idle)
    idle_extract(tree, entity);
  if (!into_idle_tree || Core::forgotten(entity.finish, tree.vtime))
    forget(tree, entity, in_service);
  else
    idle_insert(tree, entity);
  return true;
}

void Wf2q::deactivate(Queue& bfqq, bool into_idle_tree, bool expiration) {
  Entity* entity = &bfqq.entity;
  Entity* parent = nullptr;
  for (; entity != nullptr; entity = parent) {
    parent = entity->parent;
    SchedData& sched_data = *entity->sched_data;
    if (!deactivate_entity(*entity, into_idle_tree)) return;
    if (sched_data.next_in_service == entity) update_next_in_service(sched_data, nullptr, expiration);
    if (sched_data.next_in_service != nullptr || sched_data.in_service_entity != nullptr) break;
    into_idle_tree = true;
  }
  // The group keeps being backlogged; its budget is now another child's.
  for (entity = parent; entity != nullptr; entity = entity->parent) {
    requeue_entity(*entity);
    if (!update_next_in_service(*entity->sched_data, entity, expiration) && !expiration) break;
  }
}

// Service.

void Wf2q::served(Queue& bfqq, std::int64_t sectors) {
  for (Entity* entity = &bfqq.entity; entity != nullptr; entity = entity->parent) {
    ServiceTree& tree = service_tree(*entity);
    entity->service += sectors;
    tree.vtime = Core::advance(tree.vtime, sectors, tree.wsum);
    forget_idle(tree);
  }
}

bool Wf2q::update_parent_budget(const Entity& next) {
  Entity* group = next.sched_data->group_entity;
  if (group == nullptr) return false;
  const bool shrinks = group->budget > next.budget;
  group->budget = next.budget;
  return shrinks;
}

/// bfq_update_next_in_service(): true if the level above may have to choose anew.
bool Wf2q::update_next_in_service(SchedData& sched_data, Entity* changed, bool expiration) {
  Entity* next = sched_data.next_in_service;
  bool accepted = false;
  if (changed != nullptr && changed != next) {
    accepted = next == nullptr || (class_index(*changed) == class_index(*next) &&
                                   Core::eligible(changed->start, service_tree(*changed).vtime) &&
                                   Core::precedes(changed->stamps(), next->stamps()));
    if (accepted) next = changed;
  }
  if (!accepted) next = lookup_next(sched_data, expiration);
  bool parent_may_change = false;
  if (next != nullptr) {
    const bool shrinks = update_parent_budget(*next);
    parent_may_change = sched_data.next_in_service == nullptr || shrinks;
  }
  sched_data.next_in_service = next;
  return parent_may_change;
}

Entity* Wf2q::lookup_in(ServiceTree& tree, bool in_service) {
  if (tree.active_empty()) return nullptr;
  const VirtualTime threshold = Core::jump(tree.vtime, tree.least_start());
  if (!in_service && static_cast<std::uint64_t>(threshold) > static_cast<std::uint64_t>(tree.vtime)) {
    tree.vtime = threshold;
    forget_idle(tree);
  }
  return features_.repaired_search ? tree.eligible_repaired(threshold) : tree.eligible_shipped(threshold);
}

Entity* Wf2q::lookup_next(SchedData& sched_data, bool expiration) {
  std::size_t index = 0;
  if (features_.idle_class_turn && time_.before_now(sched_data.class_idle_last_service + time_.hz() / 5)) {
    if (!sched_data.service_tree[idle_class].active_empty()) index = idle_class;
    sched_data.class_idle_last_service = time_.jiffies();
  }
  const bool in_service = sched_data.in_service_entity != nullptr && !expiration;
  for (; index < class_count; ++index) {
    if (Entity* entity = lookup_in(sched_data.service_tree[index], in_service)) return entity;
  }
  return nullptr;
}

Queue& Wf2q::next_queue() {
  Entity* entity = nullptr;
  for (SchedData* level = &root; level != nullptr; level = entity->my_sched_data) {
    entity = level->next_in_service;
    level->in_service_entity = entity;
    if (stops_being_next(*entity)) active_extract(service_tree(*entity), *entity);
  }
  Queue& bfqq = *entity->queue;
  for (; entity != nullptr; entity = entity->parent) {
    if (!update_next_in_service(*entity->sched_data, nullptr, false)) break;
  }
  return bfqq;
}

void Wf2q::reset_in_service(Queue& bfqq) {
  for (Entity* entity = &bfqq.entity; entity != nullptr; entity = entity->parent)
    entity->sched_data->in_service_entity = nullptr;
}

}  // namespace elvcheck::bfq
