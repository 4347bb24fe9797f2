/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_TRACE_EVENTS_BLOCK_H
#define ELVCHECK_TRACE_EVENTS_BLOCK_H
/*
 * Stands before the tree's trace/events/block.h: the block layer's trace points call glue/trace.c. Kernels before 5.11 pass the
 * queue first, so the macros look at the last argument, or at the first where the name begins with the request.
 */
#include <linux/blktrace_api.h>
#include <linux/blkdev.h>
#include <linux/tracepoint.h>

struct bio;
struct request;
void elvk_trace_bio_queue(struct bio *bio);
void elvk_trace_getrq(struct bio *bio);
void elvk_trace_bio_merge(struct bio *bio, int front);
void elvk_trace_rq_merge(struct request *absorbed);
void elvk_trace_rq_insert(struct request *rq);
void elvk_trace_rq_issue(struct request *rq);
void elvk_trace_rq_requeue(struct request *rq);
void elvk_trace_rq_complete(struct request *rq, unsigned int bytes);
void elvk_trace_plug(void);
void elvk_trace_unplug(int by_schedule);

#define ELVK_LAST_OF(a, b, c, d, chosen, ...) chosen
#define ELVK_LAST(...) ELVK_LAST_OF(__VA_ARGS__, ELVK_FOURTH, ELVK_THIRD, ELVK_SECOND, ELVK_FIRST)(__VA_ARGS__)
#define ELVK_FIRST(a) a
#define ELVK_SECOND(a, b) b
#define ELVK_THIRD(a, b, c) c
#define ELVK_FOURTH(a, b, c, d) d

#define trace_block_bio_queue(...) elvk_trace_bio_queue(ELVK_LAST(__VA_ARGS__))
#define trace_block_getrq(...) elvk_trace_getrq(ELVK_LAST(__VA_ARGS__))
#define trace_block_bio_backmerge(...) elvk_trace_bio_merge(ELVK_LAST(__VA_ARGS__), 0)
#define trace_block_bio_frontmerge(...) elvk_trace_bio_merge(ELVK_LAST(__VA_ARGS__), 1)
#define trace_block_rq_merge(...) elvk_trace_rq_merge(ELVK_LAST(__VA_ARGS__))
#define trace_block_rq_insert(...) elvk_trace_rq_insert(ELVK_LAST(__VA_ARGS__))
#define trace_block_rq_issue(...) elvk_trace_rq_issue(ELVK_LAST(__VA_ARGS__))
#define trace_block_rq_requeue(...) elvk_trace_rq_requeue(ELVK_LAST(__VA_ARGS__))
#define trace_block_rq_complete(rq, error, bytes) elvk_trace_rq_complete(rq, bytes)
#define trace_block_rq_error(rq, error, bytes) ((void)(rq))
#define trace_block_plug(queue) elvk_trace_plug()
#define trace_block_unplug(queue, depth, explicit) elvk_trace_unplug(!(explicit))
#define trace_block_bio_complete(...) ((void)0)
#define trace_block_bio_bounce(...) ((void)0)
#define trace_block_bio_remap(...) ((void)0)
#define trace_block_rq_remap(...) ((void)0)
#define trace_block_split(...) ((void)0)
#define trace_block_touch_buffer(...) ((void)0)
#define trace_block_dirty_buffer(...) ((void)0)
#define trace_block_io_start(...) ((void)0)
#define trace_block_io_done(...) ((void)0)
#endif
