/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_KERNEL_QUEUE_H
#define ELVCHECK_KERNEL_QUEUE_H
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/blktrace_api.h>

#include "glue.h"

/* A disk with one hardware queue, whose driver is elvcheck. */
struct elvk_queue {
	struct blk_mq_tag_set tag_set;
	struct request_queue *queue;
	struct blk_mq_hw_ctx *hctx;
	struct gendisk disk;
	struct block_device bdev;
	struct blk_trace log;
	/* For trace.c: the last number given to a request, and what waits to be told until its request is known. */
	elvk_u32 last_id;
	struct bio *got_request;
	struct bio *merged;
	int merged_at_front;
};

/* What is kept beside each request (the driver's data). */
struct elvk_request {
	elvk_u32 id;
	int issued;
};

static inline struct elvk_queue *elvk_queue_of(struct request_queue *queue)
{
	return queue->queuedata;
}

/* The tags whose requests are in the scheduler's hands, or the driver's if there is no scheduler. */
static inline struct blk_mq_tags *elvk_request_tags(struct elvk_queue *own)
{
	return own->hctx->sched_tags ? own->hctx->sched_tags : own->hctx->tags;
}
#endif
