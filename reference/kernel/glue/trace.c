/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The block layer's trace points as events of elvcheck.
 *
 * Some trace points name a bio before its request is known: the allocation, and the merge of a bio. Those wait until the next
 * event, or the end of the call, when the request that holds the bio can be found.
 */
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/kernel.h>
#include <linux/sched.h>

#include "blk.h"
#include "blk-mq.h"
#if __has_include("blk-mq-tag.h")
#include "blk-mq-tag.h"
#endif
#include "bio.h"
#include "queue.h"

static struct elvk_queue *unsettled;

static struct elvk_request *beside(struct request *rq)
{
	return blk_mq_rq_to_pdu(rq);
}

static elvk_u32 id_of(struct request *rq)
{
	struct elvk_request *own = beside(rq);

	if (!own->id)
		own->id = ++elvk_queue_of(rq->q)->last_id;
	return own->id;
}

static void describe_bio(struct elvk_event *event, struct bio *bio)
{
	struct elvk_bio *own = elvk_bio_of(bio);

	event->op = elvk_op_of((__force unsigned int)bio->bi_opf);
	event->flags = elvk_flags_of((__force unsigned int)bio->bi_opf);
	event->ioprio = bio->bi_ioprio;
	event->sector = bio->bi_iter.bi_sector;
	event->sectors = bio->bi_iter.bi_size >> SECTOR_SHIFT;
	event->pid = own ? own->pid : current->pid;
	event->bio = own ? own->cookie : NULL;
}

static void emit_bio(int kind, struct bio *bio, struct request *rq)
{
	struct elvk_event event = {.kind = kind};

	describe_bio(&event, bio);
	event.request = rq ? id_of(rq) : 0;
	elvk_host->event(elvk_layer, &event);
}

static void emit_request(int kind, struct request *rq, elvk_u32 other)
{
	struct elvk_event event = {.kind = kind, .other = other};
	struct elvk_bio *own = elvk_bio_of(rq->bio);

	event.op = elvk_op_of((__force unsigned int)rq->cmd_flags);
	event.flags = elvk_flags_of((__force unsigned int)rq->cmd_flags);
	event.ioprio = req_get_ioprio(rq);
	event.sector = event.op == ELVK_FLUSH ? 0 : blk_rq_pos(rq);
	event.sectors = blk_rq_sectors(rq);
	event.pid = own ? own->pid : current->pid;
	event.request = id_of(rq);
	elvk_host->event(elvk_layer, &event);
}

static void emit_process(int kind)
{
	struct elvk_event event = {.kind = kind, .pid = current->pid};

	elvk_host->event(elvk_layer, &event);
}

static bool holds(struct request *rq, struct bio *wanted)
{
	struct bio *bio;

	for (bio = rq->bio; bio; bio = bio->bi_next) {
		if (bio == wanted)
			return true;
	}
	return false;
}

/* The request that begins with the bio comes first: one that has just absorbed it ends with the same bio. */
static struct request *request_with(struct elvk_queue *own, struct bio *bio)
{
	struct blk_mq_tags *tags = elvk_request_tags(own);
	unsigned int i;

	for (i = 0; i < tags->nr_tags; i++) {
		struct request *rq = tags->static_rqs[i];

		if (rq && rq->bio == bio)
			return rq;
	}
	for (i = 0; i < tags->nr_tags; i++) {
		struct request *rq = tags->static_rqs[i];

		if (rq && rq->bio && holds(rq, bio))
			return rq;
	}
	return NULL;
}

void elvk_trace_settle(void);
void elvk_trace_settle(void)
{
	struct elvk_queue *own = unsettled;
	struct request *rq;

	if (!own)
		return;
	unsettled = NULL;
	if (own->got_request) {
		rq = request_with(own, own->got_request);
		if (rq)
			*beside(rq) = (struct elvk_request){};
		emit_bio(ELVK_EV_GET_REQUEST, own->got_request, rq);
		own->got_request = NULL;
	}
	if (own->merged) {
		rq = request_with(own, own->merged);
		emit_bio(own->merged_at_front ? ELVK_EV_FRONT_MERGE : ELVK_EV_BACK_MERGE, own->merged, rq);
		own->merged = NULL;
	}
}

void elvk_trace_bio_queue(struct bio *bio)
{
	if (!elvk_watched)
		return;
	elvk_trace_settle();
	emit_bio(ELVK_EV_QUEUE, bio, NULL);
}

void elvk_trace_getrq(struct bio *bio)
{
	if (!elvk_watched)
		return;
	elvk_trace_settle();
	unsettled = elvk_queue_of(bdev_get_queue(bio->bi_bdev));
	unsettled->got_request = bio;
}

void elvk_trace_bio_merge(struct bio *bio, int front)
{
	if (!elvk_watched)
		return;
	elvk_trace_settle();
	unsettled = elvk_queue_of(bdev_get_queue(bio->bi_bdev));
	unsettled->merged = bio;
	unsettled->merged_at_front = front;
}

/* The absorbed request's bios already hang at the end of the other's chain. */
void elvk_trace_rq_merge(struct request *absorbed)
{
	struct blk_mq_tags *tags;
	unsigned int i;

	if (!elvk_watched)
		return;
	elvk_trace_settle();
	tags = elvk_request_tags(elvk_queue_of(absorbed->q));
	for (i = 0; i < tags->nr_tags; i++) {
		struct request *rq = tags->static_rqs[i];

		if (rq && rq != absorbed && rq->bio && rq->biotail == absorbed->biotail) {
			emit_request(ELVK_EV_REQUEST_MERGE, rq, id_of(absorbed));
			return;
		}
	}
}

void elvk_trace_rq_insert(struct request *rq)
{
	if (!elvk_watched)
		return;
	elvk_trace_settle();
	emit_request(ELVK_EV_INSERT, rq, 0);
}

void elvk_trace_rq_issue(struct request *rq)
{
	if (!elvk_watched)
		return;
	elvk_trace_settle();
	emit_request(ELVK_EV_ISSUE, rq, 0);
	beside(rq)->issued = 1;
}

void elvk_trace_rq_requeue(struct request *rq)
{
	if (!elvk_watched)
		return;
	elvk_trace_settle();
	emit_request(ELVK_EV_REQUEUE, rq, 0);
	beside(rq)->issued = 0;
}

/* A request of a flush sequence ends twice; the device did it once. */
void elvk_trace_rq_complete(struct request *rq, unsigned int bytes)
{
	if (!elvk_watched)
		return;
	elvk_trace_settle();
	if (!beside(rq)->issued)
		return;
	beside(rq)->issued = 0;
	emit_request(ELVK_EV_COMPLETE, rq, 0);
	if (!rq->bio) /* the flush command, which is reused */
		beside(rq)->id = 0;
}

void elvk_trace_plug(void)
{
	if (!elvk_watched)
		return;
	elvk_trace_settle();
	emit_process(ELVK_EV_PLUG);
}

void elvk_trace_unplug(int by_schedule)
{
	if (!elvk_watched)
		return;
	elvk_trace_settle();
	emit_process(by_schedule ? ELVK_EV_TIMER_UNPLUG : ELVK_EV_UNPLUG);
}
