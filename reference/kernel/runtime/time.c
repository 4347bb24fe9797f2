/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks, timers, work items and RCU, all under elvcheck's virtual clock. Tick timers and delayed work expire at the start of a
 * tick; work queued for now runs after the current event; RCU callbacks run when the current event ends.
 */
#include <stdlib.h>

#include "runtime.h"

u64 elvk_clock_ns;

s64 ktime_get(void) { return (s64)elvk_clock_ns; }
s64 ktime_get_with_offset(int offset) { return (void)offset, (s64)elvk_clock_ns; }
s64 ktime_get_coarse_with_offset(int offset) { return (void)offset, (s64)elvk_clock_ns; }
s64 ktime_get_real(void) { return (s64)elvk_clock_ns; }
u64 ktime_get_raw_fast_ns(void) { return elvk_clock_ns; }
u64 ktime_get_mono_fast_ns(void) { return elvk_clock_ns; }
s64 ktime_get_real_seconds(void) { return (s64)(elvk_clock_ns / 1000000000); }
u64 sched_clock(void) { return elvk_clock_ns; }
u64 local_clock(void) { return elvk_clock_ns; }

static void schedule_event(int kind, void *object, u64 clock_ns) { elvk_host->schedule(elvk_layer, kind, object, clock_ns); }
static int cancel_event(int kind, void *object) { return elvk_host->cancel(elvk_layer, kind, object); }

void elvk_fire(int kind, void *object)
{
	switch (kind) {
	case ELVK_TIMER:
		elvk_timer_set(object, 0, 0);
		elvk_timer_call(object);
		break;
	case ELVK_HRTIMER:
		elvk_stats.hrtimers_fired++;
		elvk_hrtimer_set(object, 0, 0);
		if (elvk_hrtimer_call(object)) {
			elvk_hrtimer_set(object, elvk_hrtimer_expires(object), 1);
			schedule_event(kind, object, (u64)elvk_hrtimer_expires(object));
		}
		break;
	case ELVK_WORK:
		elvk_stats.works_run++;
		elvk_work_clear(object);
		elvk_work_call(object);
		break;
	}
}

/* Tick timers. */
int mod_timer(void *timer, unsigned long expires)
{
	const int was_pending = elvk_timer_pending(timer);

	elvk_timer_set(timer, expires, 1);
	if (!elvk_timer_ignored(timer))
		schedule_event(ELVK_TIMER, timer, elvk_tick_start(expires));
	return was_pending;
}
int mod_timer_pending(void *timer, unsigned long expires) { return elvk_timer_pending(timer) ? mod_timer(timer, expires) : 0; }
int timer_reduce(void *timer, unsigned long expires)
{
	if (elvk_timer_pending(timer) && (long)(elvk_timer_expires(timer) - expires) <= 0)
		return 1;
	return mod_timer(timer, expires);
}
void add_timer(void *timer) { mod_timer(timer, elvk_timer_expires(timer)); }
int del_timer(void *timer)
{
	const int was_pending = elvk_timer_pending(timer);

	if (was_pending) {
		elvk_timer_set(timer, elvk_timer_expires(timer), 0);
		cancel_event(ELVK_TIMER, timer);
	}
	return was_pending;
}
int del_timer_sync(void *timer) { return del_timer(timer); }
int timer_delete(void *timer) { return del_timer(timer); }
int timer_delete_sync(void *timer) { return del_timer(timer); }
int timer_shutdown_sync(void *timer) { return del_timer(timer); }
int try_to_del_timer_sync(void *timer) { return del_timer(timer); }
void init_timer_key(void *timer, void *function, unsigned int flags, const char *name, void *key)
{
	(void)name, (void)key;
	elvk_timer_init(timer, function, flags);
}

/* High-resolution timers; bit 0 of the mode means a relative time in every version. */
void hrtimer_init(void *timer, int clock, int mode) { (void)clock, (void)mode, elvk_hrtimer_init(timer, NULL); }
void hrtimer_setup(void *timer, void *function, int clock, int mode)
{
	(void)clock, (void)mode, elvk_hrtimer_init(timer, function);
}
void hrtimer_start_range_ns(void *timer, s64 time, u64 slack, int mode)
{
	const u64 expires = mode & 1 ? elvk_clock_ns + (u64)time : (u64)time;

	(void)slack;
	elvk_stats.hrtimers_started++;
	elvk_hrtimer_set(timer, (s64)expires, 1);
	schedule_event(ELVK_HRTIMER, timer, expires);
}
int hrtimer_try_to_cancel(void *timer)
{
	if (!cancel_event(ELVK_HRTIMER, timer))
		return 0;
	elvk_hrtimer_set(timer, 0, 0);
	return 1;
}
int hrtimer_cancel(void *timer) { return hrtimer_try_to_cancel(timer); }

