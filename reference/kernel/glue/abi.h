/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_KERNEL_ABI_H
#define ELVCHECK_KERNEL_ABI_H
/*
 * Between the two sides of a built kernel: elvcheck (C++) and the shared object made of a tree's block core and scheduler.
 * Plain C types only, since one of its readers sees the kernel's headers and another the C library's.
 *
 * Every call into the object is bracketed: elvk_enter says whose clock and queue the code works for, elvk_leave runs what
 * an interrupted processor would have caught up on (RCU callbacks).
 */
#ifdef __cplusplus
extern "C" {
#endif

#define ELVK_ABI_VERSION 2

typedef unsigned long long elvk_u64;
typedef unsigned int elvk_u32;

/* Operation and flag numbers of model/core/bio.hpp. */
enum elvk_op { ELVK_READ, ELVK_WRITE, ELVK_FLUSH, ELVK_DISCARD };
enum elvk_flag {
	ELVK_SYNC = 1 << 0,
	ELVK_META = 1 << 1,
	ELVK_PRIO = 1 << 2,
	ELVK_IDLE = 1 << 3,
	ELVK_FUA = 1 << 4,
	ELVK_PREFLUSH = 1 << 5,
	ELVK_RAHEAD = 1 << 6,
	ELVK_BACKGROUND = 1 << 7,
	ELVK_NOMERGE = 1 << 8,
};

/* Event numbers of model/core/trace.hpp. */
enum elvk_event_kind {
	ELVK_EV_QUEUE,
	ELVK_EV_GET_REQUEST,
	ELVK_EV_SLEEP_REQUEST,
	ELVK_EV_BACK_MERGE,
	ELVK_EV_FRONT_MERGE,
	ELVK_EV_REQUEST_MERGE,
	ELVK_EV_INSERT,
	ELVK_EV_PLUG,
	ELVK_EV_UNPLUG,
	ELVK_EV_TIMER_UNPLUG,
	ELVK_EV_ISSUE,
	ELVK_EV_REQUEUE,
	ELVK_EV_COMPLETE,
};

struct elvk_event {
	int kind;
	int pid; /* of the request's first bio, or of the running process */
	elvk_u32 op;
	elvk_u32 flags;
	elvk_u32 ioprio; /* class << 13 | level */
	elvk_u32 request;
	elvk_u32 other;
	elvk_u32 sectors;
	elvk_u64 sector;
	void *bio; /* the cookie of elvk_bio_desc, or null */
};

/* What the kernel's code waits for; the object is the address of its timer or work item. */
enum elvk_pending_kind { ELVK_TIMER, ELVK_HRTIMER, ELVK_WORK };

enum elvk_trouble {
	ELVK_WARN,     /* WARN_ON: the kernel goes on */
	ELVK_BUG,      /* BUG_ON, panic: it does not */
	ELVK_LOCK,     /* a lock taken twice, released untaken, or kept */
	ELVK_UNMODELLED, /* a function that the tree needs and elvcheck does not provide */
	ELVK_STUCK,    /* sleeps with nobody to wake it */
};

struct elvk_host {
	/* Hands a request to the device. Nonzero: the device refuses it. */
	int (*issue)(void *layer, void *request, elvk_u32 tag, elvk_u32 op, elvk_u32 flags, elvk_u64 sector, elvk_u32 sectors);
	void (*bio_done)(void *layer, void *bio, int error);
	/* The running process sleeps; returns when elvcheck lets it go on. */
	void (*sleep)(void *layer, int pid);
	void (*wake)(void *layer, int pid);
	/* Asks for elvk_fire(kind, object) at the given time of the kernel's clock. Replaces an earlier request. */
	void (*schedule)(void *layer, int kind, void *object, elvk_u64 clock_ns);
	/* Whether one was pending; it is not any more. */
	int (*cancel)(void *layer, int kind, void *object);
	elvk_u32 (*random)(void *layer);
	void (*event)(void *layer, const struct elvk_event *event);
	/* A line of the scheduler's own log: its format and the text. */
	void (*note)(void *layer, const char *format, const char *text);
	/* All but ELVK_WARN must not return. */
	void (*trouble)(void *layer, int kind, const char *text);
};

struct elvk_queue_settings {
	elvk_u64 capacity;       /* sectors */
	elvk_u32 depth;          /* driver tags */
	elvk_u32 nr_requests;    /* 0: the kernel's default */
	elvk_u32 max_sectors;
	elvk_u32 max_segments;
	int scheduler;           /* 0: none */
	int rotational;
	int volatile_cache;
	int fua;
	int nomerges;            /* as in sysfs */
	int log;                 /* let the scheduler write its log */
};

struct elvk_bio_desc {
	void *cookie;
	elvk_u64 sector;
	elvk_u32 sectors;
	elvk_u32 op;
	elvk_u32 flags;
	elvk_u32 ioprio;
};

struct elvk_statistics {
	long live_objects;       /* allocations not freed */
	long live_bytes;
	elvk_u64 warnings;
	elvk_u64 hrtimers_started;
	elvk_u64 hrtimers_fired;
	elvk_u64 works_run;
	elvk_u64 issued;         /* requests handed to the driver */
	elvk_u64 scheduled;      /* of them those with a scheduler's tag */
};

/* What the shared object exports. */
int elvk_abi_version(void);
elvk_u32 elvk_build_hz(void);
/* Once: registers the scheduler. 0 or a negative errno. */
int elvk_start(const struct elvk_host *host);
const char *elvk_scheduler_name(void);
/* `watched`: somebody listens to events. */
void elvk_enter(void *layer, elvk_u64 clock_ns, int watched);
void elvk_leave(void);
void elvk_fire(int kind, void *object);
void elvk_get_statistics(struct elvk_statistics *out);

void *elvk_queue_new(const struct elvk_queue_settings *settings);
void elvk_queue_free(void *queue);
int elvk_queue_set_nr_requests(void *queue, elvk_u32 nr_requests);
void elvk_queue_complete(void *request, int error);
elvk_u32 elvk_queue_requests_in_use(void *queue);
/* Whether the queue itself is plugged (2.6), and what happens to it when a process waits for I/O or ends its batch. */
int elvk_queue_plugs(void);
void elvk_queue_unplug(void *queue);

/* The i-th tunable's name, or null. */
const char *elvk_tunable_name(void *queue, elvk_u32 i);
/* Show writes at most a page; both return a length or a negative errno. */
long elvk_tunable_show(void *queue, const char *name, char *page);
long elvk_tunable_store(void *queue, const char *name, const char *text);

void *elvk_task_new(int pid);
void elvk_task_free(void *task);
int elvk_task_set_ioprio(void *task, int ioprio);
void elvk_task_start_plug(void *task);
void elvk_task_finish_plug(void *task);
void elvk_task_flush_plug(void *task);
void elvk_task_submit(void *task, void *queue, const struct elvk_bio_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
