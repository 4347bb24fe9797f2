/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_ASM_CURRENT_H
#define ELVCHECK_ASM_CURRENT_H
/* The simulated process on whose behalf kernel code runs; glue/task.c sets it. */
struct task_struct;
extern struct task_struct *elvk_current;
#define current elvk_current
#define get_current() elvk_current
#endif
