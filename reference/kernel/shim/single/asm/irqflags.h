/* SPDX-License-Identifier: GPL-2.0-or-later */
#include_next <asm/irqflags.h>
#ifndef ELVCHECK_SINGLE_ASM_IRQFLAGS_H
#define ELVCHECK_SINGLE_ASM_IRQFLAGS_H
/* The names of 2.6; later trees have macros of some of these names on top of the arch_ functions. */
#if !__has_include(<linux/kconfig.h>)
#define raw_local_save_flags(flags) ((flags) = arch_local_save_flags())
#define raw_local_irq_save(flags) ((flags) = arch_local_irq_save())
#define raw_local_irq_restore(flags) arch_local_irq_restore(flags)
#define raw_local_irq_enable() arch_local_irq_enable()
#define raw_local_irq_disable() arch_local_irq_disable()
#define raw_irqs_disabled_flags(flags) arch_irqs_disabled_flags(flags)
#define raw_irqs_disabled() arch_irqs_disabled()
#endif
#endif
