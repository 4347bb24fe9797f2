/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_SINGLE_TRACE_EVENTS_BLOCK_H
#define ELVCHECK_SINGLE_TRACE_EVENTS_BLOCK_H
/*
 * Stands before the tree's trace/events/block.h: the trace points of the single-queue block layer call glue/single/trace.c.
 * The queue comes first in all versions but in the completion from 4.13 on; the merge of a bio names the request from 3.9 on.
 */
#include <linux/blktrace_api.h>
#include <linux/blkdev.h>
#include <linux/tracepoint.h>

struct bio;
struct request;
void elvk_trace_bio_queue(struct bio *bio);
void elvk_trace_getrq(struct bio *bio);
void elvk_trace_bio_merge(struct request *rq, struct bio *bio, int front);
void elvk_trace_rq_insert(struct request *rq);
void elvk_trace_rq_issue(struct request *rq);
void elvk_trace_rq_requeue(struct request *rq);
void elvk_trace_rq_complete(struct request *rq);
void elvk_trace_plug(void);
void elvk_trace_unplug(int by_timer);

#define ELVK_BIO_MERGE_3(queue, rq, bio, front) elvk_trace_bio_merge(rq, bio, front)
#define ELVK_BIO_MERGE_2(queue, bio, front) elvk_trace_bio_merge(NULL, bio, front)
#define ELVK_CHOSEN(a, b, c, d, chosen, ...) chosen
#define ELVK_BIO_MERGE(...) ELVK_CHOSEN(__VA_ARGS__, ELVK_BIO_MERGE_3, ELVK_BIO_MERGE_2, )(__VA_ARGS__)
#define ELVK_IS_REQUEST(a) __builtin_types_compatible_p(__typeof__(a), struct request *)

#define trace_block_bio_queue(queue, bio) elvk_trace_bio_queue(bio)
#define trace_block_getrq(queue, bio, rw) elvk_trace_getrq(bio)
#define trace_block_bio_backmerge(...) ELVK_BIO_MERGE(__VA_ARGS__, 0)
#define trace_block_bio_frontmerge(...) ELVK_BIO_MERGE(__VA_ARGS__, 1)
#define trace_block_rq_insert(queue, rq) elvk_trace_rq_insert(rq)
#define trace_block_rq_issue(queue, rq) elvk_trace_rq_issue(rq)
#define trace_block_rq_requeue(queue, rq) elvk_trace_rq_requeue(rq)
#define trace_block_rq_complete(a, b, ...) elvk_trace_rq_complete(__builtin_choose_expr(ELVK_IS_REQUEST(a), (a), (b)))
#define trace_block_plug(queue) elvk_trace_plug()
#define trace_block_unplug(queue, depth, explicit) elvk_trace_unplug(!(explicit))
#define trace_block_unplug_io(queue) elvk_trace_unplug(0)
#define trace_block_unplug_timer(queue) elvk_trace_unplug(1)
#define trace_block_sleeprq(...) ((void)0)
#define trace_block_bio_complete(...) ((void)0)
#define trace_block_bio_bounce(...) ((void)0)
#define trace_block_bio_remap(...) ((void)0)
#define trace_block_remap(...) ((void)0)
#define trace_block_rq_remap(...) ((void)0)
#define trace_block_rq_abort(...) ((void)0)
#define trace_block_split(...) ((void)0)
#define trace_block_touch_buffer(...) ((void)0)
#define trace_block_dirty_buffer(...) ((void)0)
#endif
