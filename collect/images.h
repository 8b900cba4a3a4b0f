/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The images of a recording, each at its slot on the board. New ones are admitted; those
 * that are no more are reaped, and their slots go to others.
 */
#ifndef COLLECT_IMAGES_H
#define COLLECT_IMAGES_H

#include "collect/image.h"
#include "collect/memory.h"

/* An image that is ready and not yet admitted. */
struct arrival {
	uint32_t slot;
	uint64_t begin_ns;
};

struct images {
	struct memory *memory;
	struct recording *recording;
	struct image *at[SLOTS_MAX];	    /* by slot; NULL: none */
	uint32_t word[SLOTS_MAX];	    /* their slots' words on the board */
	struct arrival arrivals[SLOTS_MAX]; /* scratch */
	uint32_t top;			    /* all of them are below it */
	void *constant;	      /* a copy of the part of the board that never changes */
	uint32_t answered;    /* of those who asked for a slot */
	uint64_t searched_ns; /* when children without a slot were last looked for */
};

/* What is known of the process that was started first. Nobody else sees when it ends. */
struct first_process {
	uint32_t pid; /* 0: not known */
	bool ended;
	int status; /* as waitpid() gives it; -1: not known */
};

/* The arena of the oldest image that is not yet admitted, to be unmapped; NULL: none. */
struct arena *images_oldest(struct images *images);
/*
 * The first image is there: the board's constant part stays as it is now. False: no
 * memory.
 */
bool images_begin(struct images *images);
/* Admits images that are ready, the oldest first; whether there were any. */
bool images_admit(struct images *images);
bool images_is_over(const struct images *images, uint32_t slot,
		    const struct first_process *first);
/* Ends images that are no more, and gives their slots back. */
void images_reap(struct images *images, const struct first_process *first);
/* Whether processes without a slot wait for an answer; *asked: the last one's ticket. */
bool images_asked(const struct images *images, uint32_t *asked);
/*
 * Tells processes that found no slot that there is one now, or that there will be none: those with
 * tickets up to `asked`. All images that were ready by then have to be admitted before this call,
 * because only an admitted image is reaped.
 */
void images_answer(struct images *images, uint32_t asked,
		   const struct first_process *first);
/* How many images run; and *expected, how many forked children have no slot yet. */
unsigned images_running(const struct images *images, uint32_t *expected);
/* No image is admitted any more: ends those that are no more, or all. */
void images_end(const struct images *images, const struct first_process *first, bool all);
/* Frees all of them. */
void images_fini(struct images *images);
/*
 * `before` and then the images that have not ended: "1234 (sleep), 1240 (sh)". The caller
 * frees it; NULL when there is no such image, or no memory.
 */
char *images_list(const struct images *images, const char *before);

/* The image at a slot, if it runs; else NULL. */
static inline struct image *images_live(const struct images *images, uint32_t slot)
{
	struct image *image = images->at[slot];

	return image && !image->ended ? image : NULL;
}

#endif
