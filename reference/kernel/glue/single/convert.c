/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between ticks and milliseconds, for trees before 3.9, whose constants come from a program that today's perl refuses: a
 * duration in ticks is rounded up.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>

#if !__has_include("generated/timeconst.h")
unsigned long msecs_to_jiffies(const unsigned int milliseconds)
{
	if ((int)milliseconds < 0)
		return MAX_JIFFY_OFFSET;
	return ((unsigned long)milliseconds * HZ + MSEC_PER_SEC - 1) / MSEC_PER_SEC;
}

unsigned int jiffies_to_msecs(const unsigned long ticks)
{
	return ticks * MSEC_PER_SEC / HZ;
}
#endif
