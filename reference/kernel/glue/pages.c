/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages: an arena whose frames have a struct page, so that the tree's own page_address() arithmetic works. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "glue.h"

enum { arena_pages = 16384, most_orders = 11 };

struct page *mem_map;
unsigned long max_mapnr = ~0UL;
static unsigned long first_frame;
static unsigned int next_page;
static void *free_lists[most_orders]; /* the first word of a free block points to the next */

void *aligned_alloc(unsigned long alignment, unsigned long size);

void elvk_pages_start(void)
{
	const unsigned long bytes = (unsigned long)arena_pages << PAGE_SHIFT;
	void *arena = aligned_alloc(PAGE_SIZE << (most_orders - 1), bytes);
	struct page *pages = elvk_allocate(arena_pages * sizeof(struct page), 1);

	if (!arena)
		elvk_fatal(ELVK_BUG, "out of memory");
	first_frame = (unsigned long)arena >> PAGE_SHIFT;
	mem_map = pages - first_frame;
}

void *elvk_pages_allocate(unsigned int order)
{
	char *block = order < most_orders ? free_lists[order] : NULL;

	if (order >= most_orders)
		return NULL;
	if (block) {
		free_lists[order] = *(void **)block;
	} else {
		next_page = ALIGN(next_page, 1U << order);
		if (next_page + (1U << order) > arena_pages)
			elvk_fatal(ELVK_BUG, "the page arena is used up");
		block = (char *)((first_frame + next_page) << PAGE_SHIFT);
		next_page += 1U << order;
	}
	memset(block, 0, PAGE_SIZE << order);
	memset(virt_to_page(block), 0, sizeof(struct page) << order);
	return virt_to_page(block);
}

void elvk_pages_free_address(void *block, unsigned int order)
{
	*(void **)block = free_lists[order];
	free_lists[order] = block;
}

void elvk_pages_free(struct page *page, unsigned int order)
{
	elvk_pages_free_address(page_to_virt(page), order);
}

/* The data of every bio: nobody looks at it. */
struct page *elvk_some_page(void)
{
	return pfn_to_page(first_frame);
}
