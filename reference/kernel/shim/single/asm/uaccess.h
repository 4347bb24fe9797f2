/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_SINGLE_ASM_UACCESS_H
#define ELVCHECK_SINGLE_ASM_UACCESS_H
/* User memory is memory. Trees from 4.12 on build their functions on the raw ones, older ones on the others. */
#include <linux/string.h>
#include <asm/segment.h>
#ifndef VERIFY_READ
#define VERIFY_READ 0
#define VERIFY_WRITE 1
#endif
#define access_ok(...) 1
#define get_user(to, from) ((to) = *(from), 0)
#define put_user(value, to) (*(to) = (value), 0)
#define __get_user(to, from) get_user(to, from)
#define __put_user(value, to) put_user(value, to)

static inline unsigned long raw_copy_from_user(void *to, const void *from, unsigned long size)
{
	memcpy(to, from, size);
	return 0;
}
static inline unsigned long raw_copy_to_user(void *to, const void *from, unsigned long size)
{
	memcpy(to, from, size);
	return 0;
}
#define INLINE_COPY_FROM_USER
#define INLINE_COPY_TO_USER
#if !__has_include(<linux/tee_drv.h>) /* a header of 4.12 */
#define copy_from_user(to, from, size) raw_copy_from_user(to, from, size)
#define copy_to_user(to, from, size) raw_copy_to_user(to, from, size)
#define __copy_from_user(to, from, size) raw_copy_from_user(to, from, size)
#define __copy_to_user(to, from, size) raw_copy_to_user(to, from, size)
#define __copy_from_user_inatomic(to, from, size) raw_copy_from_user(to, from, size)
#define __copy_to_user_inatomic(to, from, size) raw_copy_to_user(to, from, size)
#define clear_user(to, size) (memset(to, 0, size), 0)
#define __clear_user(to, size) clear_user(to, size)
#define strncpy_from_user(to, from, size) (strncpy(to, from, size), (long)strlen(to))
#define strnlen_user(text, size) strnlen(text, size)
#define strlen_user(text) strlen(text)
#endif
#endif
