/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The request queue and its driver, on top of the tree's own single-queue core: a request_fn that hands to elvcheck. */
#include <linux/blkdev.h>
#include <linux/backing-dev.h>
#include <linux/elevator.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/radix-tree.h>

#include "blk.h"
#include "queue.h"

int elvk_init_bio(void);
int elvk_init_blk_ioc(void);
int elvk_init_scheduler(void);
int blk_dev_init(void);
void radix_tree_init(void);

/* The link step sends elv_register() here, to learn which elevator the scheduler's module brings. */
static struct elevator_type *registered;
const char *elvk_default_scheduler;
#ifdef ELVK_ELV_REGISTER_RETURNS
int __real_elv_register(struct elevator_type *type);
#else
void __real_elv_register(struct elevator_type *type);
#endif
int __wrap_elv_register(struct elevator_type *type);
int __wrap_elv_register(struct elevator_type *type)
{
	registered = type;
	elvk_default_scheduler = type->elevator_name;
#ifdef ELVK_ELV_REGISTER_RETURNS
	return __real_elv_register(type);
#else
	__real_elv_register(type);
	return 0;
#endif
}

int elvk_start(const struct elvk_host *host)
{
	elvk_host = host;
	elvk_pages_start();
	elvk_task_start();
	radix_tree_init();
	elvk_init_bio();
	blk_dev_init();
	elvk_init_blk_ioc();
	return elvk_init_scheduler();
}

const char *elvk_scheduler_name(void)
{
	return registered ? registered->elevator_name : "";
}

int elvk_queue_plugs(void)
{
#ifdef ELVK_QUEUE_PLUGS
	return 1;
#else
	return 0;
#endif
}

/* The driver. */
static int free_slot(struct elvk_queue *own)
{
	int slot = 0;

	while (own->in_device[slot])
		slot++;
	return slot;
}

static void start_again_later(struct request_queue *queue)
{
#ifdef ELVK_QUEUE_PLUGS
	blk_plug_device(queue);
#else
	blk_delay_queue(queue, 3);
#endif
}

static int passed_scheduler(struct request *rq)
{
#ifdef ELVK_RQF_FLAGS
	return (rq->rq_flags & RQF_ELVPRIV) != 0;
#else
	return (rq->cmd_flags & REQ_ELVPRIV) != 0;
#endif
}

static void driver_request_fn(struct request_queue *queue)
{
	struct elvk_queue *own = elvk_queue_of(queue);
	struct request *rq;

	while (own->in_flight < own->depth && (rq = blk_fetch_request(queue))) {
		const int slot = free_slot(own);

		elvk_stats.issued++;
		elvk_stats.scheduled += passed_scheduler(rq);
		if (elvk_host->issue(elvk_layer, rq, slot, elvk_request_op(rq), elvk_request_flags(rq), blk_rq_pos(rq),
				     blk_rq_sectors(rq))) {
			blk_requeue_request(queue, rq);
			start_again_later(queue);
			break;
		}
		own->in_device[slot] = rq;
		own->in_flight++;
	}
}

void elvk_queue_complete(void *request, int error)
{
	struct request *rq = request;
	struct elvk_queue *own = elvk_queue_of(rq->q);
	unsigned long flags;
	elvk_u32 slot;

	elvk_current = elvk_idle_task();
	spin_lock_irqsave(&own->lock, flags);
	for (slot = 0; slot < own->depth; slot++) {
		if (own->in_device[slot] == rq)
			own->in_device[slot] = NULL;
	}
	own->in_flight--;
#ifdef ELVK_BI_STATUS
	__blk_end_request_all(rq, error ? BLK_STS_IOERR : BLK_STS_OK);
#else
	__blk_end_request_all(rq, error ? -EIO : 0);
#endif
	__blk_run_queue(own->queue);
	spin_unlock_irqrestore(&own->lock, flags);
}

/* Nothing times out here: the driver sets no function for it, so the core arms no timer. */
int elvk_timer_ignored(void *timer)
{
	return 0;
}

static void set_flag(struct request_queue *queue, unsigned int flag, int on)
{
	if (on)
		__set_bit(flag, &queue->queue_flags);
	else
		__clear_bit(flag, &queue->queue_flags);
}

static void set_limits(struct request_queue *queue, const struct elvk_queue_settings *settings)
{
	struct queue_limits *limits = &queue->limits;

	limits->max_segments = settings->max_segments;
	limits->max_segment_size = UINT_MAX;
	limits->seg_boundary_mask = ~0UL;
	limits->max_hw_sectors = limits->max_sectors = settings->max_sectors;
	limits->max_discard_sectors = UINT_MAX >> 9;
	set_flag(queue, QUEUE_FLAG_NONROT, !settings->rotational);
	set_flag(queue, QUEUE_FLAG_IO_STAT, 0);
	set_flag(queue, QUEUE_FLAG_NOMERGES, settings->nomerges == 2);
#ifdef ELVK_NOXMERGES
	set_flag(queue, QUEUE_FLAG_NOXMERGES, settings->nomerges == 1);
#endif
#if defined(ELVK_QUEUE_WRITE_CACHE)
	blk_queue_write_cache(queue, settings->volatile_cache, settings->fua);
#elif defined(ELVK_QUEUE_FLUSH)
	blk_queue_flush(queue, settings->volatile_cache ? REQ_FLUSH | (settings->fua ? REQ_FUA : 0) : 0);
#endif
}

