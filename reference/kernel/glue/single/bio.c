/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Submission: a bio of one segment; what a bio and a request say of themselves, in elvcheck's numbers. */
#include <linux/sched.h>

#include "queue.h"

/*
 * How a bio carries operation and flags: bit numbers of their own (up to 2.6.35), the request's bits in one word with the
 * direction (up to 4.7), an operation and bits beside it (from 4.8 on). Up to 4.9 what will not be followed by more is marked
 * (NOIDLE), later what will be (IDLE); elvcheck's flag is the latter.
 */
#ifdef ELVK_BIO_RW_BITS
#define BIO_WORD(bio) ((bio)->bi_rw)
#define BIO_FLAG(name) (1UL << BIO_RW_##name)
#define BIO_WRITE BIO_FLAG(WRITE)
#define BIO_RW_WRITE BIO_RW
#define BIO_RW_SYNC BIO_RW_SYNCIO
#define BIO_RW_RAHEAD BIO_RW_AHEAD
#define RQ_SYNC REQ_RW_SYNC
#define RQ_META REQ_RW_META
#define RQ_PRIO 0
#define BIO_PRIO 0
#define BIO_FUA 0
#define BIO_PREFLUSH BIO_FLAG(BARRIER)
#define BIO_NOMERGE 0
#define RQ_WRITE REQ_RW
#define RQ_PREFLUSH REQ_HARDBARRIER
#define RQ_FUA 0
#define RQ_RAHEAD 0
#else
#ifdef ELVK_BIO_OPF
#define BIO_WORD(bio) ((bio)->bi_opf)
#else
#define BIO_WORD(bio) ((bio)->bi_rw)
#define RQ_WRITE REQ_WRITE
#define REQ_PREFLUSH REQ_FLUSH
#endif
#define BIO_FLAG(name) REQ_##name
#define RQ_SYNC REQ_SYNC
#define RQ_META REQ_META
#define RQ_PRIO REQ_PRIO
#define BIO_PRIO REQ_PRIO
#define BIO_FUA REQ_FUA
#define RQ_FUA REQ_FUA
#define BIO_PREFLUSH REQ_PREFLUSH
#define RQ_PREFLUSH REQ_PREFLUSH
#define BIO_NOMERGE REQ_NOMERGE
#define RQ_RAHEAD REQ_RAHEAD
#endif

#ifdef ELVK_REQ_IDLE
#define BIO_MORE_IDLE REQ_IDLE
#define BIO_NOIDLE 0
#else
#define BIO_MORE_IDLE 0
#define BIO_NOIDLE BIO_FLAG(NOIDLE)
#endif

struct flag_pair {
	elvk_u32 flag;
	unsigned long long kernel;
};

static const struct flag_pair bio_flags_table[] = {
	{ELVK_SYNC, BIO_FLAG(SYNC)},	     {ELVK_META, BIO_FLAG(META)}, {ELVK_PRIO, BIO_PRIO},
	{ELVK_FUA, BIO_FUA},		     {ELVK_PREFLUSH, BIO_PREFLUSH}, {ELVK_RAHEAD, BIO_FLAG(RAHEAD)},
	{ELVK_NOMERGE, BIO_NOMERGE},
};
static const struct flag_pair request_flags_table[] = {
	{ELVK_SYNC, RQ_SYNC}, {ELVK_META, RQ_META}, {ELVK_PRIO, RQ_PRIO}, {ELVK_FUA, RQ_FUA}, {ELVK_PREFLUSH, RQ_PREFLUSH},
	{ELVK_RAHEAD, RQ_RAHEAD}, {ELVK_NOMERGE, REQ_NOMERGE},
};

/* Only a sync write can be marked; a read that is not says nothing. */
static elvk_u32 idle_flag(unsigned long long word, int is_sync_write)
{
#ifdef ELVK_REQ_IDLE
	return word & REQ_IDLE ? ELVK_IDLE : 0;
#else
	return is_sync_write && !(word & REQ_NOIDLE) ? ELVK_IDLE : 0;
#endif
}

static elvk_u32 flags_from(const struct flag_pair *table, int count, unsigned long long word)
{
	elvk_u32 flags = 0;
	int i;

	for (i = 0; i < count; i++) {
		if (word & table[i].kernel)
			flags |= table[i].flag;
	}
	return flags;
}

static int bio_is_write(struct bio *bio)
{
	return bio_data_dir(bio) == WRITE;
}

elvk_u32 elvk_bio_op(struct bio *bio)
{
#ifdef ELVK_BIO_OPF
	if (bio_op(bio) == REQ_OP_DISCARD)
		return ELVK_DISCARD;
#else
	if (BIO_WORD(bio) & BIO_FLAG(DISCARD))
		return ELVK_DISCARD;
#endif
	if ((BIO_WORD(bio) & BIO_PREFLUSH) && !elvk_bio_sectors(bio))
		return ELVK_FLUSH;
	return bio_is_write(bio) ? ELVK_WRITE : ELVK_READ;
}

elvk_u32 elvk_bio_flags(struct bio *bio)
{
	elvk_u32 flags = flags_from(bio_flags_table, ARRAY_SIZE(bio_flags_table), BIO_WORD(bio));
#ifdef ELVK_BIO_RW_BITS
	const unsigned long long request_word = BIO_WORD(bio) & BIO_NOIDLE ? REQ_NOIDLE : 0;
#else
	const unsigned long long request_word = BIO_WORD(bio);
#endif

	return flags | idle_flag(request_word, bio_is_write(bio) && (flags & ELVK_SYNC));
}

