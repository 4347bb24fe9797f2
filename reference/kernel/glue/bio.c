/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Submission: a bio of one segment, and the two directions of operation and flag numbers. */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/sched.h>

#include "glue.h"
#include "bio.h"

static const struct {
	elvk_u32 flag;
	unsigned int opf;
} flag_table[] = {
	{ELVK_SYNC, (__force unsigned int)REQ_SYNC},	     {ELVK_META, (__force unsigned int)REQ_META},
	{ELVK_PRIO, (__force unsigned int)REQ_PRIO},	     {ELVK_IDLE, (__force unsigned int)REQ_IDLE},
	{ELVK_FUA, (__force unsigned int)REQ_FUA},	     {ELVK_PREFLUSH, (__force unsigned int)REQ_PREFLUSH},
	{ELVK_RAHEAD, (__force unsigned int)REQ_RAHEAD},     {ELVK_BACKGROUND, (__force unsigned int)REQ_BACKGROUND},
	{ELVK_NOMERGE, (__force unsigned int)REQ_NOMERGE},
};

elvk_u32 elvk_op_of(unsigned int opf)
{
	switch (opf & REQ_OP_MASK) {
	case (__force unsigned int)REQ_OP_READ:
		return ELVK_READ;
	case (__force unsigned int)REQ_OP_FLUSH:
		return ELVK_FLUSH;
	case (__force unsigned int)REQ_OP_DISCARD:
		return ELVK_DISCARD;
	default:
		return ELVK_WRITE;
	}
}

elvk_u32 elvk_flags_of(unsigned int opf)
{
	elvk_u32 flags = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flag_table); i++) {
		if (opf & flag_table[i].opf)
			flags |= flag_table[i].flag;
	}
	return flags;
}

unsigned int elvk_opf_of(elvk_u32 op, elvk_u32 flags)
{
	unsigned int opf = (__force unsigned int)(op == ELVK_READ ? REQ_OP_READ : op == ELVK_DISCARD ? REQ_OP_DISCARD : REQ_OP_WRITE);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flag_table); i++) {
		if (flags & flag_table[i].flag)
			opf |= flag_table[i].opf;
	}
	/* An empty flush travels as a write without data. */
	if (op == ELVK_FLUSH)
		opf |= (__force unsigned int)(REQ_PREFLUSH | REQ_SYNC);
	return opf;
}

void elvk_bio_ended(struct bio *bio)
{
	struct elvk_bio *own = container_of(bio, struct elvk_bio, bio);
	void *const cookie = own->cookie;
	const int error = bio->bi_status ? -EIO : 0;

	bio_uninit(bio);
	elvk_release(own);
	elvk_host->bio_done(elvk_layer, cookie, error);
}

void elvk_task_submit(void *task, void *queue, const struct elvk_bio_desc *desc)
{
	struct elvk_bio *own = elvk_allocate(sizeof(*own), 0);
	const unsigned int opf = elvk_opf_of(desc->op, desc->flags);

#ifdef ELVK_BIO_INIT_5
	bio_init(&own->bio, elvk_queue_bdev(queue), &own->vec, 1, (__force blk_opf_t)opf);
#else
	bio_init(&own->bio, &own->vec, 1);
	bio_set_dev(&own->bio, elvk_queue_bdev(queue));
	own->bio.bi_opf = opf;
#endif
	own->cookie = desc->cookie;
	own->pid = ((struct task_struct *)task)->pid;
	own->bio.bi_iter.bi_sector = desc->sector;
	own->bio.bi_iter.bi_size = desc->sectors << SECTOR_SHIFT;
	own->bio.bi_ioprio = (unsigned short)desc->ioprio;
	own->bio.bi_end_io = elvk_bio_ended;
	if (desc->sectors && desc->op != ELVK_DISCARD) {
		own->vec.bv_page = elvk_some_page();
		own->vec.bv_len = desc->sectors << SECTOR_SHIFT;
		own->vec.bv_offset = 0;
		own->bio.bi_vcnt = 1;
	}
	elvk_current = task;
	submit_bio_noacct(&own->bio);
	elvk_current = elvk_idle_task();
}
