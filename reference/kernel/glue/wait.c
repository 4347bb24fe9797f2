/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wait queues and reference counts of kobjects: the parts that look into the structures. */
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "glue.h"

#ifdef ELVK_WAIT_QUEUE_ENTRY
typedef struct wait_queue_entry wait_entry;
#define HEAD_LIST(queue) (&(queue)->head)
#define ENTRY_LINK entry
#else
typedef wait_queue_t wait_entry;
#define HEAD_LIST(queue) (&(queue)->task_list)
#define ENTRY_LINK task_list
#endif

void elvk_wait_init(wait_queue_head_t *queue)
{
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(HEAD_LIST(queue));
}

/* Exclusive waiters queue up at the tail. */
void elvk_wait_add(wait_queue_head_t *queue, wait_entry *entry, int at_tail)
{
	if (at_tail) {
		entry->flags |= WQ_FLAG_EXCLUSIVE;
		list_add_tail(&entry->ENTRY_LINK, HEAD_LIST(queue));
	} else {
		list_add(&entry->ENTRY_LINK, HEAD_LIST(queue));
	}
}

void elvk_wait_remove(wait_queue_head_t *queue, wait_entry *entry)
{
	if (!list_empty(&entry->ENTRY_LINK))
		list_del_init(&entry->ENTRY_LINK);
}

int elvk_wait_queued(wait_entry *entry)
{
	return !list_empty(&entry->ENTRY_LINK);
}

/* Wakes in order until `count` exclusive waiters have accepted; all if it is 0. */
int elvk_wait_wake(wait_queue_head_t *queue, unsigned int mode, int count, void *key)
{
	wait_entry *entry, *next;
	int woken = 0;

	list_for_each_entry_safe(entry, next, HEAD_LIST(queue), ENTRY_LINK) {
		const bool exclusive = entry->flags & WQ_FLAG_EXCLUSIVE;
		const int accepted = entry->func(entry, mode, 0, key);

		if (accepted < 0)
			break;
		woken += accepted != 0;
		if (accepted && exclusive && --count == 0)
			break;
	}
	return woken;
}

void elvk_wait_entry_init(wait_entry *entry, int flags, void *function)
{
	entry->flags = flags;
	entry->private = current;
	entry->func = function;
	INIT_LIST_HEAD(&entry->ENTRY_LINK);
}

/* Who is woken, and how; up to 4.8 the entry of wait_event() comes without. */
void elvk_wait_entry_wakes(wait_entry *entry, void *function)
{
	entry->private = current;
	entry->func = function;
}

void elvk_wait_entry_unlink(wait_entry *entry)
{
	list_del_init(&entry->ENTRY_LINK);
}

void *elvk_wait_task(wait_entry *entry)
{
	return entry->private;
}

void elvk_kobject_init(struct kobject *kobject, struct kobj_type *type)
{
	kref_init(&kobject->kref);
	INIT_LIST_HEAD(&kobject->entry);
	kobject->ktype = type;
	kobject->state_initialized = 1;
}

struct kobject *elvk_kobject_get(struct kobject *kobject)
{
	kref_get(&kobject->kref);
	return kobject;
}

static void release_kobject(struct kref *reference)
{
	struct kobject *kobject = container_of(reference, struct kobject, kref);

	if (kobject->ktype && kobject->ktype->release)
		kobject->ktype->release(kobject);
}

void elvk_kobject_put(struct kobject *kobject)
{
	kref_put(&kobject->kref, release_kobject);
}
