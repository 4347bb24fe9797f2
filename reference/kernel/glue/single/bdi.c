/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue's backing_dev_info, where the core has it allocated (4.12 and later) instead of inside the queue. */
#include <linux/backing-dev.h>
#include <linux/blkdev.h>

#include "glue.h"

#ifdef ELVK_BDI_ALLOCATED
struct backing_dev_info *bdi_alloc_node(gfp_t gfp, int node)
{
	struct backing_dev_info *bdi = elvk_allocate(sizeof(*bdi), 1);

#ifdef ELVK_BDI_CONGESTED
	bdi->wb.congested = elvk_allocate(sizeof(*bdi->wb.congested), 1);
#endif
	return bdi;
}

void bdi_put(struct backing_dev_info *bdi)
{
#ifdef ELVK_BDI_CONGESTED
	elvk_release(bdi->wb.congested);
#endif
	elvk_release(bdi);
}
#endif
