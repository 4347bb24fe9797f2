/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks, wait queues and sleeping. There is one thread, so a lock only has to be taken and released in turn, and none may be
 * held when an event ends; that is what is checked.
 */
#include <string.h>

#include "runtime.h"

enum { spin_held = 0x10c };
static long spin_locks_held;

static void take(void *lock)
{
	int *word = lock;

	if (*word == spin_held)
		elvk_fatal(ELVK_LOCK, "a spin lock was taken by its holder (the kernel would hang)");
	*word = spin_held;
	spin_locks_held++;
}
static void release(void *lock)
{
	int *word = lock;

	if (*word != spin_held)
		elvk_fatal(ELVK_LOCK, "a spin lock was released that nobody holds");
	*word = 0;
	spin_locks_held--;
}
void elvk_lock_check(void)
{
	if (spin_locks_held)
		elvk_fatal(ELVK_LOCK, "a spin lock is still held at the end of an event");
}

void __raw_spin_lock_init(void *lock, const char *name, void *key) { (void)name, (void)key, *(int *)lock = 0; }
void _raw_spin_lock(void *lock) { take(lock); }
void _raw_spin_lock_bh(void *lock) { take(lock); }
void _raw_spin_lock_irq(void *lock)
{
	elvk_irq_enabled = 0;
	take(lock);
}
unsigned long _raw_spin_lock_irqsave(void *lock)
{
	const unsigned long flags = elvk_irq_enabled;

	elvk_irq_enabled = 0;
	take(lock);
	return flags;
}
int _raw_spin_trylock(void *lock)
{
	if (*(int *)lock == spin_held)
		return 0;
	take(lock);
	return 1;
}
void _raw_spin_unlock(void *lock) { release(lock); }
void _raw_spin_unlock_bh(void *lock) { release(lock); }
void _raw_spin_unlock_irq(void *lock)
{
	release(lock);
	elvk_irq_enabled = 1;
}
void _raw_spin_unlock_irqrestore(void *lock, unsigned long flags)
{
	release(lock);
	elvk_irq_enabled = flags;
}
void do_raw_spin_lock(void *lock) { take(lock); }
void do_raw_spin_unlock(void *lock) { release(lock); }
int do_raw_spin_trylock(void *lock) { return _raw_spin_trylock(lock); }
int _atomic_dec_and_lock(int *counter, void *lock)
{
	if (*counter == 1)
		take(lock);
	return --*counter == 0;
}

/* Sleeping locks are never contended. */
void __mutex_init(void *mutex, const char *name, void *key) { (void)name, (void)key, memset(mutex, 0, sizeof(long)); }
void mutex_init_generic(void *mutex) { memset(mutex, 0, sizeof(long)); }
void mutex_lock(void *mutex) { (void)mutex; }
void mutex_unlock(void *mutex) { (void)mutex; }
int mutex_trylock(void *mutex) { return (void)mutex, 1; }
_Bool mutex_is_locked(void *mutex) { return (void)mutex, 1; }
void __init_rwsem(void *semaphore, const char *name, void *key) { (void)semaphore, (void)name, (void)key; }
void down_read(void *semaphore) { (void)semaphore; }
void up_read(void *semaphore) { (void)semaphore; }
void down_write(void *semaphore) { (void)semaphore; }
void up_write(void *semaphore) { (void)semaphore; }
void local_bh_enable(void) {}
void local_bh_disable(void) {}
void __local_bh_enable_ip(unsigned long ip, unsigned int count) { (void)ip, (void)count; }
void __local_bh_disable_ip(unsigned long ip, unsigned int count) { (void)ip, (void)count; }
int __cond_resched(void) { return 0; }
int _cond_resched(void) { return 0; }

/* Wait queues; what looks into the structures is in glue/wait.c. */
void __init_waitqueue_head(void *head, const char *name, void *key) { (void)name, (void)key, elvk_wait_init(head); }
void add_wait_queue(void *head, void *entry) { elvk_wait_add(head, entry, 0); }
void add_wait_queue_exclusive(void *head, void *entry) { elvk_wait_add(head, entry, 1); }
void remove_wait_queue(void *head, void *entry) { elvk_wait_remove(head, entry); }
int __wake_up(void *head, unsigned int mode, int count, void *key) { return elvk_wait_wake(head, mode, count, key); }
int __wake_up_locked(void *head, unsigned int mode, int count) { return elvk_wait_wake(head, mode, count, NULL); }
_Bool prepare_to_wait_exclusive(void *head, void *entry, int state)
{
	(void)state;
	if (!elvk_wait_queued(entry))
		elvk_wait_add(head, entry, 1);
	return 0;
}
void prepare_to_wait(void *head, void *entry, int state)
{
	(void)state;
	if (!elvk_wait_queued(entry))
		elvk_wait_add(head, entry, 0);
}
int autoremove_wake_function(void *entry, unsigned int mode, int sync, void *key);
long prepare_to_wait_event(void *head, void *entry, int state)
{
	elvk_wait_entry_wakes(entry, (void *)autoremove_wake_function);
	return prepare_to_wait(head, entry, state), 0;
}
void finish_wait(void *head, void *entry) { elvk_wait_remove(head, entry); }

int wake_up_process(void *task)
{
	elvk_host->wake(elvk_layer, elvk_task_pid(task));
	return 1;
}
int default_wake_function(void *entry, unsigned int mode, int sync, void *key)
{
	(void)mode, (void)sync, (void)key;
	return wake_up_process(elvk_wait_task(entry));
}
int autoremove_wake_function(void *entry, unsigned int mode, int sync, void *key)
{
	default_wake_function(entry, mode, sync, key);
	elvk_wait_entry_unlink(entry);
	return 1;
}
void init_wait_entry(void *entry, int flags) { elvk_wait_entry_init(entry, flags, (void *)autoremove_wake_function); }

/*
 * Sleeping. A wait for RCU is over at once. Otherwise the process's plug is flushed, as schedule() does, and elvcheck runs on
 * another stack until somebody wakes it.
 */
void io_schedule(void)
{
	void *const task = elvk_current;
	void *const layer = elvk_layer;

	if (elvk_rcu_pending()) {
		elvk_rcu_drain();
		return;
	}
	const int pid = elvk_task_pid(task);
	if (pid == 0)
		elvk_fatal(ELVK_STUCK, "the kernel waits for something that cannot happen any more");
	elvk_task_before_sleep(task);
	elvk_leave();
	elvk_host->sleep(layer, pid);
	elvk_current = task;
}
void schedule(void) { io_schedule(); }
long io_schedule_timeout(long ticks) { return io_schedule(), ticks; }
long schedule_timeout(long ticks) { return io_schedule(), ticks; }
void msleep(unsigned int milliseconds) { (void)milliseconds; }
