/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small kernel services: strings, numbers, random numbers, kobjects, identifiers, and what has no effect in a simulation. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

/* Strings. */
char *strim(char *text)
{
	size_t length = strlen(text);

	while (length && (text[length - 1] == '\n' || text[length - 1] == ' '))
		text[--length] = 0;
	while (*text == ' ')
		text++;
	return text;
}
char *strstrip(char *text) { return strim(text); }
long strscpy(char *to, const char *from, size_t room)
{
	const size_t length = strlen(from);

	if (room == 0)
		return -7; /* E2BIG */
	const size_t copied = length < room ? length : room - 1;
	memcpy(to, from, copied);
	to[copied] = 0;
	return length < room ? (long)length : -7;
}
long sized_strscpy(char *to, const char *from, size_t room) { return strscpy(to, from, room); }
size_t elvk_strlcpy(char *to, const char *from, size_t room)
{
	if (room)
		strscpy(to, from, room);
	return strlen(from);
}
size_t strlcpy(char *to, const char *from, size_t room) __attribute__((alias("elvk_strlcpy")));

/* Numbers: EINVAL for what is not one, ERANGE for what does not fit, one trailing newline allowed. */
enum { einval = -22, erange = -34 };
static int parse(const char *text, int base, s64 *value)
{
	char *end;

	*value = strtoll(text, &end, base);
	if (end == text)
		return einval;
	if (*end == '\n')
		end++;
	return *end ? einval : 0;
}
int kstrtoll(const char *text, unsigned int base, s64 *value) { return parse(text, (int)base, value); }
int kstrtoull(const char *text, unsigned int base, u64 *value)
{
	s64 number;
	const int error = *text == '-' ? einval : parse(text, (int)base, &number);

	if (!error)
		*value = (u64)number;
	return error;
}
int kstrtoint(const char *text, unsigned int base, int *value)
{
	s64 number;
	const int error = parse(text, (int)base, &number);

	if (error)
		return error;
	if (number != (int)number)
		return erange;
	*value = (int)number;
	return 0;
}
int kstrtouint(const char *text, unsigned int base, unsigned int *value)
{
	u64 number;
	const int error = kstrtoull(text, base, &number);

	if (error)
		return error;
	if (number != (unsigned int)number)
		return erange;
	*value = (unsigned int)number;
	return 0;
}
unsigned long simple_strtoul(const char *text, char **end, unsigned int base) { return strtoul(text, end, (int)base); }
long simple_strtol(const char *text, char **end, unsigned int base) { return strtol(text, end, (int)base); }
int sysfs_emit(char *page, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	const int length = vsnprintf(page, 4096, format, arguments);
	va_end(arguments);
	return length;
}
int scnprintf(char *to, size_t room, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	const int length = vsnprintf(to, room, format, arguments);
	va_end(arguments);
	return length < (int)room ? length : (int)room - 1;
}
int seq_printf_unused;
void seq_printf(void *file, const char *format, ...) { (void)file, (void)format; }
void seq_puts(void *file, const char *text) { (void)file, (void)text; }
void __seq_puts(void *file, const char *text) { (void)file, (void)text; }
void seq_putc(void *file, char letter) { (void)file, (void)letter; }

/* Random numbers come from the layer, so that a run can be repeated. */
u32 get_random_u32(void) { return elvk_host->random(elvk_layer); }
u32 prandom_u32(void) { return elvk_host->random(elvk_layer); }
u32 __get_random_u32_below(u32 bound) { return bound ? elvk_host->random(elvk_layer) % bound : elvk_host->random(elvk_layer); }
void get_random_bytes(void *to, int count) { memset(to, 7, (size_t)count); }

