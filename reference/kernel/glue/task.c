/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated processes: a task_struct with what the block layer looks at, and a plug. */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/cred.h>
#include <linux/iocontext.h>
#include <linux/ioprio.h>
#include <linux/sched.h>

#include "glue.h"

struct elvk_task {
	struct task_struct task;
#ifdef ELVK_TASK_PLUG
	struct blk_plug plug;
#endif
	int plugged; /* says that it will submit several bios */
};

struct task_struct *elvk_current;
static struct cred credentials;
static struct elvk_task *idle;

void *elvk_task_new(int pid)
{
	struct elvk_task *task = elvk_allocate(sizeof(*task), 1);

	task->task.pid = task->task.tgid = pid;
	task->task.group_leader = &task->task;
	task->task.cred = task->task.real_cred = &credentials;
	task->task.static_prio = task->task.normal_prio = task->task.prio = 120; /* nice 0 */
	spin_lock_init(&task->task.alloc_lock);
	return task;
}

void elvk_task_start(void)
{
	idle = elvk_task_new(0);
	elvk_current = &idle->task;
}

struct task_struct *elvk_idle_task(void)
{
	return &idle->task;
}

void elvk_task_run_idle(void)
{
	elvk_current = &idle->task;
}

int elvk_task_pid(struct task_struct *task)
{
	return task->pid;
}

static void finish_plug(struct elvk_task *task)
{
	task->plugged = 0;
#ifdef ELVK_TASK_PLUG
	if (task->task.plug)
		blk_finish_plug(&task->plug);
#endif
}

void elvk_task_free(void *object)
{
	struct elvk_task *task = object;

	elvk_current = &task->task;
	finish_plug(task);
	if (task->task.io_context)
		exit_io_context(&task->task);
	elvk_current = &idle->task;
	elvk_rcu_drain();
	elvk_release(task);
}

int elvk_task_set_ioprio(void *object, int ioprio)
{
	struct elvk_task *task = object;
	int error;

	elvk_current = &task->task;
	error = set_task_ioprio(&task->task, ioprio);
	elvk_current = &idle->task;
	return error;
}

void elvk_task_start_plug(void *object)
{
	struct elvk_task *task = object;

	elvk_current = &task->task;
	task->plugged = 1;
#ifdef ELVK_TASK_PLUG
	blk_start_plug(&task->plug);
#endif
	elvk_current = &idle->task;
}

void elvk_task_finish_plug(void *object)
{
	struct elvk_task *task = object;

	elvk_current = &task->task;
	finish_plug(task);
	elvk_current = &idle->task;
}

/* What schedule() does with the plug of a process that goes to sleep. */
void elvk_task_before_sleep(struct task_struct *task)
{
#if defined(ELVK_SCHEDULE_FLUSH_PLUG)
	blk_schedule_flush_plug(task);
#elif defined(ELVK_TASK_PLUG)
	if (task->plug)
		blk_flush_plug(task->plug, true);
#endif
}

int elvk_task_plugged(struct task_struct *task)
{
	return container_of(task, struct elvk_task, task)->plugged;
}

void elvk_task_flush_plug(void *object)
{
	struct elvk_task *task = object;

	elvk_current = &task->task;
	elvk_task_before_sleep(&task->task);
	elvk_current = &idle->task;
}
