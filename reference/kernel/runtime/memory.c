/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The allocators. Memory that is not asked for as zero is filled with 0x5a and freed memory with 0x6b, so that code which reads
 * either does not pass by luck; every live object is counted, so that a leaked reference shows.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

struct header {
	size_t size;
	size_t magic;
};
static const size_t live_magic = 0x656c766c697665;

void *elvk_allocate(size_t size, int zero)
{
	struct header *header = malloc(sizeof(*header) + size);

	if (!header)
		elvk_fatal(ELVK_BUG, "out of memory");
	header->size = size;
	header->magic = live_magic;
	elvk_stats.live_objects++;
	elvk_stats.live_bytes += (long)size;
	return memset(header + 1, zero ? 0 : 0x5a, size);
}

void elvk_release(const void *object)
{
	struct header *header = (struct header *)object - 1;

	if ((uintptr_t)object <= 16) /* null and ZERO_SIZE_PTR */
		return;
	if (header->magic != live_magic)
		elvk_fatal(ELVK_BUG, "memory freed twice, or never allocated");
	header->magic = 0;
	elvk_stats.live_objects--;
	elvk_stats.live_bytes -= (long)header->size;
	memset(header + 1, 0x6b, header->size);
	free(header);
}

size_t elvk_allocation_size(const void *object) { return ((struct header *)object - 1)->size; }

static void *allocate(size_t size, unsigned int gfp)
{
	return elvk_allocate(size, (gfp & elvk_gfp_zero) != 0);
}

/* The kmalloc family: names differ by version, and some carry a cache or a node that does not matter here. */
void *kmalloc_caches[8192];
#define SIZE_GFP(name) \
	void *name(size_t size, unsigned int gfp) { return allocate(size, gfp); }
#define SIZE_GFP_NODE(name) \
	void *name(size_t size, unsigned int gfp, int node) { return (void)node, allocate(size, gfp); }
#define CACHE_GFP_SIZE(name) \
	void *name(void *cache, unsigned int gfp, size_t size) { return (void)cache, allocate(size, gfp); }
#define CACHE_GFP_NODE_SIZE(name) \
	void *name(void *cache, unsigned int gfp, int node, size_t size) { return (void)cache, (void)node, allocate(size, gfp); }
SIZE_GFP(__kmalloc)
SIZE_GFP(__kmalloc_noprof)
SIZE_GFP(kmalloc_large)
SIZE_GFP(__kmalloc_large_noprof)
SIZE_GFP_NODE(__kmalloc_node)
SIZE_GFP_NODE(__kmalloc_node_noprof)
SIZE_GFP_NODE(kmalloc_large_node)
SIZE_GFP_NODE(__kmalloc_large_node_noprof)
SIZE_GFP_NODE(kvmalloc_node)
SIZE_GFP_NODE(__kvmalloc_node_noprof)
CACHE_GFP_SIZE(kmalloc_trace)
CACHE_GFP_SIZE(kmem_cache_alloc_trace)
CACHE_GFP_SIZE(__kmalloc_cache_noprof)
CACHE_GFP_NODE_SIZE(kmalloc_node_trace)
CACHE_GFP_NODE_SIZE(kmem_cache_alloc_node_trace)
CACHE_GFP_NODE_SIZE(__kmalloc_cache_node_noprof)

void kfree(const void *object) { elvk_release(object); }
void kvfree(const void *object) { elvk_release(object); }
void kfree_sensitive(const void *object) { elvk_release(object); }

/* Slab caches. */
struct cache {
	size_t size;
	void (*constructor)(void *);
};

