/* SPDX-License-Identifier: GPL-2.0-or-later */
#include_next <asm/pgtable.h>
#ifndef pgtable_cache_init
#define pgtable_cache_init() ((void)0)
#endif