/* kobjects: only their reference counts matter. */
void kobject_init(void *kobject, void *type) { elvk_kobject_init(kobject, type); }
void *kobject_get(void *kobject) { return kobject ? elvk_kobject_get(kobject) : NULL; }
void kobject_put(void *kobject)
{
	if (kobject)
		elvk_kobject_put(kobject);
}
int kobject_add(void *kobject, void *parent, const char *format, ...) { return (void)kobject, (void)parent, (void)format, 0; }
int kobject_set_name(void *kobject, const char *format, ...) { return (void)kobject, (void)format, 0; }
int kobject_uevent(void *kobject, int action) { return (void)kobject, (void)action, 0; }
void kobject_del(void *kobject) { (void)kobject; }
int sysfs_create_file_ns(void *kobject, void *attribute, void *ns) { return (void)kobject, (void)attribute, (void)ns, 0; }
int sysfs_create_group(void *kobject, void *group) { return (void)kobject, (void)group, 0; }
void sysfs_remove_group(void *kobject, void *group) { (void)kobject, (void)group; }
void *debugfs_create_dir(const char *name, void *parent) { return (void)name, (void)parent, NULL; }

/* Identifiers must be distinct: the queue's is a key in its processes' trees. */
enum { ida_count = 16, ida_size = 4096 };
static struct {
	void *ida;
	unsigned char used[ida_size];
} idas[ida_count];
static unsigned char *ida_map(void *ida)
{
	for (int i = 0; i < ida_count; i++) {
		if (idas[i].ida == ida || !idas[i].ida) {
			idas[i].ida = ida;
			return idas[i].used;
		}
	}
	elvk_fatal(ELVK_BUG, "too many kinds of identifiers");
}
int ida_alloc_range(void *ida, unsigned int first, unsigned int last, unsigned int gfp)
{
	unsigned char *used = ida_map(ida);

	(void)gfp;
	for (unsigned int i = first; i < ida_size && i <= last; i++) {
		if (!used[i]) {
			used[i] = 1;
			return (int)i;
		}
	}
	return -28; /* ENOSPC */
}
void ida_free(void *ida, unsigned int id) { ida_map(ida)[id] = 0; }

/* One CPU that never goes away. */
unsigned long __cpu_online_mask[16] = {1}, __cpu_possible_mask[16] = {1}, __cpu_present_mask[16] = {1}, __cpu_active_mask[16] = {1};
unsigned long cpu_bit_bitmap[65];
__attribute__((constructor)) static void fill_cpu_bits(void)
{
	for (int i = 0; i < 64; i++)
		cpu_bit_bitmap[i + 1] = 1UL << i;
}
int __cpuhp_state_add_instance(int state, void *node, _Bool invoke) { return (void)state, (void)node, (void)invoke, 0; }
int __cpuhp_state_remove_instance(int state, void *node, _Bool invoke) { return (void)state, (void)node, (void)invoke, 0; }
int __cpuhp_setup_state(int state, const char *name, _Bool invoke, void *up, void *down, _Bool multi)
{
	return (void)state, (void)name, (void)invoke, (void)up, (void)down, (void)multi, 0;
}
int __cpuhp_setup_state_cpuslocked(int state, const char *name, _Bool invoke, void *up, void *down, _Bool multi)
{
	return __cpuhp_setup_state(state, name, invoke, up, down, multi);
}
void open_softirq(int number, void *action) { (void)number, (void)action; }

/* Everything is permitted, and nothing else is in the machine. */
int capable(int capability) { return (void)capability, 1; }
_Bool ns_capable(void *ns, int capability) { return (void)ns, (void)capability, 1; }
int cap_task_setioprio(void *task, int ioprio) { return (void)task, (void)ioprio, 0; }
const char *bdi_dev_name(void *bdi) { return (void)bdi, "elvcheck"; }
int laptop_mode;
void laptop_io_completion(void *bdi) { (void)bdi; }
long part_in_flight(void *part) { return (void)part, 0; }
unsigned int bdev_count_inflight(void *part) { return (void)part, 0; }
char __this_module[65536] __attribute__((aligned(64)));
char init_task[65536] __attribute__((aligned(64)));
