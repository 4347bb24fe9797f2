/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's code says: printk, WARN, BUG, the scheduler's log, calls of functions that nobody provides. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime.h"

const struct elvk_host *elvk_host;
void *elvk_layer;
int elvk_watched;
struct elvk_statistics elvk_stats;

int elvk_abi_version(void) { return ELVK_ABI_VERSION; }

void elvk_enter(void *layer, elvk_u64 clock_ns, int watched)
{
	elvk_watched = watched;
	elvk_layer = layer;
	elvk_clock_ns = clock_ns;
	elvk_set_jiffies(clock_ns);
	elvk_task_run_idle();
}

void elvk_leave(void)
{
	elvk_trace_settle();
	elvk_rcu_drain();
	elvk_lock_check();
}

void elvk_get_statistics(struct elvk_statistics *out) { *out = elvk_stats; }

_Noreturn void elvk_fatal(int kind, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	elvk_host->trouble(elvk_layer, kind, text);
	abort();
}

void elvk_warn(const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	elvk_stats.warnings++;
	elvk_host->trouble(elvk_layer, ELVK_WARN, text);
}

/* The trap stubs that the build generates end here. */
void elvk_trap(const char *function)
{
	elvk_fatal(ELVK_UNMODELLED, "%s() was called, which elvcheck does not provide", function);
}

/* The last BUG() line is printed just before panic(); printk is silent otherwise. */
static char last_line[256];
static int print(const char *format, va_list arguments)
{
	if (format[0] == '\001' && format[1]) /* KERN_* prefix */
		format += 2;
	return vsnprintf(last_line, sizeof(last_line), format, arguments);
}
int _printk(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	const int length = print(format, arguments);
	va_end(arguments);
	return length;
}
int printk(const char *format, ...) __attribute__((alias("_printk")));
void panic(const char *format, ...) { (void)format, elvk_fatal(ELVK_BUG, "%s", last_line[0] ? last_line : format); }
void warn_slowpath_fmt(const char *file, int line, unsigned int taint, const char *format, ...)
{
	(void)taint, (void)format;
	elvk_warn("WARNING at %s:%d", file, line);
}
void warn_slowpath_null(const char *file, int line) { elvk_warn("WARNING at %s:%d", file, line); }
void __warn_printk(const char *format, ...) { elvk_warn("WARNING %s", format); }
void refcount_warn_saturate(void *counter, int kind)
{
	static const char *const kinds[] = {"an object without references got one", "too many references", "a reference to a freed object",
					    "more references dropped than taken", "a leak"};

	(void)counter;
	elvk_warn("reference count: %s", kind >= 0 && kind < 5 ? kinds[kind] : "saturated");
}
int ___ratelimit(void *state, const char *function) { return (void)state, (void)function, 1; }
void dump_stack(void) {}

/* bfq_log() and kin of the unmodified source: the queue has a blk_trace that leads here. */
static void log_line(const char *format, va_list arguments)
{
	char text[512];

	vsnprintf(text, sizeof(text), format, arguments);
	elvk_host->note(elvk_layer, format, text);
}
void __blk_trace_note_message(void *trace, void *css, const char *format, ...)
{
	va_list arguments;

	(void)trace, (void)css;
	va_start(arguments, format);
	log_line(format, arguments);
	va_end(arguments);
}
/* The format came right after the trace up to 4.13. */
void __trace_note_message(void *trace, const void *group_or_format, ...)
{
	const char *format = group_or_format;
	va_list arguments;

	(void)trace;
	va_start(arguments, group_or_format);
	if (elvk_note_takes_group)
		format = va_arg(arguments, const char *);
	log_line(format, arguments);
	va_end(arguments);
}
