/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_ASM_ATOMIC_H
#define ELVCHECK_ASM_ATOMIC_H
/*
 * 64-bit atomics for a single thread: asm-generic has them only as a table of spin locks. Trees with generated wrappers
 * (linux/atomic/, from 5.14) want the arch_ names, from which they derive the rest.
 */
#include <linux/types.h>
#ifndef ATOMIC64_INIT
#define ATOMIC64_INIT(i) {(i)}
#endif
#if __has_include(<linux/atomic/atomic-instrumented.h>)
#define ELVK_ATOMIC64(name) arch_atomic64_##name
#else
#define ELVK_ATOMIC64(name) atomic64_##name
#endif

static inline s64 ELVK_ATOMIC64(read)(const atomic64_t *v)
{
	return *(const volatile s64 *)&v->counter;
}
static inline void ELVK_ATOMIC64(set)(atomic64_t *v, s64 i)
{
	v->counter = i;
}
#define ELVK_ATOMIC64_OP(name, op)                                          \
	static inline void ELVK_ATOMIC64(name)(s64 i, atomic64_t *v)        \
	{                                                                   \
		v->counter = v->counter op i;                               \
	}                                                                   \
	static inline s64 ELVK_ATOMIC64(name##_return)(s64 i, atomic64_t *v) \
	{                                                                   \
		return v->counter = v->counter op i;                        \
	}                                                                   \
	static inline s64 ELVK_ATOMIC64(fetch_##name)(s64 i, atomic64_t *v) \
	{                                                                   \
		s64 old = v->counter;                                       \
		v->counter = old op i;                                      \
		return old;                                                 \
	}
ELVK_ATOMIC64_OP(add, +)
ELVK_ATOMIC64_OP(sub, -)
ELVK_ATOMIC64_OP(and, &)
ELVK_ATOMIC64_OP(or, |)
ELVK_ATOMIC64_OP(xor, ^)
#undef ELVK_ATOMIC64_OP
static inline s64 ELVK_ATOMIC64(xchg)(atomic64_t *v, s64 i)
{
	s64 old = v->counter;

	v->counter = i;
	return old;
}
static inline s64 ELVK_ATOMIC64(cmpxchg)(atomic64_t *v, s64 expected, s64 i)
{
	s64 old = v->counter;

	if (old == expected)
		v->counter = i;
	return old;
}

#if !__has_include(<linux/atomic/atomic-instrumented.h>) && !__has_include(<asm-generic/atomic-instrumented.h>)
/* Trees before 4.17 derive nothing. */
static inline s64 elvk_atomic64_add(s64 i, atomic64_t *v)
{
	return v->counter += i;
}
#define atomic64_inc(v) ((void)elvk_atomic64_add(1, v))
#define atomic64_dec(v) ((void)elvk_atomic64_add(-1, v))
#define atomic64_inc_return(v) elvk_atomic64_add(1, v)
#define atomic64_dec_return(v) elvk_atomic64_add(-1, v)
#define atomic64_inc_and_test(v) (elvk_atomic64_add(1, v) == 0)
#define atomic64_dec_and_test(v) (elvk_atomic64_add(-1, v) == 0)
#define atomic64_sub_and_test(i, v) (elvk_atomic64_add(-(s64)(i), v) == 0)
#define atomic64_add_negative(i, v) (elvk_atomic64_add(i, v) < 0)
static inline int atomic64_add_unless(atomic64_t *v, s64 i, s64 unless)
{
	if (v->counter == unless)
		return 0;
	v->counter += i;
	return 1;
}
#define atomic64_inc_not_zero(v) atomic64_add_unless(v, 1, 0)
#endif

#if __has_include(<linux/atomic/atomic-instrumented.h>)
#define arch_atomic64_read arch_atomic64_read
#define arch_atomic64_set arch_atomic64_set
#define arch_atomic64_add_return arch_atomic64_add_return
#define arch_atomic64_sub_return arch_atomic64_sub_return
#define arch_atomic64_fetch_add arch_atomic64_fetch_add
#define arch_atomic64_fetch_sub arch_atomic64_fetch_sub
#define arch_atomic64_fetch_and arch_atomic64_fetch_and
#define arch_atomic64_fetch_or arch_atomic64_fetch_or
#define arch_atomic64_fetch_xor arch_atomic64_fetch_xor
#define arch_atomic64_xchg arch_atomic64_xchg
#define arch_atomic64_cmpxchg arch_atomic64_cmpxchg
#endif
#include <asm-generic/atomic.h>
#endif
