/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_SINGLE_ASM_TIMEX_H
#define ELVCHECK_SINGLE_ASM_TIMEX_H
typedef unsigned long cycles_t;
#define get_cycles() ((cycles_t)0)
#define random_get_entropy() 0UL
/* Of the clock chip that early trees derive the length of a tick from: a multiple of every HZ, so that ticks are whole. */
#define CLOCK_TICK_RATE 1200000
#endif
