/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_SINGLE_ASM_SEGMENT_H
#define ELVCHECK_SINGLE_ASM_SEGMENT_H
typedef struct {
	unsigned long seg;
} mm_segment_t;
#define MAKE_MM_SEG(s) ((mm_segment_t){(s)})
#define KERNEL_DS MAKE_MM_SEG(0)
#define USER_DS MAKE_MM_SEG(1)
#define get_ds() KERNEL_DS
#define get_fs() KERNEL_DS
#define set_fs(fs) ((void)(fs))
#define segment_eq(a, b) ((a).seg == (b).seg)
#define uaccess_kernel() 1
#endif
