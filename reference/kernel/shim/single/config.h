/* SPDX-License-Identifier: GPL-2.0-or-later */
/* On top of ../config.h: the single-queue block layer, with its schedulers. */
#undef CONFIG_SLUB
#define CONFIG_SLOB 1 /* its kmalloc() has no inline part that looks into caches */
#define CONFIG_IOSCHED_NOOP 1
#define CONFIG_IOSCHED_DEADLINE 1
#define CONFIG_IOSCHED_CFQ 1
/* A queue starts with the scheduler of this name; glue/single/queue.c sets it to the one that was registered. */
#define CONFIG_DEFAULT_IOSCHED ({ extern const char *elvk_default_scheduler; elvk_default_scheduler; })
#define CONFIG_LBDAF 1
#define CONFIG_RWSEM_GENERIC_SPINLOCK 1
