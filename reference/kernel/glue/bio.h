/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_KERNEL_BIO_H
#define ELVCHECK_KERNEL_BIO_H
#include <linux/bio.h>

/* A bio of elvcheck; every bio in the queue is one. */
struct elvk_bio {
	struct bio bio;
	struct bio_vec vec;
	void *cookie;
	int pid;
};

void elvk_bio_ended(struct bio *bio);

/* A part that the block layer split off leads to the bio that it came from. */
static inline struct elvk_bio *elvk_bio_of(struct bio *bio)
{
	while (bio && bio->bi_end_io != elvk_bio_ended)
		bio = bio->bi_private;
	return bio ? container_of(bio, struct elvk_bio, bio) : NULL;
}
#endif
