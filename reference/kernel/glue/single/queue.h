/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_KERNEL_SINGLE_QUEUE_H
#define ELVCHECK_KERNEL_SINGLE_QUEUE_H
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/blktrace_api.h>
#include <linux/fs.h>
#include <linux/genhd.h>

#include "glue.h"

enum { elvk_most_depth = 256 };

/* A disk with one request queue, whose driver is elvcheck. */
struct elvk_queue {
	spinlock_t lock;
	struct request_queue *queue;
	struct gendisk disk;
	struct block_device bdev;
	struct inode inode;
	struct blk_trace log;
	elvk_u32 depth;
	elvk_u32 in_flight;
	int volatile_cache;
	struct request *in_device[elvk_most_depth];
	/* For trace.c: the last number given to a request, and the allocation that waits for its request to be known. */
	elvk_u32 last_id;
	struct bio *got_request;
};

static inline struct elvk_queue *elvk_queue_of(struct request_queue *queue)
{
	return queue->queuedata;
}

/* A bio of elvcheck; every bio in the queue is one, or a part that the block layer split off one. */
struct elvk_bio {
	struct bio bio;
	struct bio_vec vec;
	void *cookie;
	int pid;
};

struct elvk_bio *elvk_bio_of(struct bio *bio);
struct request_queue *elvk_bio_queue(struct bio *bio);
elvk_u64 elvk_bio_sector(struct bio *bio);
elvk_u32 elvk_bio_sectors(struct bio *bio);
elvk_u32 elvk_bio_op(struct bio *bio);
elvk_u32 elvk_bio_flags(struct bio *bio);
elvk_u32 elvk_request_op(struct request *rq);
elvk_u32 elvk_request_flags(struct request *rq);
#endif
