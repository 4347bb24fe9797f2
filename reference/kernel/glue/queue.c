/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The request queue and its driver, on top of the tree's own blk-mq core. */
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/radix-tree.h>
#if __has_include(<linux/part_stat.h>)
#include <linux/part_stat.h>
#endif

#include "blk.h"
#include "blk-mq.h"
#include "blk-mq-sched.h"
#if __has_include("blk-mq-tag.h")
#include "blk-mq-tag.h"
#endif
#if __has_include("elevator.h")
#include "elevator.h"
#endif
#include "queue.h"

#ifdef ELVK_FREEZE_RETURNS_FLAGS
#define FROZEN(queue, statement)                                  \
	do {                                                      \
		const unsigned int flags = blk_mq_freeze_queue(queue); \
		statement;                                        \
		blk_mq_unfreeze_queue(queue, flags);              \
	} while (0)
#else
#define FROZEN(queue, statement)               \
	do {                                   \
		blk_mq_freeze_queue(queue);    \
		statement;                     \
		blk_mq_unfreeze_queue(queue);  \
	} while (0)
#endif

int elvk_init_blk_ioc(void);
int elvk_init_scheduler(void);
int blk_dev_init(void);
void radix_tree_init(void);

/* The link step sends elv_register() here, to learn which elevator the scheduler's module brings. */
static struct elevator_type *registered;
int __real_elv_register(struct elevator_type *type);
int __wrap_elv_register(struct elevator_type *type);
int __wrap_elv_register(struct elevator_type *type)
{
	registered = type;
	return __real_elv_register(type);
}

int elvk_start(const struct elvk_host *host)
{
	elvk_host = host;
	elvk_pages_start();
	elvk_task_start();
	radix_tree_init();
	blk_dev_init();
	elvk_init_blk_ioc();
	return elvk_init_scheduler();
}

const char *elvk_scheduler_name(void)
{
	return registered ? registered->elevator_name : "";
}

/* Here processes plug, not the queue. */
int elvk_queue_plugs(void)
{
	return 0;
}

void elvk_queue_unplug(void *queue)
{
}

/* The driver. */
static blk_status_t driver_queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *data)
{
	struct request *rq = data->rq;

	elvk_stats.issued++;
	elvk_stats.scheduled += rq->internal_tag != BLK_MQ_NO_TAG;
	blk_mq_start_request(rq);
	if (elvk_host->issue(elvk_layer, rq, rq->tag, elvk_op_of((__force unsigned int)rq->cmd_flags),
			     elvk_flags_of((__force unsigned int)rq->cmd_flags), blk_rq_pos(rq), blk_rq_sectors(rq)))
		return BLK_STS_RESOURCE;
	return BLK_STS_OK;
}

static const struct blk_mq_ops driver_ops = {.queue_rq = driver_queue_rq};
static const struct block_device_operations disk_ops;

void elvk_queue_complete(void *request, int error)
{
	elvk_current = elvk_idle_task();
	blk_mq_end_request(request, error ? BLK_STS_IOERR : BLK_STS_OK);
}

struct block_device *elvk_queue_bdev(void *queue)
{
	return &((struct elvk_queue *)queue)->bdev;
}

/* The queue's request timer: nothing times out here, since the device answers each request. */
static void *request_timer_function;
int elvk_timer_ignored(void *timer)
{
	return (void *)((struct timer_list *)timer)->function == request_timer_function;
}

static void set_limits(struct request_queue *queue, const struct elvk_queue_settings *settings)
{
	struct queue_limits *limits = &queue->limits;

	limits->max_segments = settings->max_segments;
	limits->max_segment_size = UINT_MAX;
	limits->seg_boundary_mask = ~0UL;
	limits->max_hw_sectors = limits->max_sectors = settings->max_sectors;
	limits->max_hw_discard_sectors = limits->max_discard_sectors = UINT_MAX >> SECTOR_SHIFT;
	limits->max_discard_segments = 1;
	limits->discard_granularity = SECTOR_SIZE;
#ifdef ELVK_FEATURE_ROTATIONAL
	if (settings->rotational)
		limits->features |= BLK_FEAT_ROTATIONAL;
#else
	if (settings->rotational)
		blk_queue_flag_clear(QUEUE_FLAG_NONROT, queue);
	else
		blk_queue_flag_set(QUEUE_FLAG_NONROT, queue);
#endif
#ifdef ELVK_FEATURE_WRITE_CACHE
	if (settings->volatile_cache)
		limits->features |= BLK_FEAT_WRITE_CACHE;
	if (settings->fua)
		limits->features |= BLK_FEAT_FUA;
#else
	blk_queue_write_cache(queue, settings->volatile_cache, settings->fua);
#endif
	if (settings->nomerges == 2)
		blk_queue_flag_set(QUEUE_FLAG_NOMERGES, queue);
	else if (settings->nomerges == 1)
		blk_queue_flag_set(QUEUE_FLAG_NOXMERGES, queue);
}

/*
 * The core gives a scheduler twice the driver's depth, at most 256, and the scheduler derives its own limits from that. An even
 * number is therefore given by showing that depth while the scheduler starts; others are stored afterwards as a user would.
 */
static int start_scheduler(struct elvk_queue *own, elvk_u32 nr_requests)
{
	const unsigned int depth = own->tag_set.queue_depth;
	int error;

	if (nr_requests && nr_requests % 2 == 0 && nr_requests <= 256)
		own->tag_set.queue_depth = nr_requests / 2;
	mutex_lock(&own->queue->sysfs_lock);
	FROZEN(own->queue, error = blk_mq_init_sched(own->queue, registered));
	mutex_unlock(&own->queue->sysfs_lock);
	own->tag_set.queue_depth = depth;
	if (!error && nr_requests && own->queue->nr_requests != nr_requests)
		error = elvk_queue_set_nr_requests(own, nr_requests);
	return error;
}

