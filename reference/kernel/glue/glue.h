/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_KERNEL_GLUE_H
#define ELVCHECK_KERNEL_GLUE_H
/* Shared by the files that are compiled with the tree's headers. */
#include <linux/types.h>

#include "abi.h"

struct block_device;
struct request;
struct request_queue;
struct task_struct;

/* Of the runtime. */
extern const struct elvk_host *elvk_host;
extern void *elvk_layer;
extern int elvk_watched;
extern struct elvk_statistics elvk_stats;
void *elvk_allocate(unsigned long size, int zero);
void elvk_release(const void *object);
void elvk_rcu_drain(void);
void elvk_fatal(int kind, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Of the glue. */
extern struct task_struct *elvk_current;
void elvk_pages_start(void);
struct page *elvk_some_page(void);
void elvk_task_start(void);
struct task_struct *elvk_idle_task(void);
int elvk_task_plugged(struct task_struct *task);
struct block_device *elvk_queue_bdev(void *queue);
int elvk_timer_ignored(void *timer);

/* The operation and flags of a request or bio in elvcheck's numbers. */
elvk_u32 elvk_op_of(unsigned int opf);
elvk_u32 elvk_flags_of(unsigned int opf);
unsigned int elvk_opf_of(elvk_u32 op, elvk_u32 flags);

#endif
