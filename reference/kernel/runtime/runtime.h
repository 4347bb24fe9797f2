/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_KERNEL_RUNTIME_H
#define ELVCHECK_KERNEL_RUNTIME_H
/*
 * The runtime: out-of-line kernel functions that a block core and a scheduler call, defined without the kernel's headers, so
 * that one file can hold the names of all versions although their prototypes differ. Structures are opaque here; what must
 * look inside one is in glue/, compiled with the tree's headers, and is declared below.
 */
#include <stddef.h>
#include <stdint.h>

#include "abi.h"

typedef uint64_t u64;
typedef int64_t s64;
typedef uint32_t u32;

/* Of the runtime. */
extern const struct elvk_host *elvk_host;
extern void *elvk_layer;
extern int elvk_watched;
extern u64 elvk_clock_ns;
extern struct elvk_statistics elvk_stats;
_Noreturn void elvk_fatal(int kind, const char *format, ...);
void elvk_warn(const char *format, ...);
void *elvk_allocate(size_t size, int zero);
void elvk_release(const void *object);
size_t elvk_allocation_size(const void *object);
void elvk_rcu_drain(void);
int elvk_rcu_pending(void);
void elvk_lock_check(void);

/* Of the glue. */
void elvk_trace_settle(void);
extern unsigned int elvk_gfp_zero;
extern const int elvk_note_takes_group;
extern unsigned long elvk_irq_enabled;
extern void *elvk_current;
void elvk_set_jiffies(u64 clock_ns);
u64 elvk_tick_start(unsigned long jiffy);
unsigned long elvk_jiffies(void);
int elvk_timer_ignored(void *timer);
void elvk_timer_set(void *timer, unsigned long expires, int pending);
unsigned long elvk_timer_expires(void *timer);
int elvk_timer_pending(void *timer);
void elvk_timer_init(void *timer, void *function, unsigned int flags);
void elvk_timer_call(void *timer);
void elvk_hrtimer_init(void *timer, void *function);
void elvk_hrtimer_set(void *timer, s64 expires, int pending);
s64 elvk_hrtimer_expires(void *timer);
int elvk_hrtimer_queued(void *timer);
int elvk_hrtimer_call(void *timer);
int elvk_work_mark(void *work);
int elvk_work_clear(void *work);
void elvk_work_call(void *work);
void elvk_rcu_call(void *head, void *function);
void elvk_wait_init(void *head);
void elvk_wait_add(void *head, void *entry, int at_tail);
void elvk_wait_remove(void *head, void *entry);
int elvk_wait_queued(void *entry);
int elvk_wait_wake(void *head, unsigned int mode, int count, void *key);
void elvk_wait_entry_init(void *entry, int flags, void *function);
void elvk_wait_entry_wakes(void *entry, void *function);
void elvk_wait_entry_unlink(void *entry);
void *elvk_wait_task(void *entry);
int elvk_task_pid(void *task);
void elvk_task_run_idle(void);
void elvk_task_before_sleep(void *task);
void elvk_kobject_init(void *kobject, void *type);
void *elvk_kobject_get(void *kobject);
void elvk_kobject_put(void *kobject);
void *elvk_pages_allocate(unsigned int order);
void elvk_pages_free(void *page, unsigned int order);
void elvk_pages_free_address(void *block, unsigned int order);

#endif
