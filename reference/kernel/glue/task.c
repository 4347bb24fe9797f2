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
	struct blk_plug plug;
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

void elvk_task_free(void *object)
{
	struct elvk_task *task = object;

	elvk_current = &task->task;
	if (task->task.plug)
		blk_finish_plug(&task->plug);
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
	blk_start_plug(&task->plug);
	elvk_current = &idle->task;
}

void elvk_task_finish_plug(void *object)
{
	struct elvk_task *task = object;

	elvk_current = &task->task;
	if (task->task.plug)
		blk_finish_plug(&task->plug);
	elvk_current = &idle->task;
}

/* What schedule() does with the plug of a process that goes to sleep. */
void elvk_task_before_sleep(struct task_struct *task)
{
	if (task->plug)
		blk_flush_plug(task->plug, true);
}

void elvk_task_flush_plug(void *object)
{
	struct elvk_task *task = object;

	elvk_current = &task->task;
	elvk_task_before_sleep(&task->task);
	elvk_current = &idle->task;
}
