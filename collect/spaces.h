/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The spaces of an image, by the numbers its plugin gives them. In user mode there is one,
 * number 0. A machine has others: each process that runs in it.
 */
#ifndef COLLECT_SPACES_H
#define COLLECT_SPACES_H

#include "collect/output.h"
#include "collect/steering.h"
#include "format/arena.h"

struct image_space {
	uint32_t index; /* in the file */
	uint32_t pid;	/* as a user knows it */
	bool ended;	/* its end is in the file */
	bool left_out;	/* none of its threads is recorded */
	char *path;	/* of its program */
};

struct image_spaces {
	struct image_space *at; /* [n] */
	uint32_t n, room;
};

void spaces_fini(struct image_spaces *spaces);
/* The space with the next number; false: no memory. */
bool spaces_add(struct image_spaces *spaces, uint32_t index, uint32_t pid,
		const char *path);
/*
 * A process of a machine begins, by its message and the path of its program, "" where that
 * is its parent's: its record is put, and *index, how many spaces the file has, grows. False: the message is malformed,
 * or there is no memory.
 */
bool spaces_begin(struct image_spaces *spaces, const struct message_space *message,
		  const char *path, uint32_t *index, struct output *out);
/* Of the machine itself and of each process in it, whether it is wanted. */
void spaces_choose(struct image_space *space, struct steered *steered);
/* It ends, unless it has. */
void spaces_end(struct image_spaces *spaces, uint32_t number, int status, uint64_t ns,
		struct output *out);

#endif
