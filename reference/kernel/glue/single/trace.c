/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The block layer's trace points, and three of its calls that have none, as events of elvcheck.
 *
 * The trace point of an allocation names the bio only. Its request is the one that the scheduler was just asked to prepare; one
 * that passes by the scheduler is found when it is inserted.
 */
#include <linux/sched.h>

#include "queue.h"

/* What elvcheck keeps of a request, in a field that the block layer leaves to drivers. */
enum { issued_bit = 1 };

static elvk_u32 id_of(struct request *rq)
{
	unsigned long word = (unsigned long)rq->end_io_data;

	if (!(word >> 1)) {
		word |= (unsigned long)++elvk_queue_of(rq->q)->last_id << 1;
		rq->end_io_data = (void *)word;
	}
	return (elvk_u32)(word >> 1);
}

static void mark_issued(struct request *rq, int issued)
{
	unsigned long word = (unsigned long)rq->end_io_data & ~(unsigned long)issued_bit;

	rq->end_io_data = (void *)(word | (issued ? issued_bit : 0));
}

static void emit_bio(int kind, struct bio *bio, elvk_u32 request)
{
	struct elvk_bio *own = elvk_bio_of(bio);
	struct elvk_event event = {.kind = kind, .request = request};

	event.op = elvk_bio_op(bio);
	event.flags = elvk_bio_flags(bio);
	event.ioprio = bio_prio(bio);
	event.sector = elvk_bio_sector(bio);
	event.sectors = elvk_bio_sectors(bio);
	event.pid = own ? own->pid : current->pid;
	event.bio = own ? own->cookie : NULL;
	elvk_host->event(elvk_layer, &event);
}

static void emit_request(int kind, struct request *rq, elvk_u32 other)
{
	struct elvk_bio *own = elvk_bio_of(rq->bio);
	struct elvk_event event = {.kind = kind, .other = other};

	event.op = elvk_request_op(rq);
	event.flags = elvk_request_flags(rq);
	event.ioprio = req_get_ioprio(rq);
	event.sector = event.op == ELVK_FLUSH ? 0 : blk_rq_pos(rq);
	event.sectors = blk_rq_sectors(rq);
	event.pid = own ? own->pid : current->pid;
	event.request = id_of(rq);
	elvk_host->event(elvk_layer, &event);
}

void elvk_trace_bio_queue(struct bio *bio)
{
	if (elvk_watched)
		emit_bio(ELVK_EV_QUEUE, bio, 0);
}

/* The request that the scheduler prepared last. */
static struct request *prepared;

void elvk_trace_getrq(struct bio *bio)
{
	struct request *rq = prepared;

	prepared = NULL;
	if (!elvk_watched)
		return;
	if (rq)
		emit_bio(ELVK_EV_GET_REQUEST, bio, id_of(rq));
	else
		elvk_queue_of(elvk_bio_queue(bio))->got_request = bio;
}

/* Up to 3.8 the trace point of a merge names the bio only; what the core does next names the request. */
static struct bio *merging;
static int merging_at_front;

static void settle_merge(struct request *rq)
{
	if (elvk_watched && merging)
		emit_bio(merging_at_front ? ELVK_EV_FRONT_MERGE : ELVK_EV_BACK_MERGE, merging, id_of(rq));
	merging = NULL;
}

void elvk_trace_bio_merge(struct request *rq, struct bio *bio, int front)
{
	merging = bio;
	merging_at_front = front;
	if (rq)
		settle_merge(rq);
}

void elvk_trace_rq_insert(struct request *rq)
{
	struct elvk_queue *own = elvk_queue_of(rq->q);

	if (!elvk_watched)
		return;
	if (own->got_request && own->got_request == rq->bio) {
		emit_bio(ELVK_EV_GET_REQUEST, rq->bio, id_of(rq));
		own->got_request = NULL;
	}
	emit_request(ELVK_EV_INSERT, rq, 0);
}

void elvk_trace_rq_issue(struct request *rq)
{
	if (!elvk_watched)
		return;
	emit_request(ELVK_EV_ISSUE, rq, 0);
	mark_issued(rq, 1);
}

void elvk_trace_rq_requeue(struct request *rq)
{
	if (!elvk_watched)
		return;
	emit_request(ELVK_EV_REQUEUE, rq, 0);
	mark_issued(rq, 0);
}

/* A request of a flush sequence ends twice; the device did it once. */
void elvk_trace_rq_complete(struct request *rq)
{
	if (!elvk_watched || !((unsigned long)rq->end_io_data & issued_bit))
		return;
	mark_issued(rq, 0);
	emit_request(ELVK_EV_COMPLETE, rq, 0);
	if (!rq->bio) /* the flush command, which is reused */
		rq->end_io_data = NULL;
}

static void emit_process(int kind)
{
	struct elvk_event event = {.kind = kind, .pid = current->pid};

	if (elvk_watched)
		elvk_host->event(elvk_layer, &event);
}

void elvk_trace_plug(void)
{
	emit_process(ELVK_EV_PLUG);
}

void elvk_trace_unplug(int by_timer)
{
	emit_process(by_timer ? ELVK_EV_TIMER_UNPLUG : ELVK_EV_UNPLUG);
}

void elvk_trace_settle(void);
void elvk_trace_settle(void)
{
}

/* The link step sends these calls of the block core here. */
void __real_elv_merge_requests(struct request_queue *queue, struct request *rq, struct request *next);
void __wrap_elv_merge_requests(struct request_queue *queue, struct request *rq, struct request *next);
void __wrap_elv_merge_requests(struct request_queue *queue, struct request *rq, struct request *next)
{
	settle_merge(merging_at_front ? next : rq);
	if (elvk_watched)
		emit_request(ELVK_EV_REQUEST_MERGE, rq, id_of(next));
	__real_elv_merge_requests(queue, rq, next);
}

#ifdef ELVK_ELV_MERGE_ENUM
typedef enum elv_merge merge_type;
#else
typedef int merge_type;
#endif
void __real_elv_merged_request(struct request_queue *queue, struct request *rq, merge_type type);
void __wrap_elv_merged_request(struct request_queue *queue, struct request *rq, merge_type type);
void __wrap_elv_merged_request(struct request_queue *queue, struct request *rq, merge_type type)
{
	settle_merge(rq);
	__real_elv_merged_request(queue, rq, type);
}

#ifdef ELVK_SET_REQUEST_TAKES_BIO
int __real_elv_set_request(struct request_queue *queue, struct request *rq, struct bio *bio, gfp_t gfp);
int __wrap_elv_set_request(struct request_queue *queue, struct request *rq, struct bio *bio, gfp_t gfp);
int __wrap_elv_set_request(struct request_queue *queue, struct request *rq, struct bio *bio, gfp_t gfp)
{
	prepared = rq;
	return __real_elv_set_request(queue, rq, bio, gfp);
}
#else
int __real_elv_set_request(struct request_queue *queue, struct request *rq, gfp_t gfp);
int __wrap_elv_set_request(struct request_queue *queue, struct request *rq, gfp_t gfp);
int __wrap_elv_set_request(struct request_queue *queue, struct request *rq, gfp_t gfp)
{
	prepared = rq;
	return __real_elv_set_request(queue, rq, gfp);
}
#endif
