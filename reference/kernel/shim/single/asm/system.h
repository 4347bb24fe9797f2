/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_SINGLE_ASM_SYSTEM_H
#define ELVCHECK_SINGLE_ASM_SYSTEM_H
/* One thread: what the compiler must not reorder is all that a barrier is for. */
#include <linux/types.h>
#include <asm/irqflags.h>
#define mb() barrier()
#define rmb() barrier()
#define wmb() barrier()
#define smp_mb() barrier()
#define smp_rmb() barrier()
#define smp_wmb() barrier()
#define smp_read_barrier_depends() ((void)0)
#define read_barrier_depends() ((void)0)
#define set_mb(variable, value) ((variable) = (value))
#define nop() ((void)0)
#define arch_align_stack(sp) (sp)
#define xchg(to, value)                          \
	({                                       \
		__typeof__(*(to)) old_ = *(to);  \
		*(to) = (value);                 \
		old_;                            \
	})
#define cmpxchg(to, expected, value)             \
	({                                       \
		__typeof__(*(to)) old_ = *(to);  \
		if (old_ == (expected))          \
			*(to) = (value);         \
		old_;                            \
	})
#define cmpxchg_local cmpxchg
#define cmpxchg64 cmpxchg
struct task_struct;
#define switch_to(from, to, last) ((void)0)
#endif
