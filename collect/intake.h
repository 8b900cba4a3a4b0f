/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of an image: taken out of its arena, where nothing is trusted, and acted on.
 */
#ifndef COLLECT_INTAKE_H
#define COLLECT_INTAKE_H

#include "format/arena.h"

struct image;
struct recording;

struct message {
	enum message_type type;
	uint32_t bytes;
	/* A private copy: the guest cannot change it any more. */
	_Alignas(8) uint8_t payload[MESSAGE_BYTES_MAX];
	uint64_t end; /* where it ends, in the arena's account */
};

/*
 * Takes the message at `tail`, a multiple of 8, where the last one ended. 1: taken, 0:
 * there is none, -1: what is there is no message, and nothing after it can be read.
 */
int message_take(const struct arena *arena, uint64_t tail, struct message *message);

/* Takes all messages of an image; false when there were none. */
bool intake(struct image *image, struct recording *recording);

#endif
