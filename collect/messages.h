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
};

/*
 * Takes the next message. 1: taken, 0: there is none, -1: what is there is no message,
 * and nothing after it can be read.
 */
int message_take(struct arena *arena, struct message *message);

#endif