void *elvk_queue_new(const struct elvk_queue_settings *settings)
{
	struct elvk_queue *own = elvk_allocate(sizeof(*own), 1);
	unsigned long i;

	elvk_current = elvk_idle_task();
	own->tag_set.ops = &driver_ops;
	own->tag_set.nr_hw_queues = 1;
	own->tag_set.queue_depth = settings->depth;
	own->tag_set.numa_node = NUMA_NO_NODE;
	own->tag_set.cmd_size = sizeof(struct elvk_request);
#ifdef ELVK_SHOULD_MERGE
	own->tag_set.flags = BLK_MQ_F_SHOULD_MERGE;
#endif
	if (blk_mq_alloc_tag_set(&own->tag_set))
		elvk_fatal(ELVK_BUG, "the block layer refused a tag set of depth %u", settings->depth);
#ifdef ELVK_ALLOC_QUEUE_WITH_LIMITS
	own->queue = blk_mq_alloc_queue(&own->tag_set, NULL, NULL);
#else
	own->queue = blk_mq_init_queue(&own->tag_set);
#endif
	if (IS_ERR(own->queue))
		elvk_fatal(ELVK_BUG, "the block layer refused a queue");
	own->queue->queuedata = own;
	request_timer_function = (void *)own->queue->timeout.function;
	set_limits(own->queue, settings);
	queue_for_each_hw_ctx (own->queue, own->hctx, i)
		break;

	own->disk.fops = &disk_ops;
	own->disk.queue = own->queue;
	own->disk.part0 = &own->bdev;
	own->queue->disk = &own->disk;
	own->bdev.bd_disk = &own->disk;
	own->bdev.bd_queue = own->queue;
	own->bdev.bd_nr_sectors = settings->capacity;
	own->bdev.bd_stats = elvk_allocate(sizeof(struct disk_stats), 1);

	blk_queue_flag_set(QUEUE_FLAG_INIT_DONE, own->queue);
	percpu_ref_switch_to_percpu(&own->queue->q_usage_counter);
	elvk_rcu_drain();
	if (settings->scheduler && start_scheduler(own, settings->nr_requests))
		elvk_fatal(ELVK_BUG, "the scheduler did not start on the queue");
	if (settings->log) {
		own->log.act_mask = 0xffff;
		rcu_assign_pointer(own->queue->blk_trace, &own->log);
	}
	return own;
}

int elvk_queue_set_nr_requests(void *object, elvk_u32 nr_requests)
{
	struct elvk_queue *own = object;
	int error;

	mutex_lock(&own->queue->sysfs_lock);
	FROZEN(own->queue, error = blk_mq_update_nr_requests(own->queue, nr_requests));
	mutex_unlock(&own->queue->sysfs_lock);
	return error;
}

static void stop_scheduler(struct request_queue *queue)
{
#ifdef ELVK_ELEVATOR_EXIT_1
	elevator_exit(queue);
#else
	elevator_exit(queue, queue->elevator);
#endif
	queue->elevator = NULL;
}

void elvk_queue_free(void *object)
{
	struct elvk_queue *own = object;
	struct request_queue *queue = own->queue;

	elvk_current = elvk_idle_task();
	rcu_assign_pointer(queue->blk_trace, NULL);
	if (queue->elevator) {
		mutex_lock(&queue->sysfs_lock);
		FROZEN(queue, stop_scheduler(queue));
		mutex_unlock(&queue->sysfs_lock);
		elvk_rcu_drain();
	}
#ifdef ELVK_DESTROY_QUEUE
	blk_mq_destroy_queue(queue);
	elvk_rcu_drain();
	blk_put_queue(queue);
#else
	blk_cleanup_queue(queue);
#endif
	elvk_rcu_drain();
	blk_mq_free_tag_set(&own->tag_set);
	elvk_release(own->bdev.bd_stats);
	elvk_release(own);
}

elvk_u32 elvk_queue_requests_in_use(void *object)
{
	return sbitmap_weight(&elvk_request_tags(object)->bitmap_tags.sb);
}

/* Tunables, through the elevator's own show and store. */
static struct elv_fs_entry *tunables(struct elvk_queue *own)
{
	return own->queue->elevator ? (struct elv_fs_entry *)own->queue->elevator->type->elevator_attrs : NULL;
}

static struct elv_fs_entry *find_tunable(struct elvk_queue *own, const char *name)
{
	struct elv_fs_entry *entry;

	for (entry = tunables(own); entry && entry->attr.name; entry++) {
		if (!strcmp(entry->attr.name, name))
			return entry;
	}
	return NULL;
}

const char *elvk_tunable_name(void *object, elvk_u32 i)
{
	struct elv_fs_entry *entry = tunables(object);

	return entry ? entry[i].attr.name : NULL;
}

long elvk_tunable_show(void *object, const char *name, char *page)
{
	struct elvk_queue *own = object;
	struct elv_fs_entry *entry = find_tunable(own, name);

	return entry && entry->show ? entry->show(own->queue->elevator, page) : -ENOENT;
}

long elvk_tunable_store(void *object, const char *name, const char *text)
{
	struct elvk_queue *own = object;
	struct elv_fs_entry *entry = find_tunable(own, name);

	return entry && entry->store ? entry->store(own->queue->elevator, text, strlen(text)) : -ENOENT;
}
