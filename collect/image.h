/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An image: a running QEMU with its arena and the ids that its plugin gives. In user mode
 * it runs one guest process, from its start, or from its fork, to its end or to the
 * program that it becomes by execve(). What addresses of such a process mean is its
 * *space*, which has a record and an index in the file.
 */
#ifndef COLLECT_IMAGE_H
#define COLLECT_IMAGE_H

#include "collect/id_map.h"
#include "collect/lanes.h"
#include "collect/notes.h"
#include "collect/recording.h"
#include "collect/spaces.h"
#include "collect/threads.h"

/*
 * Whether a process still lives (life.c): by a pidfd, which no other process can come to
 * have, or by its process id where no descriptor is left.
 */
struct life {
	uint32_t pid; /* 0: not known, and taken to be over */
	int fd;	      /* a pidfd; -1: none */
};

void life_watch(struct life *life, uint32_t pid);
void life_unwatch(struct life *life);
bool life_is_over(const struct life *life);
/*
 * How it ended, as wait() reports it to its parent; -1 when it lives, and when that is not
 * known: by Linux before 6.15 once the parent has waited, without a descriptor always.
 */
int life_status(const struct life *life);
/* Sends it a signal. */
void life_signal(const struct life *life, int signal);
/*
 * Lets this process have as many descriptors and addresses as it may, which each recorded
 * process takes some of, and as much CPU time: it inherited the program's limits. Children
 * are not started from here.
 */
void life_lift_limits(void);

struct image {
	struct arena *arena;
	struct life life;
	char *program;
	uint32_t space;		    /* its index in the file */
	struct image_spaces spaces; /* that one, and those of a machine's processes */
	struct id_map ids;
	struct lanes lanes;
	struct image_values values;
	struct threads threads;
	struct note_parts note; /* of which pieces are to come */
	struct buf loaded;	/* the same of a kernel's module */
	uint64_t message_tail; /* where messages are taken up to, in the ring's account */
	bool messages_broken;  /* no more of them can be understood */
	bool ended;	       /* its end is in the file */
};

/*
 * An image whose slot has become ready, and its record in the file. `parent` is the image
 * it was forked from, with all its messages taken, or NULL; `parent_space` is what the
 * file says. Takes `arena` over, also on failure. NULL without memory.
 */
struct image *image_new(struct recording *recording, struct arena *arena, uint32_t pid,
			const struct image *parent, uint32_t parent_space);
void image_free(struct image *image);
/*
 * How lanes are emptied while they are being filled. A little at a time would cost both
 * sides more than encoding does: each look at a head, and each line of ids that its
 * writer has not left for good, goes from core to core and back.
 */
enum drain {
	DRAIN_MUCH, /* lanes with lane_wake() ids, and everything when it is waited for */
	DRAIN_ALL,
};
/* Takes what there is of an image; false when there was nothing. */
bool image_drain(struct image *image, struct recording *recording, enum drain how);
/* Takes what is left, and puts the end into the file; `status` as waitpid() gives it. */
void image_end(struct image *image, struct recording *recording, int status);
/*
 * Writes what its threads have done so far; the block that each is in waits for the next
 * chunk.
 */
void image_flush(struct image *image);
/* Forks of it whose children have no slot yet. */
uint32_t image_expects(const struct image *image);

/*
 * Guests can write to the shared memory. Most of what they spoil is noticed where it is
 * used; the two functions of guard.c look for what would not be: memory that was set back
 * to zeros, or to what it was, where zeros mean that there is nothing. They return false
 * when they find some. What only the collector writes is put right: nobody waits for
 * ever.
 */
bool guard_look(struct image *image);
/*
 * The same when all has been taken: the lanes were written as far as they were read.
 * While the image lives its threads may be further than that.
 */
bool guard_end(struct image *image);

#endif