elvk_u32 elvk_request_op(struct request *rq)
{
#ifdef ELVK_BIO_OPF
	if (req_op(rq) == REQ_OP_DISCARD)
		return ELVK_DISCARD;
	if (req_op(rq) == REQ_OP_FLUSH)
		return ELVK_FLUSH;
#else
	if (rq->cmd_flags & REQ_DISCARD)
		return ELVK_DISCARD;
#endif
	if (!rq->bio && !blk_rq_sectors(rq))
		return ELVK_FLUSH;
	return rq_data_dir(rq) == WRITE ? ELVK_WRITE : ELVK_READ;
}

elvk_u32 elvk_request_flags(struct request *rq)
{
	elvk_u32 flags = flags_from(request_flags_table, ARRAY_SIZE(request_flags_table), rq->cmd_flags);

	return flags | idle_flag(rq->cmd_flags, rq_data_dir(rq) == WRITE && (flags & ELVK_SYNC));
}

static void set_operation(struct bio *bio, const struct elvk_bio_desc *desc)
{
	const int writes = desc->op != ELVK_READ;
	unsigned long long word = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bio_flags_table); i++) {
		if (desc->flags & bio_flags_table[i].flag)
			word |= bio_flags_table[i].kernel;
	}
	if (desc->flags & ELVK_IDLE)
		word |= BIO_MORE_IDLE;
	else if (desc->op == ELVK_WRITE && (desc->flags & ELVK_SYNC))
		word |= BIO_NOIDLE;
	if (desc->op == ELVK_FLUSH) /* an empty flush travels as a write without data */
		word |= BIO_PREFLUSH | BIO_FLAG(SYNC);
#ifdef ELVK_BIO_OPF
	bio_set_op_attrs(bio, desc->op == ELVK_DISCARD ? REQ_OP_DISCARD : writes ? REQ_OP_WRITE : REQ_OP_READ, word);
#else
	if (desc->op == ELVK_DISCARD)
		word |= BIO_FLAG(DISCARD);
	BIO_WORD(bio) = word | (writes ? BIO_FLAG(WRITE) : 0);
#endif
#ifdef ELVK_BIO_RW_BITS
	/* What its submitter waits for goes out at once, unless it has more to submit first. */
	if ((!writes || (desc->flags & ELVK_SYNC)) && !elvk_task_plugged(elvk_current))
		BIO_WORD(bio) |= BIO_FLAG(UNPLUG);
#endif
}

#ifdef ELVK_BI_ITER
#define BI_SECTOR(bio) ((bio)->bi_iter.bi_sector)
#define BI_SIZE(bio) ((bio)->bi_iter.bi_size)
#else
#define BI_SECTOR(bio) ((bio)->bi_sector)
#define BI_SIZE(bio) ((bio)->bi_size)
#endif

elvk_u64 elvk_bio_sector(struct bio *bio)
{
	return BI_SECTOR(bio);
}

elvk_u32 elvk_bio_sectors(struct bio *bio)
{
	return BI_SIZE(bio) >> 9;
}

struct request_queue *elvk_bio_queue(struct bio *bio)
{
#ifdef ELVK_BI_DISK
	return bio->bi_disk->queue;
#else
	return bdev_get_queue(bio->bi_bdev);
#endif
}

static void finish(struct bio *bio, int error)
{
	struct elvk_bio *own = container_of(bio, struct elvk_bio, bio);
	void *const cookie = own->cookie;

	elvk_release(own);
	elvk_host->bio_done(elvk_layer, cookie, error);
}

#if defined(ELVK_BI_STATUS)
static void ended(struct bio *bio)
{
	finish(bio, bio->bi_status ? -EIO : 0);
}
#elif defined(ELVK_BI_ERROR)
static void ended(struct bio *bio)
{
	finish(bio, bio->bi_error);
}
#else
static void ended(struct bio *bio, int error)
{
	finish(bio, error);
}
#endif

/* A part that the block layer split off leads to the bio that it came from. */
struct elvk_bio *elvk_bio_of(struct bio *bio)
{
	while (bio && bio->bi_end_io != ended)
		bio = bio->bi_private;
	return bio ? container_of(bio, struct elvk_bio, bio) : NULL;
}

void elvk_task_submit(void *task, void *queue, const struct elvk_bio_desc *desc)
{
	struct elvk_queue *disk = queue;
	struct elvk_bio *own = elvk_allocate(sizeof(*own), 1);
	struct bio *bio = &own->bio;

	elvk_current = task;
#ifdef ELVK_BIO_INIT_3
	bio_init(bio, &own->vec, 1);
#else
	bio_init(bio);
	bio->bi_io_vec = &own->vec;
	bio->bi_max_vecs = 1;
#endif
#ifdef ELVK_BI_DISK
	bio->bi_disk = &disk->disk;
#else
	bio->bi_bdev = &disk->bdev;
#endif
	own->cookie = desc->cookie;
	own->pid = elvk_current->pid;
	set_operation(bio, desc);
	BI_SECTOR(bio) = desc->sector;
	BI_SIZE(bio) = desc->sectors << 9;
	if (desc->ioprio)
		bio_set_prio(bio, desc->ioprio);
	bio->bi_end_io = ended;
	if (desc->sectors && desc->op != ELVK_DISCARD) {
		own->vec.bv_page = elvk_some_page();
		own->vec.bv_len = desc->sectors << 9;
		bio->bi_vcnt = 1;
	}
#ifdef ELVK_BIO_RW_BITS
	/* 2.6 knows barriers only; without a volatile cache a file system sends none, and later kernels end them here. */
	if (desc->op == ELVK_FLUSH && !disk->volatile_cache)
		bio_endio(bio, 0);
	else
#endif
		generic_make_request(bio);
	elvk_current = elvk_idle_task();
}