int elvk_queue_set_nr_requests(void *object, elvk_u32 nr_requests)
{
	struct elvk_queue *own = object;

#ifdef ELVK_UPDATE_NR_REQUESTS
	return blk_update_nr_requests(own->queue, nr_requests);
#else
	own->queue->nr_requests = max_t(elvk_u32, nr_requests, BLKDEV_MIN_RQ);
	blk_queue_congestion_threshold(own->queue);
	return 0;
#endif
}

void *elvk_queue_new(const struct elvk_queue_settings *settings)
{
	struct elvk_queue *own = elvk_allocate(sizeof(*own), 1);

	elvk_current = elvk_idle_task();
	own->depth = settings->depth < elvk_most_depth ? settings->depth : elvk_most_depth;
	spin_lock_init(&own->lock);
	own->queue = blk_init_queue(driver_request_fn, &own->lock);
	if (!own->queue)
		elvk_fatal(ELVK_BUG, "the block layer refused a queue");
	own->queue->queuedata = own;
	own->volatile_cache = settings->volatile_cache;
	set_limits(own->queue, settings);

	own->disk.queue = own->queue;
	own->disk.part0.nr_sects = settings->capacity;
	own->bdev.bd_disk = &own->disk;
	own->bdev.bd_contains = &own->bdev;
	own->bdev.bd_part = &own->disk.part0;
	own->bdev.bd_inode = &own->inode;
	own->inode.i_size = settings->capacity << 9;

	/* What registering the disk does: a queue starts in bypass, and a scheduler looks at the device only now. */
#ifdef ELVK_QUEUE_BYPASS
	percpu_ref_switch_to_percpu(&own->queue->q_usage_counter);
	elvk_rcu_drain();
	blk_queue_bypass_end(own->queue);
#endif
	mutex_lock(&own->queue->sysfs_lock);
	elv_register_queue(own->queue);
	mutex_unlock(&own->queue->sysfs_lock);
	if (settings->nr_requests)
		elvk_queue_set_nr_requests(own, settings->nr_requests);
	if (settings->log) {
		own->log.act_mask = 0xffff;
		own->queue->blk_trace = &own->log;
	}
	return own;
}

void elvk_queue_free(void *object)
{
	struct elvk_queue *own = object;

	elvk_current = elvk_idle_task();
	own->queue->blk_trace = NULL;
	mutex_lock(&own->queue->sysfs_lock);
	elv_unregister_queue(own->queue);
	mutex_unlock(&own->queue->sysfs_lock);
	blk_cleanup_queue(own->queue);
	elvk_rcu_drain();
	elvk_release(own);
}

/* 2.6: a process waits for its I/O, which unplugs the queue. */
void elvk_queue_unplug(void *object)
{
#ifdef ELVK_QUEUE_PLUGS
	struct elvk_queue *own = object;

	elvk_current = elvk_idle_task();
	generic_unplug_device(own->queue);
#endif
}

elvk_u32 elvk_queue_requests_in_use(void *object)
{
	struct elvk_queue *own = object;

#ifdef ELVK_NR_RQS
	return own->queue->nr_rqs[0] + own->queue->nr_rqs[1];
#else
	return own->queue->rq.count[0] + own->queue->rq.count[1];
#endif
}

/* Tunables, through the elevator's own show and store. */
static struct elv_fs_entry *tunables(void)
{
	return registered->elevator_attrs;
}

static struct elv_fs_entry *find_tunable(const char *name)
{
	struct elv_fs_entry *entry;

	for (entry = tunables(); entry && entry->attr.name; entry++) {
		if (!strcmp(entry->attr.name, name))
			return entry;
	}
	return NULL;
}

const char *elvk_tunable_name(void *object, elvk_u32 i)
{
	struct elv_fs_entry *entry = tunables();

	return entry ? entry[i].attr.name : NULL;
}

long elvk_tunable_show(void *object, const char *name, char *page)
{
	struct elvk_queue *own = object;
	struct elv_fs_entry *entry = find_tunable(name);

	return entry && entry->show ? entry->show(own->queue->elevator, page) : -ENOENT;
}

long elvk_tunable_store(void *object, const char *name, const char *text)
{
	struct elvk_queue *own = object;
	struct elv_fs_entry *entry = find_tunable(name);

	return entry && entry->store ? entry->store(own->queue->elevator, text, strlen(text)) : -ENOENT;
}