void *kmem_cache_create(const char *name, unsigned int size, unsigned int align, unsigned int flags, void (*constructor)(void *))
{
	struct cache *cache = elvk_allocate(sizeof(*cache), 1);

	(void)name, (void)align, (void)flags;
	cache->size = size;
	cache->constructor = constructor;
	return cache;
}
void *__kmem_cache_create_args(const char *name, unsigned int size, void *args, unsigned int flags)
{
	(void)args;
	return kmem_cache_create(name, size, 0, flags, NULL);
}
void kmem_cache_destroy(void *cache)
{
	if (cache)
		elvk_release(cache);
}
void *kmem_cache_alloc(struct cache *cache, unsigned int gfp)
{
	void *object = allocate(cache->size, gfp);

	if (cache->constructor)
		cache->constructor(object);
	return object;
}
void *kmem_cache_alloc_noprof(struct cache *cache, unsigned int gfp) { return kmem_cache_alloc(cache, gfp); }
void *kmem_cache_alloc_lru(struct cache *cache, void *lru, unsigned int gfp) { return (void)lru, kmem_cache_alloc(cache, gfp); }
void *kmem_cache_alloc_lru_noprof(struct cache *cache, void *lru, unsigned int gfp)
{
	return (void)lru, kmem_cache_alloc(cache, gfp);
}
void *kmem_cache_alloc_node(struct cache *cache, unsigned int gfp, int node) { return (void)node, kmem_cache_alloc(cache, gfp); }
void *kmem_cache_alloc_node_noprof(struct cache *cache, unsigned int gfp, int node)
{
	return (void)node, kmem_cache_alloc(cache, gfp);
}
void kmem_cache_free(struct cache *cache, void *object) { (void)cache, elvk_release(object); }

/* With one CPU a per-CPU object is an object. */
void *__alloc_percpu(size_t size, size_t align) { return (void)align, elvk_allocate(size, 1); }
void *__alloc_percpu_gfp(size_t size, size_t align, unsigned int gfp) { return (void)align, (void)gfp, elvk_allocate(size, 1); }
void *pcpu_alloc_noprof(size_t size, size_t align, _Bool reserved, unsigned int gfp)
{
	return (void)align, (void)reserved, (void)gfp, elvk_allocate(size, 1);
}
void free_percpu(void *object)
{
	if (object)
		elvk_release(object);
}

/* Pages. */
void *__alloc_pages(unsigned int gfp, unsigned int order, int node, void *mask)
{
	return (void)gfp, (void)node, (void)mask, elvk_pages_allocate(order);
}
void *__alloc_pages_noprof(unsigned int gfp, unsigned int order, int node, void *mask)
{
	return (void)gfp, (void)node, (void)mask, elvk_pages_allocate(order);
}
void __free_pages(void *page, unsigned int order) { elvk_pages_free(page, order); }

/* Memory pools: the core sets some up, for cases (splitting, integrity) that a run rarely meets. */
struct pool {
	void *(*allocate)(unsigned int gfp, void *data);
	void (*release)(void *object, void *data);
	void *data;
};
/* One inside another structure: its fields have room for ours. */
int mempool_init(struct pool *pool, int count, void *allocate_function, void *release_function, void *data)
{
	(void)count;
	pool->allocate = (void *(*)(unsigned int, void *))allocate_function;
	pool->release = (void (*)(void *, void *))release_function;
	pool->data = data;
	return 0;
}
void mempool_exit(void *pool) { (void)pool; }
void *mempool_alloc(struct pool *pool, unsigned int gfp) { return pool->allocate(gfp, pool->data); }
void mempool_free(void *object, struct pool *pool) { pool->release(object, pool->data); }
void *mempool_create_node(int count, void *allocate_function, void *release_function, void *data, int node)
{
	struct pool *pool = elvk_allocate(sizeof(*pool), 1);

	(void)node;
	mempool_init(pool, count, allocate_function, release_function, data);
	return pool;
}
void *mempool_create(int count, void *allocate_function, void *release_function, void *data)
{
	return mempool_create_node(count, allocate_function, release_function, data, 0);
}
void mempool_destroy(void *pool)
{
	if (pool)
		elvk_release(pool);
}
void *mempool_alloc_slab(unsigned int gfp, void *cache) { return kmem_cache_alloc(cache, gfp); }
void mempool_free_slab(void *object, void *cache) { kmem_cache_free(cache, object); }
void *mempool_kmalloc(unsigned int gfp, void *size) { return allocate((size_t)size, gfp); }
void mempool_kfree(void *object, void *size) { (void)size, elvk_release(object); }
_Bool mem_dump_obj(void *object) { return (void)object, 0; }
