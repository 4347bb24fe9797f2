/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_ASM_PROCESSOR_H
#define ELVCHECK_ASM_PROCESSOR_H
struct pt_regs;
struct task_struct;
struct thread_struct {
	unsigned long unused;
};
#define INIT_THREAD {0}
#define TASK_SIZE 0x7fffffffffffUL
#define TASK_UNMAPPED_BASE (TASK_SIZE / 3)
#define STACK_TOP TASK_SIZE
#define STACK_TOP_MAX TASK_SIZE
#define KSTK_EIP(task) 0
#define KSTK_ESP(task) 0
#define task_pt_regs(task) ((struct pt_regs *)0)
static inline void cpu_relax(void)
{
}
#endif
