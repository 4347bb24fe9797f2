/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_ASM_THREAD_INFO_H
#define ELVCHECK_ASM_THREAD_INFO_H
#define THREAD_SIZE 16384
#define THREAD_SIZE_ORDER 2
#define TIF_SYSCALL_TRACE 0
#define TIF_SIGPENDING 1
#define TIF_NEED_RESCHED 2
#define TIF_NOTIFY_RESUME 3
#define TIF_NOTIFY_SIGNAL 4
#define TIF_RESTORE_SIGMASK 5
#define TIF_POLLING_NRFLAG 6
#define TIF_MEMDIE 7
#define _TIF_SIGPENDING (1 << TIF_SIGPENDING)
#define _TIF_NEED_RESCHED (1 << TIF_NEED_RESCHED)
#ifndef __ASSEMBLY__
struct task_struct;
struct thread_info {
	unsigned long flags;
	unsigned long status;
	unsigned long syscall_work;
	struct task_struct *task;
	unsigned int cpu;
	int preempt_count;
};
extern struct thread_info elvk_thread_info;
#define current_thread_info() (&elvk_thread_info)
#endif
#endif
