/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking messages out of an arena. Nothing in it is trusted. */
#ifndef COLLECT_MESSAGES_H
#define COLLECT_MESSAGES_H

#include "format/arena.h"

struct message {
	enum message_type type;
	uint32_t bytes;
	/* A private copy: the guest cannot change it any more. */
	_Alignas(8) uint8_t payload[MESSAGE_BYTES_MAX];
	uint64_t end; /* where it ends, in the arena's account */
};

/*
 * Takes the next message. 1: taken, 0: there is none, -1: what is there is no message,
 * and nothing after it can be read.
 */
int message_take(struct arena *arena, struct message *message);
/* What it told has been done: its room is free, and who waits for that may go on. */
void message_done(struct arena *arena, const struct message *message);

#endif
