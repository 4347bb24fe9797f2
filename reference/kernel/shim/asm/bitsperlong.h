/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_ASM_BITSPERLONG_H
#define ELVCHECK_ASM_BITSPERLONG_H
/* asm-generic assumes 32 bits, and size_t would silently shrink with it. */
#ifndef __BITS_PER_LONG
#define __BITS_PER_LONG 64
#endif
#include <asm-generic/bitsperlong.h>
#endif
