/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration that elvcheck compiles a kernel tree with: one CPU, no MMU, blk-mq with every scheduler, no cgroups.
 * What is not defined is off, so no Kconfig run is needed. HZ, the compiler and the log are added by the build.
 */
#define CONFIG_64BIT 1
#define CONFIG_BLOCK 1
#define CONFIG_BASE_SMALL 0
#define CONFIG_FLATMEM 1
#define CONFIG_PRINTK 1
#define CONFIG_LOG_BUF_SHIFT 17
#define CONFIG_GENERIC_BUG 1
#define CONFIG_BUG 1
#define CONFIG_SYSFS 1
#define CONFIG_TINY_RCU 1
#define CONFIG_TINY_SRCU 1
#define CONFIG_SRCU 1
#define CONFIG_SLUB 1
#define CONFIG_NR_CPUS 1
#define CONFIG_PGTABLE_LEVELS 2
#define CONFIG_ARCH_USES_CFI_TRAPS 0
#define CONFIG_UACCESS_MEMCPY 1
#define CONFIG_TRACE_IRQFLAGS_SUPPORT 1
#define CONFIG_GENERIC_FIND_NEXT_BIT 1
/* Out-of-line spin locks: the runtime checks that each is taken and released in turn. */
#define CONFIG_DEBUG_SPINLOCK 1
#define CONFIG_MQ_IOSCHED_DEADLINE 1
#define CONFIG_MQ_IOSCHED_KYBER 1
#define CONFIG_IOSCHED_BFQ 1
#define CONFIG_BLK_ICQ 1
/* Gives the queue a place for a blk_trace, into which bfq writes its log. */
#define CONFIG_BLK_DEV_IO_TRACE 1