/* Work items. All work queues are the one event queue. */
static char work_queue;
void *system_wq = &work_queue, *system_highpri_wq = &work_queue, *system_unbound_wq = &work_queue,
     *system_power_efficient_wq = &work_queue;
void *alloc_workqueue(const char *format, unsigned int flags, int active, ...)
{
	return (void)format, (void)flags, (void)active, &work_queue;
}
void *__alloc_workqueue_key(const char *format, ...) { return (void)format, &work_queue; }
void destroy_workqueue(void *queue) { (void)queue; }

static u64 delayed(unsigned long ticks) { return ticks ? elvk_tick_start(elvk_jiffies() + ticks) : elvk_clock_ns; }
_Bool queue_delayed_work_on(int cpu, void *queue, void *work, unsigned long ticks)
{
	(void)cpu, (void)queue;
	if (elvk_work_mark(work))
		return 0;
	schedule_event(ELVK_WORK, work, delayed(ticks));
	return 1;
}
_Bool queue_work_on(int cpu, void *queue, void *work) { return queue_delayed_work_on(cpu, queue, work, 0); }
_Bool mod_delayed_work_on(int cpu, void *queue, void *work, unsigned long ticks)
{
	const int was_pending = elvk_work_mark(work);

	(void)cpu, (void)queue;
	schedule_event(ELVK_WORK, work, delayed(ticks));
	return was_pending;
}
_Bool cancel_work(void *work) { return elvk_work_clear(work), cancel_event(ELVK_WORK, work); }
_Bool cancel_work_sync(void *work) { return cancel_work(work); }
_Bool cancel_delayed_work(void *work) { return cancel_work(work); }
_Bool cancel_delayed_work_sync(void *work) { return cancel_work(work); }
_Bool flush_work(void *work)
{
	const _Bool was_pending = cancel_work(work);

	if (was_pending)
		elvk_work_call(work);
	return was_pending;
}
_Bool flush_delayed_work(void *work) { return flush_work(work); }
void flush_workqueue(void *queue) { (void)queue; }
void __flush_workqueue(void *queue) { (void)queue; }
void delayed_work_timer_fn(void *timer) { (void)timer; }

/* RCU: with one thread a grace period has passed as soon as the current event is over. */
static struct callback {
	void *head, *function;
} *callbacks;
static size_t callback_count, callback_room;

void call_rcu(void *head, void *function)
{
	if (callback_count == callback_room) {
		callback_room = callback_room ? 2 * callback_room : 64;
		callbacks = realloc(callbacks, callback_room * sizeof(*callbacks));
		if (!callbacks)
			elvk_fatal(ELVK_BUG, "out of memory");
	}
	callbacks[callback_count++] = (struct callback){head, function};
}
int elvk_rcu_pending(void) { return callback_count != 0; }
void elvk_rcu_drain(void)
{
	/* A callback may add callbacks, and may move the array. */
	for (size_t i = 0; i < callback_count; i++)
		elvk_rcu_call(callbacks[i].head, callbacks[i].function);
	callback_count = 0;
}
void call_rcu_hurry(void *head, void *function) { call_rcu(head, function); }
void call_srcu(void *domain, void *head, void *function) { (void)domain, call_rcu(head, function); }
/* The address of the head and, for kfree_rcu with one argument, nothing else is known. */
void kvfree_call_rcu(void *head, void *object) { (void)head, elvk_release(object); }
void synchronize_rcu(void) { elvk_rcu_drain(); }
void synchronize_rcu_expedited(void) { elvk_rcu_drain(); }
void synchronize_srcu(void *domain) { (void)domain, elvk_rcu_drain(); }
void rcu_barrier(void) { elvk_rcu_drain(); }
int init_srcu_struct(void *domain) { return (void)domain, 0; }
void cleanup_srcu_struct(void *domain) { (void)domain; }
int __srcu_read_lock(void *domain) { return (void)domain, 0; }
void __srcu_read_unlock(void *domain, int index) { (void)domain, (void)index; }
