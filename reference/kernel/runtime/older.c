/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that only kernels up to 4.20 have, and functions that only their single-queue block layer calls. */
#include <string.h>

#include "runtime.h"

/* Memory. */
void *krealloc(const void *object, size_t size, unsigned int gfp)
{
	void *larger = elvk_allocate(size, (gfp & elvk_gfp_zero) != 0);

	if ((uintptr_t)object > 16) {
		const size_t old = elvk_allocation_size(object);
		memcpy(larger, object, old < size ? old : size);
		elvk_release(object);
	}
	return larger;
}
void *__alloc_pages_nodemask(unsigned int gfp, unsigned int order, void *zones, void *mask)
{
	return (void)gfp, (void)zones, (void)mask, elvk_pages_allocate(order);
}
void free_pages(unsigned long address, unsigned int order) { elvk_pages_free_address((void *)address, order); }

/* RCU under its older names. */
void call_rcu(void *head, void *function);
void call_rcu_sched(void *head, void *function) { call_rcu(head, function); }
void call_rcu_bh(void *head, void *function) { call_rcu(head, function); }
void rcu_barrier_sched(void) { elvk_rcu_drain(); }
void synchronize_sched(void) { elvk_rcu_drain(); }
void synchronize_sched_expedited(void) { elvk_rcu_drain(); }
void __wait_rcu_gp(_Bool checktiny, int n, void *functions, void *states)
{
	(void)checktiny, (void)n, (void)functions, (void)states;
	elvk_rcu_drain();
}
void wait_rcu_gp(void *function) { (void)function, elvk_rcu_drain(); }
void _cleanup_srcu_struct(void *domain, _Bool quiesced) { (void)domain, (void)quiesced; }
void cleanup_srcu_struct_quiesced(void *domain) { (void)domain; }

/* Timers and work queues. */
unsigned long round_jiffies_up(unsigned long jiffy) { return jiffy; }
_Bool hrtimer_active(void *timer) { return elvk_hrtimer_queued(timer); }
static char work_queue;
void *__create_workqueue_key(const char *name, ...) { return (void)name, &work_queue; }
_Bool queue_delayed_work_on(int cpu, void *queue, void *work, unsigned long ticks);
int queue_work(void *queue, void *work) { return queue_delayed_work_on(0, queue, work, 0); }
int queue_delayed_work(void *queue, void *work, unsigned long ticks) { return queue_delayed_work_on(0, queue, work, ticks); }
int schedule_work(void *work) { return queue_delayed_work_on(0, &work_queue, work, 0); }
void flush_scheduled_work(void) {}

/* Completions: nobody waits for one that is not there. */
void complete(void *completion) { (void)completion; }
void wait_for_completion(void *completion) { (void)completion; }

/* Numbers. */
int kstrtoull(const char *text, unsigned int base, u64 *value);
int strict_strtoul(const char *text, unsigned int base, u64 *value) { return kstrtoull(text, base, value); }

/* sysfs and identifiers. */
int sysfs_create_file(void *kobject, const void *attribute) { return (void)kobject, (void)attribute, 0; }
int ida_alloc_range(void *ida, unsigned int first, unsigned int last, unsigned int gfp);
void ida_free(void *ida, unsigned int id);
int ida_simple_get(void *ida, unsigned int start, unsigned int end, unsigned int gfp)
{
	return ida_alloc_range(ida, start, end ? end - 1 : ~0U, gfp);
}
void ida_simple_remove(void *ida, unsigned int id) { ida_free(ida, id); }
/* Weak: from 4.11 to 4.19 some of these are in the tree's radix tree. */
__attribute__((weak)) int ida_pre_get(void *ida, unsigned int gfp) { return (void)ida, (void)gfp, 1; }
__attribute__((weak)) int ida_get_new(void *ida, int *id)
{
	*id = ida_alloc_range(ida, 0, ~0U, 0);
	return 0;
}
__attribute__((weak)) void ida_remove(void *ida, int id) { ida_free(ida, (unsigned int)id); }
__attribute__((weak)) void ida_destroy(void *ida) { (void)ida; }
char ida_bitmap[64];

/* Every process has the usual nice level, and all memory is low. */
int task_nice(const void *task) { return (void)task, 0; }
unsigned long max_low_pfn = 1UL << 40, max_pfn = 1UL << 40;

/* The write-back side of a disk, its statistics and its entropy: nobody looks at them. */
int bdi_init(void *bdi) { return (void)bdi, 0; }
void bdi_destroy(void *bdi) { (void)bdi; }
void bdi_exit(void *bdi) { (void)bdi; }
void bdi_unregister(void *bdi) { (void)bdi; }
void set_bdi_congested(void *bdi, int sync) { (void)bdi, (void)sync; }
void clear_bdi_congested(void *bdi, int sync) { (void)bdi, (void)sync; }
void set_wb_congested(void *congested, int sync) { (void)congested, (void)sync; }
void clear_wb_congested(void *congested, int sync) { (void)congested, (void)sync; }
void laptop_mode_timer_fn(void *timer) { (void)timer; }
void add_disk_randomness(void *disk) { (void)disk; }
void blk_trace_shutdown(void *queue) { (void)queue; }
const char *bio_devname(void *bio, char *buffer) { return (void)bio, (void)buffer, "elvcheck"; }
