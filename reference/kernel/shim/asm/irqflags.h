/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_ASM_IRQFLAGS_H
#define ELVCHECK_ASM_IRQFLAGS_H
/* There are no interrupts; whether they would be on is kept, so that code that asks gets a consistent answer. */
#define ARCH_IRQ_DISABLED 0
#define ARCH_IRQ_ENABLED 1
extern unsigned long elvk_irq_enabled;
static inline unsigned long arch_local_save_flags(void)
{
	return elvk_irq_enabled;
}
static inline void arch_local_irq_restore(unsigned long flags)
{
	elvk_irq_enabled = flags;
}
static inline unsigned long arch_local_irq_save(void)
{
	unsigned long flags = elvk_irq_enabled;

	elvk_irq_enabled = 0;
	return flags;
}
static inline void arch_local_irq_enable(void)
{
	elvk_irq_enabled = 1;
}
static inline void arch_local_irq_disable(void)
{
	elvk_irq_enabled = 0;
}
static inline int arch_irqs_disabled_flags(unsigned long flags)
{
	return !flags;
}
static inline int arch_irqs_disabled(void)
{
	return !elvk_irq_enabled;
}
#endif
