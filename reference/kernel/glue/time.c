/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the runtime's timers must know of the kernel's structures. */
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "glue.h"

#ifdef ELVK_NOTE_TAKES_GROUP
const int elvk_note_takes_group = 1;
#else
const int elvk_note_takes_group = 0;
#endif
unsigned int elvk_gfp_zero = (__force unsigned int)__GFP_ZERO;
unsigned long elvk_irq_enabled = 1;
struct thread_info elvk_thread_info;
unsigned long volatile jiffies = INITIAL_JIFFIES;
u64 jiffies_64 = INITIAL_JIFFIES;

elvk_u32 elvk_build_hz(void)
{
	return HZ;
}

/* Whole seconds apart, so that no product overflows and the ticks of 300 Hz do not drift. */
void elvk_set_jiffies(u64 clock_ns)
{
	u64 ticks = clock_ns / NSEC_PER_SEC * HZ + clock_ns % NSEC_PER_SEC * HZ / NSEC_PER_SEC;

	jiffies_64 = INITIAL_JIFFIES + ticks;
	jiffies = (unsigned long)jiffies_64;
}

unsigned long elvk_jiffies(void)
{
	return jiffies;
}

/* The first nanosecond at which jiffies has that value; 0 for a tick before the clock began. */
u64 elvk_tick_start(unsigned long jiffy)
{
	long ticks = (long)(jiffy - (unsigned long)INITIAL_JIFFIES);

	if (ticks < 0)
		return 0;
	return (u64)ticks / HZ * NSEC_PER_SEC + ((u64)ticks % HZ * NSEC_PER_SEC + HZ - 1) / HZ;
}

/* A timer is pending while its list entry is hashed; the runtime keeps no list, so any address will do. */
#ifdef ELVK_TIMER_HLIST
#define TIMER_LINK pprev
#else
#define TIMER_LINK next
#endif
void elvk_timer_set(void *object, unsigned long expires, int pending)
{
	struct timer_list *timer = object;

	if (pending)
		timer->expires = expires;
	timer->entry.TIMER_LINK = pending ? (void *)timer : NULL;
}

unsigned long elvk_timer_expires(void *object)
{
	return ((struct timer_list *)object)->expires;
}

int elvk_timer_pending(void *object)
{
	return timer_pending((struct timer_list *)object);
}

void elvk_timer_init(void *object, void *function, unsigned int flags)
{
	struct timer_list *timer = object;

#ifdef ELVK_TIMER_FUNCTION_TAKES_TIMER
	memset(timer, 0, sizeof(*timer));
	timer->function = function;
	timer->flags = flags;
#else /* up to 4.14 the function is no argument, and may be set already */
	timer->entry.TIMER_LINK = NULL;
#endif
}

void elvk_timer_call(void *object)
{
	struct timer_list *timer = object;

#ifdef ELVK_TIMER_FUNCTION_TAKES_TIMER
	timer->function(timer);
#else
	timer->function(timer->data);
#endif
}

void elvk_hrtimer_init(void *object, void *function)
{
	struct hrtimer *timer = object;

	memset(timer, 0, sizeof(*timer));
	timer->function = function;
}

void elvk_hrtimer_set(void *object, s64 expires, int pending)
{
	struct hrtimer *timer = object;

	if (pending)
		hrtimer_set_expires(timer, ns_to_ktime(expires));
	timer->state = pending ? HRTIMER_STATE_ENQUEUED : HRTIMER_STATE_INACTIVE;
}

s64 elvk_hrtimer_expires(void *object)
{
	return ktime_to_ns(hrtimer_get_expires((struct hrtimer *)object));
}

int elvk_hrtimer_queued(void *object)
{
	return ((struct hrtimer *)object)->state != HRTIMER_STATE_INACTIVE;
}

int elvk_hrtimer_call(void *object)
{
	struct hrtimer *timer = object;

	return timer->function(timer) == HRTIMER_RESTART;
}

/* Bit 0 of a work item's data says that it is queued, in every version. */
int elvk_work_mark(void *object)
{
	return test_and_set_bit(0, work_data_bits((struct work_struct *)object));
}

int elvk_work_clear(void *object)
{
	return test_and_clear_bit(0, work_data_bits((struct work_struct *)object));
}

void elvk_work_call(void *object)
{
	struct work_struct *work = object;

	work->func(work);
}

/* kfree_rcu() passes the offset of the head in its object in place of a function. */
void elvk_rcu_call(void *head, void *function)
{
	unsigned long offset = (unsigned long)function;

	if (offset < PAGE_SIZE)
		kfree((char *)head - offset);
	else
		((void (*)(void *))function)(head);
}

/* asm-generic takes longs for 32 bits unless it is told otherwise; then size_t shrinks silently. */
_Static_assert(sizeof(size_t) == sizeof(void *) && sizeof(long) == 8 && BITS_PER_LONG == 64 && sizeof(atomic_long_t) == 8 &&
		       __builtin_types_compatible_p(size_t, __SIZE_TYPE__),
	       "the fake architecture must have 64-bit longs");
